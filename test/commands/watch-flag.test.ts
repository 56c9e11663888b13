/** --watch: responses that are shown again at each change. */

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { freePort } from '../kit/free-port.ts'
import { InProcessSandbox } from '../kit/in-process.ts'
import { expectRefusal } from '../kit/refusal.ts'
import { root } from '../kit/sandbox.ts'
import { Terminal } from '../kit/terminal.ts'
import { until } from '../kit/until.ts'

const WATCH = ['--watch', '--interval', '1']
/** Commands that read something and have no --watch, with the reason. */
const WITHOUT_WATCH: Readonly<Record<string, string>> = {
  'aggregate:columns': 'ships with svc and never changes',
  'event:types': 'ships with the service and never changes',
  'timeseries:resources': 'ships with svc and never changes',
  docs: 'ships with svc and never changes',
  'labs:marker': 'one record of the catalogue',
  'labs:test': 'one record of the catalogue',
  'profile:show': 'one record',
  'user:get': 'one record',
  'user:info': 'one record',
  'user:insurance': 'one record',
  whoami: 'the settings of this command line',
  'order:result': 'fails until there are results; order get shows the state',
  'link:providers': 'each look would create a link token',
  'aggregate:watch:result': 'each look would run the query',
  'timeseries:get': 'written while it is read; listen shows new data',
  'timeseries:stream': 'written while it is read',
  listen: 'shows events as they happen by itself',
  why: 'each response is computed again and signed with its time',
  'import:remap': 'stores what it finds',
  'provider:remap': 'stores what it finds',
}

interface ManifestCommand {
  readonly summary: string
  readonly flags: Readonly<Record<string, unknown>>
}

const manifest: Readonly<Record<string, ManifestCommand>> = JSON.parse(
  readFileSync(path.join(root, 'oclif.manifest.json'), 'utf8'),
).commands

const lines = (text: string): string[] => text.trimEnd().split('\n')

