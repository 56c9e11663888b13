/** The process that runs a command: start, streams, interrupts and the code cache. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { spawn as spawnTerminal } from '@lydell/node-pty'
import { describe, expect, test } from 'vitest'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { executable, root, Sandbox, svcCommand, svcInShell } from '../../kit/sandbox.ts'

const sandbox = new Sandbox()
const inProcess = new InProcessSandbox()

/** The version of Node that runs svc. */
const node = executable === undefined ? process.version : containedNode()

function containedNode(): string {
  const [program, ...args] = svcCommand
  return JSON.parse(spawnSync(program, [...args, '--version', '--json'], { env: sandbox.env, encoding: 'utf8' }).stdout)
    .node
}

describe('svc', () => {
  test.each(['--version', '-v', 'version'])('%s prints name, version and platform', async word => {
    const run = await sandbox.run([word])
    expect(run).toMatchObject({ status: 0, stderr: '' })
    expect(run.stdout).toBe(`svc/0.1.0 ${process.platform}-${process.arch} node-${node}\n`)
  })

  test('shows help when called without arguments, and for a topic', async () => {
    const [bare, topic, command] = await Promise.all([
      sandbox.run([]),
      sandbox.run(['user']),
      sandbox.run(['engine', 'clock', 'set', '--help']),
    ])
    expect(bare.stdout).toContain('TOPICS')
    expect(topic.stdout).toContain('user undo-delete')
    expect(command.stdout).toContain('engine clock set INSTANT')
    expect([bare.status, topic.status, command.status]).toEqual([0, 0, 0])
  })

  test.each([
    [],
    ['--help'],
    ['user'],
    ['engine', 'clock'],
    ['import', '--help'],
    ['help', 'user', 'get'],
    ['user', 'list', '-h'],
  ])('prints the same rendered help for %s as the bundle', async (...args) => {
    const [page, live] = await Promise.all([sandbox.run(args), inProcess.run(args)])
    expect(page).toEqual(live)
    expect(page).toMatchObject({ status: 0, stderr: '' })
    expect(page.stdout).not.toContain('\u001b')
  })

  test('a terminal gets bold headings, unless colors are off, and lines that fit if it is narrow', async () => {
    const shown = async (columns: number, more: Record<string, string> = {}) => {
      const env = { ...sandbox.env, ...more }
      const terminal = spawnTerminal(svcCommand[0], [...svcCommand.slice(1), 'user', '--help'], { cols: columns, env })
      let text = ''
      terminal.onData(data => {
        text += data
      })
      await new Promise(resolve => terminal.onExit(resolve))
      return text
    }
    const [wide, plain, narrow] = await Promise.all([shown(100), shown(100, { NO_COLOR: '1' }), shown(50)])
    expect(wide).toContain('\u001b[1mUSAGE')
    expect(plain).not.toContain('\u001b[1m')
    const widths = stripVTControlCharacters(narrow).split('\r\n')
    expect(Math.max(...widths.map(line => line.length))).toBeLessThanOrEqual(50)
  })

  test('exits with 2 and suggests the nearest name for help on an unknown command', async () => {
    const run = await sandbox.run(['help', 'user', 'gett'])
    expect(run.status).toBe(2)
    expect(run.stderr).toContain('user get')
  })

  test('does not repeat the value of a surplus argument', async () => {
    const run = await sandbox.run(['user', 'get', 'ada', 'hunter2-secret'])
    expect(run.status).toBe(2)
    expect(run.stderr).toContain('1 argument too many')
    expect(run.stderr).not.toContain('hunter2-secret')
  })

  test('shows a stack trace only with --debug', async () => {
    const [plain, debug] = await Promise.all([
      sandbox.run(['user', 'get', 'nobody']),
      sandbox.run(['user', 'get', 'nobody', '--debug']),
    ])
    expect(plain.stderr).not.toMatch(/\n\s+at /)
    expect(debug.stderr).toMatch(/\n\s+at /)
    expect([plain.status, debug.status]).toEqual([3, 3])
  })

  test.skipIf(process.platform === 'win32')('does not fail when the reader of its output exits', () => {
    const command = `${svcInShell} timeseries resources --output json; echo "exit $?" >&2`
    const run = spawnSync('sh', ['-c', `( ${command} ) | true`], { env: sandbox.env, encoding: 'utf8' })
    expect(run.stderr).toBe('exit 0\n')
  })

  test.skipIf(process.platform === 'win32')('exits with 130 on Ctrl-C', async () => {
    // waits for a server that never responds
    const { createServer } = await import('node:net')
    const server = createServer(() => {}).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const env = { SVC_API_KEY: 'sk_us_0123456789abcdef' }
    const listing = sandbox.start(['user', 'list', '--base-url', `http://127.0.0.1:${port}`], { env })
    await once(server, 'connection')
    expect(await listing.stop('SIGINT')).toBe(130)
    server.close()
  })

  test('exits with 2 at once if stdin is closed where it would prompt', async () => {
    const run = await sandbox.run(['link', 'password', 'whoop', '--user', 'nobody'])
    expect(run.status).toBe(3)
    const child = spawn(svcCommand[0], [...svcCommand.slice(1), 'user', 'delete', 'nobody'], {
      env: sandbox.env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    expect(await once(child, 'exit')).toEqual([2, null])
  })
})

describe('the code cache', () => {
  // the executable unpacks its native parts to the same folder
  const cachesIn = (folder: string) => readdirSync(folder).filter(name => name.endsWith('.v8'))

  test('is written once for each hash, version, architecture and command, next to one for commands that never ran', async () => {
    const cache = path.join(sandbox.folder, 'cache')
    const env = { SVC_CACHE_DIR: cache }
    await sandbox.run(['timeseries', 'resources'], { env })
    const { hash } = JSON.parse(readFileSync(path.join(root, 'dist', 'svc.json'), 'utf8')) as { hash: string }
    const nameOf = (kind: string) => `${hash}-${node}-${process.arch}-${kind}.v8`
    expect(cachesIn(cache)).toEqual([nameOf('_shared'), nameOf('timeseries-resources')])
    const before = readFileSync(path.join(cache, nameOf('timeseries-resources')))
    expect((await sandbox.run(['timeseries', 'resources'], { env })).status).toBe(0)
    expect(readFileSync(path.join(cache, nameOf('timeseries-resources'))).equals(before)).toBe(true)
    expect(cachesIn(cache)).toHaveLength(2)
  })

  test('is replaced if damaged, and skipped if it cannot be written', async () => {
    const cache = path.join(sandbox.folder, 'damaged')
    const env = { SVC_CACHE_DIR: cache }
    await sandbox.run(['profile', 'list'], { env })
    const files = cachesIn(cache).map(name => path.join(cache, name))
    expect(files).toHaveLength(2)
    const whole = readFileSync(files[0] as string)
    const holed = Buffer.from(whole).fill(0, whole.length >> 1, (whole.length >> 1) + 4096)
    for (const damaged of [Buffer.from('not a cache'), whole.subarray(0, whole.length >> 1), holed]) {
      for (const file of files) writeFileSync(file, damaged)
      expect((await sandbox.run(['profile', 'list'], { env })).status).toBe(0)
      for (const file of files) expect(readFileSync(file).equals(damaged)).toBe(false)
    }
    writeFileSync(path.join(sandbox.folder, 'a-file'), '')
    const run = await sandbox.run(['profile', 'list'], { env: { SVC_CACHE_DIR: path.join(sandbox.folder, 'a-file') } })
    if (executable === undefined) expect(run).toMatchObject({ status: 0, stderr: '' })
    // it cannot work without its native parts
    else expect(run).toMatchObject({ status: 1, stderr: expect.stringContaining('Set SVC_CACHE_DIR') })
  })
})

test('explains how to build when there is no build', () => {
  const copy = path.join(sandbox.folder, 'unbuilt')
  mkdirSync(copy)
  cpSync(path.join(root, 'bin'), path.join(copy, 'bin'), { recursive: true })
  cpSync(path.join(root, 'package.json'), path.join(copy, 'package.json'))
  const run = spawnSync(process.execPath, [path.join(copy, 'bin', 'run.js'), 'user', 'list'], {
    env: sandbox.env,
    encoding: 'utf8',
  })
  expect(run.status).toBe(1)
  expect(run.stderr).toContain('npm run build')
})

test('`npx svc` finds the command in this folder after an install', () => {
  const link = path.join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'svc.cmd' : 'svc')
  const run = spawnSync(link, ['--version'], {
    env: sandbox.env,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  })
  expect(run).toMatchObject({ status: 0, stdout: expect.stringMatching(/^svc\//) })
})
