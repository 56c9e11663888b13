/** The CI script in docs/testing-your-app.md runs exactly as printed there. */
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { root, Sandbox, svcInShell } from '../kit/sandbox.ts'

const sandbox = new Sandbox()
const page = readFileSync(path.join(root, 'docs', 'testing-your-app.md'), 'utf8')

/** Returns the only code block in a language on the page. */
function block(language: string): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(match => match[1])
  expect(blocks, language).toHaveLength(1)
  return blocks[0] as string
}

/** Runs `sh ci.sh` with `svc` on the path. */
function runScript(folder: string): Promise<{ readonly status: number | null; readonly output: string }> {
  const bin = path.join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(path.join(bin, 'svc'), `#!/bin/sh\nexec ${svcInShell} "$@"\n`)
  chmodSync(path.join(bin, 'svc'), 0o755)
  const env = { ...sandbox.env, PATH: [bin, path.dirname(process.execPath), process.env['PATH']].join(path.delimiter) }
  return new Promise((resolve, reject) => {
    const child = spawn('sh', ['ci.sh'], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text
      })
    }
    child.on('error', reject).on('close', status => resolve({ status, output }))
  })
}

test('the script on the page creates data, serves it and passes its tests', async () => {
  const script = block('sh')
  expect(script).toContain('svc engine seed --people 10 --days 90 --seed 42')
  writeFileSync(path.join(sandbox.folder, 'ci.sh'), script)
  writeFileSync(path.join(sandbox.folder, 'app.test.mjs'), block('js'))
  const { status, output } = await runScript(sandbox.folder)
  expect(status, output).toBe(0)
  expect(output).toMatch(/pass 3\b/)
})