describe('--watch', () => {
  test('prints one JSON line at each change in a pipe, and exits with 130 at Ctrl-C', async () => {
    const sandbox = new InProcessSandbox()
    const watching = sandbox.start(['user', 'list', ...WATCH])
    await until(() => watching.stdout() !== '', { why: () => watching.stderr() })
    await sandbox.json(['user', 'create', 'ada'])
    await until(() => lines(watching.stdout()).length === 2, { why: () => watching.stdout() })
    // Requests without a change print nothing.
    await new Promise(resolve => setTimeout(resolve, 2500))
    expect(await watching.stop('SIGINT')).toBe(130)
    expect(lines(watching.stdout()).map(line => JSON.parse(line).total)).toEqual([0, 1])
    expect(watching.stderr()).toBe('')
  })

  test('compares what --jq selects', async () => {
    const sandbox = new InProcessSandbox()
    const watching = sandbox.start(['user', 'list', '--jq', '.total > 0', ...WATCH])
    await until(() => watching.stdout() === 'false\n', { why: () => watching.stderr() })
    for (const name of ['ada', 'bob']) await sandbox.json(['user', 'create', name])
    await until(() => watching.stdout() === 'false\ntrue\n', { why: () => watching.stdout() })
    await watching.stop('SIGINT')
  })

  test.each(Object.entries(manifest))(
    'is a flag of %s if it shows a list or a state, and so is --all if it has pages',
    (id, command) => {
      const reads = /^(List|Search|Show|Read)\b/.test(command.summary) || /\b(list|status)$/.test(id)
      const has = (...names: readonly string[]) => names.some(name => Object.hasOwn(command.flags, name))
      expect(has('watch')).toBe(reads && !Object.hasOwn(WITHOUT_WATCH, id))
      if (has('cursor', 'offset', 'page')) expect(has('all')).toBe(true)
    },
  )

  test('has no exception for a command that does not exist', () => {
    expect(Object.keys(WITHOUT_WATCH).filter(id => !Object.hasOwn(manifest, id))).toEqual([])
  })

  test('shows the profiles again when their file changes, and ends with 0 when the pipe’s reader exits', async () => {
    const sandbox = new InProcessSandbox()
    const watching = sandbox.start(['profile', 'list', '--jq', '[.[].name]', ...WATCH])
    await until(() => watching.stdout() !== '', { why: () => watching.stderr() })
    await sandbox.json(['profile', 'add', 'staging'])
    await until(() => lines(watching.stdout()).length === 2, { why: () => watching.stdout() })
    expect(lines(watching.stdout())).toEqual(['["local"]', '["local","staging"]'])
    watching.child.stdout.destroy()
    await sandbox.json(['profile', 'remove', 'staging'])
    expect(await watching.ended).toMatchObject({ status: 0, stderr: '' })
  })

  test('reads all pages of a list with each request', async () => {
    const sandbox = new InProcessSandbox()
    const args = ['engine', 'audit', '--operation', 'user.create', '--all', '--jq', '.entries | length']
    const watching = sandbox.start([...args, ...WATCH])
    await until(() => watching.stdout() === '0\n', { why: () => watching.stderr() })
    await sandbox.json(['user', 'create', 'ada'])
    await until(() => watching.stdout() === '0\n1\n', { why: () => watching.stdout() })
    expect(await watching.stop('SIGINT')).toBe(130)
  })

  test('redraws the list of snapshots on a terminal', async () => {
    const sandbox = new InProcessSandbox()
    const terminal = new Terminal(sandbox, ['engine', 'snapshot', 'list', ...WATCH])
    await terminal.sees(/svc engine snapshot list, every 1 s\.[\s\S]*No snapshots\./)
    await sandbox.json(['engine', 'snapshot', 'save', 'before'])
    await terminal.sees(/\bbefore\b/)
    terminal.types('\x03')
    expect(await terminal.ended()).toBe(130)
  })

  test('redraws on a terminal, and leaves the last response on the screen', async () => {
    const sandbox = new InProcessSandbox()
    const terminal = new Terminal(sandbox, ['user', 'list', ...WATCH])
    await terminal.sees(/svc user list, every 1 s\. Press Ctrl-C to stop\.[\s\S]*No users\./)
    await sandbox.json(['user', 'create', 'ada'])
    await terminal.sees(/svc user list, every 1 s\.[\s\S]*\bada\b/)
    terminal.types('\x03')
    expect(await terminal.ended()).toBe(130)
    const [, after = ''] = terminal.raw.split('\x1b[?1049l')
    expect(after).toContain('ada')
    expect(after).not.toContain('Press Ctrl-C')
  })

  test('waits for a server that does not respond for a while, and says so', async () => {
    const sandbox = new InProcessSandbox()
    const port = String(await freePort())
    const serve = async () => {
      const server = sandbox.start(['serve', '--port', port, '--json'])
      await until(() => server.stdout() !== '', { why: () => server.stderr() })
      return server
    }
    const first = await serve()
    const team = (await sandbox.run(['engine', 'team', 'list', '--jq', '(.teams? // .)[0].team_id'])).stdout.trim()
    // A running server's key ends with it.
    const key = await sandbox.json<{ api_key: string }>(['engine', 'key', 'create', team])
    const env = { SVC_BASE_URL: `http://127.0.0.1:${port}`, SVC_API_KEY: key.api_key }
    const watching = sandbox.start(['user', 'list', '--jq', '{total}', ...WATCH], { env })
    await until(() => watching.stdout() === '{"total":0}\n', { why: () => watching.stderr() })
    await first.stop('SIGTERM')
    await until(() => watching.stderr().includes('The service does not respond.'), { why: () => watching.stderr() })
    await sandbox.json(['user', 'create', 'ada'])
    const second = await serve()
    await until(() => watching.stdout() === '{"total":0}\n{"total":1}\n', {
      why: () => watching.stdout() + watching.stderr(),
    })
    expect(lines(watching.stderr())).toEqual([
      'The service does not respond. Waiting until it is back.',
      'The service responds again.',
    ])
    await watching.stop('SIGINT')
    await second.stop('SIGTERM')
  })

  test('fails at once when the first request fails, and refuses formats that it cannot print', async () => {
    const sandbox = new InProcessSandbox()
    expectRefusal(await sandbox.run(['order', 'get', '10000000-0000-4000-8000-000000000000', '--watch']), 3, /order/i)
    expectRefusal(
      await sandbox.run(['user', 'list', '--watch', '--output', 'csv']),
      2,
      /--watch prints JSON in a pipe, not csv/,
    )
    expectRefusal(
      await sandbox.run(['user', 'list', '--interval', '5']),
      2,
      /--interval needs --watch|must be provided/,
    )
  })
})
