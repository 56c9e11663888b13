/** Another process holds the data folder's lock and does not release it: all others are refused after the documented 10 s. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterEach, beforeAll, expect, test } from 'vitest'
import { root, Sandbox } from '../kit/sandbox.ts'
import { type Serving, serve } from '../kit/serve.ts'

/** The documented time with a margin for a busy machine. If two steps each waited, it would take twice as long. */
const LEAST_MS = 9_000
const MOST_MS = 13_000

const sandbox = new Sandbox()
const holders: ChildProcess[] = []
let server: Serving

/** Takes the lock in a separate process, which holds it until it is ended. */
async function hold({ env }: Sandbox, sql: string): Promise<void> {
  const script = `
    const { DatabaseSync } = require('@photostructure/sqlite')
    const db = new DatabaseSync(process.argv[1])
    db.exec('PRAGMA busy_timeout=20000')
    db.exec(${JSON.stringify(sql)})
    console.log('held')
    setInterval(() => {}, 1000)`
  const file = path.join(env['SVC_DATA_DIR'] as string, 'svc.db')
  const child = spawn(process.execPath, ['-e', script, file], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  holders.push(child)
  await once(child.stdout, 'data')
}

async function timed<T>(step: Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const began = performance.now()
  const value = await step
  return { ms: performance.now() - began, value }
}

function expectTenSeconds(ms: number): void {
  expect(ms).toBeGreaterThan(LEAST_MS)
  expect(ms).toBeLessThan(MOST_MS)
}

beforeAll(async () => {
  await sandbox.json(['user', 'create', 'bob'])
  server = await serve(sandbox)
})
afterEach(async () => {
  for (const child of holders.splice(0)) {
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
})

test('commands and requests are each refused after 10 s while a process holds a write lock', async () => {
  await hold(sandbox, 'BEGIN IMMEDIATE')
  const post = (name: string) => timed(server.ask('POST', '/v2/user', { client_user_id: name }))
  const first = post('one')
  const command = timed(sandbox.run(['user', 'create', 'carol', '--json']))
  await new Promise(resolve => setTimeout(resolve, 4_000))
  // it waits for the lock behind the first
  const second = post('two')
  for (const { ms, value } of [await first, await second]) {
    expect(value).toMatchObject({ status: 503, json: { detail: expect.stringContaining('10 s') } })
    expectTenSeconds(ms)
  }
  const { ms, value } = await command
  expect(JSON.parse(value.stderr)).toMatchObject({ error: { code: 'store_busy' } })
  expect(value.status).toBe(7)
  expectTenSeconds(ms)
  expect((await server.ask('GET', '/v2/user/resolve/bob')).status).toBe(200)
})

test('overdue work, the command and its audit entry wait for the lock only once', async () => {
  const lonely = new Sandbox()
  const { user_id: userId } = await lonely.json<{ user_id: string }>(['user', 'create', 'ada'])
  await lonely.json(['user', 'delete', 'ada', '--yes'])
  // only a command that names her runs the purge
  await lonely.json(['engine', 'clock', 'advance', '8d'])
  await hold(lonely, 'BEGIN IMMEDIATE')
  const { ms, value } = await timed(lonely.run(['user', 'undo-delete', userId, '--json']))
  expect(JSON.parse(value.stderr)).toMatchObject({ error: { code: 'store_busy' } })
  expectTenSeconds(ms)
})

test('commands and requests are refused after 10 s while a process locks out readers too', async () => {
  await server.stop('SIGKILL')
  // this lock cannot be taken while another process has the file open
  await hold(sandbox, 'PRAGMA locking_mode=EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE setting SET value=value')
  const [list, create] = await Promise.all([
    timed(sandbox.run(['user', 'list', '--json'])),
    timed(sandbox.run(['user', 'create', 'dora', '--json'])),
  ])
  for (const { ms, value } of [list, create]) {
    expect(JSON.parse(value.stderr)).toMatchObject({ error: { code: 'store_busy' } })
    expect(value.status).toBe(7)
    expectTenSeconds(ms)
  }
})
