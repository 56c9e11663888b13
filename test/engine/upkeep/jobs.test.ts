/** Due work: the end of a deletion from an operator's view, and the store's figures and check. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openEmbedded } from '../../../src/client/embedded.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { runUserJobs } from '../../../src/engine/upkeep/jobs.ts'
import { temporaryFolder } from '../../kit/folder.ts'
import { NOON, openHarness } from '../../kit/harness.ts'
import { storeOptions } from '../../kit/postgres/database.ts'

const GRACE = 7 * DAY_MS
const filesHold = (dataDir: string, text: string): boolean =>
  readdirSync(dataDir).some(name => name.startsWith('svc.db') && readFileSync(join(dataDir, name)).includes(text))

describe('run-due', () => {
  it('removes a deleted user once 7 days are over, not before, and changes no refusal', async () => {
    const { call, refusal, time, dataDir } = await openHarness()
    const { user_id } = await call('user.create', { body: { client_user_id: 'MARK-ada' } })
    await call('user.create', { body: { client_user_id: 'bob' } })
    await call('user.delete', { params: { user_id } })
    time.ms += GRACE - 1
    expect(await call('engine.run_due', {})).toEqual({ ran: [], left: [] })
    expect(filesHold(dataDir, 'MARK-ada')).toBe(true)
    time.ms += 1
    expect(await call('engine.status', {})).toMatchObject({ users: 1, deleted_users: 1, due_jobs: 1 })
    const refusals = () =>
      Promise.all([
        refusal('user.undo_delete', { body: { user_id } }),
        refusal('user.undo_delete', { body: { client_user_id: 'MARK-ada' } }),
        refusal('user.get', { params: { user_id } }),
        refusal('user.delete', { params: { user_id } }),
        refusal('timeseries.grouped', {
          params: { user_id, resource: 'steps' },
          query: { start_date: '2026-11-01' },
        }),
      ]).then(errors => errors.map(error => [error.status, error.body]))
    const before = await refusals()
    expect(before.map(([status]) => status)).toEqual([400, 400, 404, 404, 404])
    const { ran, left } = await call('engine.run_due', {})
    expect([ran, left]).toEqual([
      [
        { kind: 'purge', count: 1 },
        { kind: 'scrub', count: 1 },
      ],
      [],
    ])
    expect(await refusals()).toEqual(before)
    expect(filesHold(dataDir, 'MARK-ada')).toBe(false)
    expect(await call('engine.run_due', {})).toEqual({ ran: [], left: [] })
    expect(await call('engine.status', {})).toMatchObject({ users: 1, deleted_users: 0, due_jobs: 0 })
    expect((await refusal('user.undo_delete', { body: { client_user_id: 'nobody' } })).status).toBe(404)
  })

  it('runs no job early if a restore set the clock back during the run', async () => {
    const { call, engine, time } = await openHarness()
    const { user_id } = await call('user.create', { body: { client_user_id: 'ada' } })
    await call('link.demo', { body: { user_id, provider: 'oura' } })
    // the state of a run that read the clock a moment before the restore
    const later = time.ms + GRACE
    expect(await runUserJobs(engine.context, { now: later, userIds: null })).toEqual([])
    expect(await engine.context.store.links.endDemo(user_id as UserId, later)).toBe(false)
    expect(await call('engine.status', {})).toMatchObject({ users: 1, deleted_users: 0 })
    time.ms = later
    expect(await runUserJobs(engine.context, { now: later, userIds: null })).toContainEqual({
      kind: 'demo_end',
      count: 1,
    })
  })

  it('says "grace period" before and after the purge, even if the name was taken again', async () => {
    const { call, refusal, time } = await openHarness()
    const { user_id } = await call('user.create', { body: { client_user_id: 'ada' } })
    await call('user.delete', { params: { user_id } })
    await call('user.create', { body: { client_user_id: 'ada' } })
    time.ms += GRACE
    const before = await refusal('user.undo_delete', { body: { client_user_id: 'ada' } })
    await call('engine.run_due', {})
    const after = await refusal('user.undo_delete', { body: { client_user_id: 'ada' } })
    expect(before.message).toContain('grace period')
    expect(after.body).toEqual(before.body)
  })

  it('ignores a deletion that was undone, and purges a second one by its own date', async () => {
    const { call, time } = await openHarness()
    const { user_id } = await call('user.create', { body: { client_user_id: 'ada' } })
    await call('user.delete', { params: { user_id } })
    time.ms += DAY_MS
    await call('user.undo_delete', { body: { user_id } })
    time.ms += GRACE
    expect(await call('engine.run_due', {})).toEqual({ ran: [], left: [] })
    expect(await call('user.get', { params: { user_id } })).toMatchObject({ client_user_id: 'ada' })
    await call('user.delete', { params: { user_id } })
    time.ms += GRACE - 1
    expect(await call('engine.run_due', {})).toEqual({ ran: [], left: [] })
    time.ms += 1
    expect((await call('engine.run_due', {})).ran).toContainEqual({ kind: 'purge', count: 1 })
  })
})

describe('an embedded command', () => {
  it('runs overdue work for its users, and nothing else', async () => {
    const dataDir = temporaryFolder()
    const time = { ms: NOON, now: () => time.ms }
    const client = await openEmbedded({ dataDir, publicUrl: null, engine: { time }, ...storeOptions(dataDir) })
    const ids: string[] = []
    for (const name of ['MARK-ada', 'MARK-bob', 'MARK-cleo']) {
      const reply = await client.call('user.create', { body: { client_user_id: name } })
      if (reply.kind === 'json') ids.push(reply.body.user_id)
      await client.call('user.delete', { params: { user_id: ids.at(-1) as never } })
    }
    const deleted = async () => {
      const reply = await client.call('engine.status', {})
      return reply.kind === 'json' ? reply.body.deleted_users : -1
    }
    time.ms += GRACE
    await client.call('user.list', {})
    expect(await deleted()).toBe(3)
    await expect(client.call('user.get', { params: { user_id: ids[0] as never } })).rejects.toThrow('Not found')
    expect([await deleted(), filesHold(dataDir, 'MARK-ada'), filesHold(dataDir, 'MARK-bob')]).toEqual([2, false, true])
    // also by name: creating a user with the name finds its previous owner
    await client.call('user.create', { body: { client_user_id: 'MARK-bob' } })
    expect(await deleted()).toBe(1)
    await client.close()
  })
})

describe('status and check', () => {
  it('are correct for an empty store', async () => {
    const { call } = await openHarness()
    expect(await call('engine.status', {})).toMatchObject({ users: 0, samples: 0, bytes_per_sample: null })
    expect(await call('engine.check', {})).toEqual({
      ok: true,
      chunks: 0,
      samples: 0,
      rewritten: 0,
      problem_count: 0,
      problems: [],
    })
  })
})
