/** Undoing a deletion and creating the user again race in two processes: exactly one of them gets each name. */
import { fork } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, vi } from 'vitest'
import { openHarness } from '../../kit/harness.ts'
import { storeVariables } from '../../kit/postgres/database.ts'
import { root } from '../../kit/sandbox.ts'

vi.setConfig({ testTimeout: 120_000 })

const NAMES = 24

/** Starts a process; `begin` starts the race, `won` contains the names it got. */
async function racer(modulePath: string, dataDir: string, what: 'undo' | 'create') {
  const script = join(root, 'test', 'engine', 'users', 'race-process.mjs')
  const env = { ...process.env, ...storeVariables(dataDir) }
  const child = fork(script, [modulePath, dataDir, what, String(NAMES)], { env })
  const message = () => new Promise<unknown>(resolve => child.once('message', resolve))
  await message()
  const response = message() as Promise<{ readonly won: readonly number[] }>
  return { begin: () => child.send('go'), won: response.then(({ won }) => won) }
}

describe('undo_delete', () => {
  it('concurrent with a re-creation leaves exactly one active user for each client_user_id', async () => {
    const { bundled } = await import(pathToFileURL(join(root, 'test', 'bench', 'bundle.mjs')).href)
    const { path } = (await bundled('store-entry.ts')) as { path: string }
    const h = await openHarness()
    // real time, because the two processes share no other clock
    h.time.ms = Date.now()
    const deleted: string[] = []
    for (let i = 0; i < NAMES; i++) {
      const { user_id } = await h.call('user.create', { body: { client_user_id: `name-${i}` } })
      await h.call('user.delete', { params: { user_id } })
      deleted.push(user_id)
    }
    const [undoing, creating] = await Promise.all([racer(path, h.dataDir, 'undo'), racer(path, h.dataDir, 'create')])
    undoing.begin()
    creating.begin()
    const [undone, created] = await Promise.all([undoing.won, creating.won])
    expect([...undone, ...created].toSorted((a, b) => a - b)).toEqual(Array.from({ length: NAMES }, (_, i) => i))
    for (let i = 0; i < NAMES; i++) {
      const { user_id } = await h.call('user.resolve', { params: { client_user_id: `name-${i}` } })
      expect(user_id === deleted[i], `name-${i}`).toBe(undone.includes(i))
    }
    expect((await h.call('user.list', {})).total).toBe(NAMES)
    expect((await h.call('engine.check', {})).problems).toEqual([])
  })
})
