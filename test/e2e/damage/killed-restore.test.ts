/** Restores of snapshots that are killed: each leaves one complete state or the other. */
import type { ChildProcess } from 'node:child_process'
import { statSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { InProcessSandbox } from '../../kit/in-process.ts'
import { serve } from '../../kit/serve.ts'

const sandbox = new InProcessSandbox()
interface Status {
  readonly users: number
  readonly samples: number
}
const status = () => sandbox.json<Status>(['engine', 'status'])

beforeAll(async () => {
  for (const name of ['ada', 'bob', 'cleo']) {
    await sandbox.json(['user', 'create', name])
    await sandbox.json(['link', 'demo', name, 'oura'])
  }
  await sandbox.json(['engine', 'snapshot', 'save', 'three'])
  await sandbox.json(['engine', 'reset', '--yes'])
  await sandbox.json(['user', 'create', 'dan'])
  await sandbox.json(['engine', 'snapshot', 'save', 'one'])
})

const walBytes = () => statSync(path.join(sandbox.folder, 'data', 'svc.db-wal'), { throwIfNoEntry: false })?.size ?? 0

/** Kills the process some time after it started to write, or lets it end. */
async function killedWhileWriting(child: ChildProcess, afterMs: number): Promise<NodeJS.Signals | null> {
  const before = walBytes()
  let since: number | undefined
  const timer = setInterval(() => {
    if (walBytes() !== before) since ??= performance.now()
    if (since !== undefined && performance.now() - since >= afterMs) child.kill('SIGKILL')
  }, 1)
  const signal = await new Promise<NodeJS.Signals | null>(resolve => child.once('exit', (_code, by) => resolve(by)))
  clearInterval(timer)
  return signal
}

test('a restore that is killed leaves one complete state or the other, and a running server continues', async () => {
  const server = await serve(sandbox)
  const whole = new Map<number, number>()
  for (const name of ['three', 'one']) {
    await sandbox.json(['engine', 'snapshot', 'restore', name, '--yes'])
    const { users, samples } = await status()
    whole.set(users, samples)
  }
  expect([...whole.keys()]).toEqual([3, 1])
  let kills = 0
  // on a busy machine, a restore may end before it is killed
  for (let turn = 0; turn < 8 || (kills === 0 && turn < 40); turn++) {
    const { users } = await status()
    const args = ['engine', 'snapshot', 'restore', users === 1 ? 'three' : 'one', '--yes']
    if ((await killedWhileWriting(sandbox.start(args).child, turn % 8)) === 'SIGKILL') kills++
    const after = await status()
    expect(whole.get(after.users)).toBe(after.samples)
    expect((await server.ask('GET', '/svc/v1/status')).json).toMatchObject({ users: after.users })
  }
  expect(kills).toBeGreaterThan(0)
  expect(await sandbox.json(['engine', 'check'])).toMatchObject({ ok: true })
  await sandbox.json(['engine', 'snapshot', 'restore', 'three', '--yes'])
  expect((await server.ask('GET', '/v2/user')).json).toMatchObject({ total: 3 })
  expect(await server.stop('SIGTERM')).toBe(0)
})
