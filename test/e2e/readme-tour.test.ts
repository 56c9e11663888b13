/** The commands of the README and of docs/tour.md, word for word: they run in order, in an empty folder, on any day. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parquetReadObjects } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import { atEndOfFile } from '../kit/end-of-file.ts'
import { root, Sandbox, svcInShell } from '../kit/sandbox.ts'
import { until, within } from '../kit/until.ts'

const RUN_LIMIT_MS = 120_000
const [tour = '', longRunning = '', ...others] = codeBlocks('docs/tour.md', 'sh')
const [firstSuccess = ''] = codeBlocks('README.md', 'console')

/** Returns the code blocks of a page in one language. */
function codeBlocks(page: string, language: string): string[] {
  const text = readFileSync(path.join(root, page), 'utf8')
  return text
    .split(/^```/m)
    .flatMap(block => (block.startsWith(`${language}\n`) ? [block.slice(language.length + 1)] : []))
}

/** An output without what differs from run to run: IDs, times and numbers, and the widths that follow from them. */
function form(output: string): string {
  return output
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'ID')
    .replaceAll(/\d+(?:[-:.T+]\d+)*/g, 'N')
    .replaceAll(/─+/g, '─')
    .replaceAll(/ +/g, ' ')
}

/** Returns the environment of a shell in which `npx svc` runs the built binary, as it does in the folder of this repository. */
function shellEnv(sandbox: Sandbox, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const folder = path.join(sandbox.folder, 'bin')
  mkdirSync(folder)
  const npx = path.join(folder, 'npx')
  writeFileSync(npx, `#!/bin/sh\n[ "$1" = svc ] || exit 1\nshift\nexec ${svcInShell} "$@"\n`)
  chmodSync(npx, 0o755)
  return { ...sandbox.env, ...more, PATH: `${folder}${path.delimiter}${process.env['PATH'] ?? ''}` }
}

// the blocks are for a POSIX shell
describe.skipIf(process.platform === 'win32')('the first commands in the README', () => {
  test('print the output shown there', async () => {
    const sandbox = new Sandbox()
    // the day of the output: how many weeks a period touches depends on its weekday
    await sandbox.json(['engine', 'clock', 'set', '2026-11-26T09:00:00Z'])
    const env = shellEnv(sandbox, { SVC_OUTPUT: 'table' })
    const steps = firstSuccess.trim().split(/^\$ /m).slice(1)
    expect(steps).toHaveLength(3)
    for (const step of steps) {
      const [command = '', ...output] = step.split('\n')
      const run = spawnSync('sh', ['-c', command], {
        cwd: sandbox.folder,
        env,
        encoding: 'utf8',
        timeout: RUN_LIMIT_MS,
      })
      expect(run.status, run.stderr).toBe(0)
      expect(form(run.stdout).trim()).toBe(form(output.join('\n')).trim())
    }
  })
})

// the blocks are for a POSIX shell
describe.skipIf(process.platform === 'win32')('the tour', () => {
  test('has two blocks', () => {
    expect(tour).toContain('npx svc user create')
    expect(longRunning).toContain('npx svc serve')
    expect(others).toEqual([])
  })

  test.each([
    ['today', undefined, 'UTC'],
    ['in the first second of a leap day, east of UTC', '2028-02-29T00:00:01Z', 'Pacific/Kiritimati'],
    ['in the last second of a year, west of UTC', '2031-12-31T23:59:59Z', 'America/Los_Angeles'],
  ])(
    'works %s',
    async (_when, now, zone) => {
      const sandbox = new Sandbox()
      if (now !== undefined) await sandbox.json(['engine', 'clock', 'set', now])
      const env = shellEnv(sandbox, { TZ: zone })
      const cwd = sandbox.folder
      const run = spawnSync('sh', ['-e'], { cwd, env, input: tour, encoding: 'utf8', timeout: RUN_LIMIT_MS })
      expect(run.status, run.stderr).toBe(0)
      expect(run.stderr).not.toMatch(/Warning|Error/)
      const documents = run.stdout.split('\n').flatMap(line => (/^[[{]/.test(line) ? [JSON.parse(line)] : []))
      expect(documents).toMatchObject([
        { client_user_id: 'alice' },
        expect.arrayContaining([expect.objectContaining({ slug: 'whoop' })]),
        { state: 'success', connected: true },
        { results: [{ table: { mean: expect.arrayContaining([expect.any(Number)]) } }] },
        { file: 'steps.parquet' },
        {
          records: 3,
          stored: { body_weight: { samples: 3 } },
          skipped: [],
          date_order: { order: 'dmy', basis: 'file' },
        },
      ])
      expect(run.stdout).toContain('3 samples, 71.9 to 72.5')
      const rows = await parquetReadObjects({ file: readBuffer(path.join(cwd, 'steps.parquet')) })
      expect(rows.length).toBeGreaterThan(0)
    },
    RUN_LIMIT_MS,
  )

  test.each([
    ['npx svc serve', /^\{"url":".*","api_key":".*","team_id":".*"\}$/m],
    ['npx svc listen', /^Ready: events are sent to http:\/\/localhost:3000\/hooks/m],
  ])('shows that %s becomes ready and ends with Ctrl-C', async (start, ready) => {
    const line = longRunning.split('\n').find(each => each.startsWith(start)) ?? ''
    const sandbox = new Sandbox()
    const child = spawn('sh', ['-c', `exec ${line}`], { cwd: sandbox.folder, env: shellEnv(sandbox) })
    atEndOfFile(() => void child.kill('SIGKILL'))
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (text += bytes))
    const ended = new Promise<number | null>(resolve => child.on('close', resolve))
    await until(() => ready.test(text), { why: () => `it is not ready: ${text}` })
    child.kill('SIGINT')
    expect(await within(ended, () => `it does not end: ${text}`)).toBe(0)
  })
})

function readBuffer(file: string): ArrayBuffer {
  const bytes = readFileSync(file)
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer // a Buffer is never shared memory
}
