/** The npm package: its files, its size, and an installation in an empty folder with each supported Node. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { nodeRuntime } from '../../scripts/package/node-runtime.mjs'
import { temporaryFolder } from '../kit/folder.ts'
import { root } from '../kit/sandbox.ts'
import { until } from '../kit/until.ts'
import { INSTALL_TIMEOUT_MS, MB, npmVariables, packageFile, shell } from './packages.ts'

const tarball = packageFile('.tgz')
const MOST_INSTALLED_MB = 45
const MOST_PACKED_MB = 12
const tour = /```sh\n([\s\S]*?)```/.exec(readFileSync(path.join(root, 'docs', 'tour.md'), 'utf8'))?.[1] ?? ''

/** Returns the names of the files in the package. The names of the console's files contain a hash of their content. */
function filesIn(file: string): string {
  const names = execFileSync('tar', ['tzf', file], { encoding: 'utf8' }).trim().split('\n')
  const stable = names.map(name => name.replace(/^package\//, '').replace(/-[A-Z0-9]{8}(?=\.\w+$)/, '-HASH'))
  return `${[...new Set(stable)].sort().join('\n')}\n`
}

describe('the npm package', () => {
  test('contains the listed files, and no others', async () => {
    await expect(filesIn(tarball)).toMatchFileSnapshot('npm-files.txt')
  })

  test('can be downloaded quickly', () => {
    expect(statSync(tarball).size / MB).toBeLessThan(MOST_PACKED_MB)
  })

  test('has a list of the packages in it, without the tools of development', () => {
    const bill = JSON.parse(readFileSync(packageFile('.cdx.json'), 'utf8'))
    const names: string[] = bill.components.map((each: { readonly name: string }) => each.name)
    expect(bill.bomFormat).toBe('CycloneDX')
    expect(names).toEqual(expect.arrayContaining(['@photostructure/sqlite', '@oclif/core', 'fastify', 'preact']))
    expect(names.filter(name => ['vitest', 'esbuild', 'postject'].includes(name))).toEqual([])
  })
})

describe.each([
  ['20', path.dirname(process.execPath)],
  ['22', path.join(nodeRuntime(22), 'bin')],
  ['24', path.join(nodeRuntime(24), 'bin')],
])('installed in an empty folder with Node %s', (major, nodeFolder) => {
  const home = temporaryFolder()
  const prefix = path.join(home, 'prefix')
  const env = {
    ...npmVariables(home),
    PATH: [nodeFolder, path.join(prefix, 'bin'), process.env['PATH']].join(path.delimiter),
    MANPATH: path.join(prefix, 'share', 'man'),
    MANPAGER: 'cat',
  }
  const run = (script: string) => shell(script, env, home)

  test('prints its version, its help, its manual pages and its completion', {
    timeout: INSTALL_TIMEOUT_MS,
  }, async () => {
    await run(`npm install --global '${tarball}'`)
    expect(await run('svc --version')).toMatch(
      new RegExp(`^svc/\\S+ \\S+ node-v${major === '20' ? '' : `${major}\\.`}`),
    )
    expect(await run('svc user create --help')).toContain('USAGE')
    expect(await run('cat "$MANPATH"/man1/svc-user-create.1')).toContain('.TH')
    expect(await run('svc completion bash')).toContain('complete -F _svc svc')
  })

  test('takes at most 45 MB', async () => {
    const [bytes] = (await run(`du -sb '${path.join(prefix, 'lib', 'node_modules', 'svc')}'`)).split('\t')
    expect(Number(bytes) / MB).toBeLessThan(MOST_INSTALLED_MB)
  })

  test('runs the tour: users, links, queries, Parquet and an import', async () => {
    writeFileSync(path.join(home, 'tour.sh'), tour.replaceAll('npx svc', 'svc'))
    const output = await run('. ./tour.sh')
    expect(output).toContain('"state":"success"')
    expect(output).toContain('3 samples, 71.9 to 72.5')
    expect(readFileSync(path.join(home, 'steps.parquet')).subarray(0, 4).toString()).toBe('PAR1')
  })

  test.each([
    ['serve', ['--port', '0', '--json'], '/v2/user', 401],
    ['open', ['--no-browser'], '/console', 200],
  ])('serves the data with svc %s', async (command, more, at, status) => {
    const child = spawn(path.join(prefix, 'bin', 'svc'), [command, ...more], { env, cwd: home })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
    try {
      const url = await until(() => /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0], { why: () => output })
      expect((await fetch(url + at)).status).toBe(status)
    } finally {
      child.kill('SIGINT')
      await once(child, 'close')
    }
    expect(existsSync(path.join(home, '.local', 'share', 'svc', 'svc.db'))).toBe(true)
  })
})
