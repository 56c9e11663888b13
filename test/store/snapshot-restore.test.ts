/** Restoring a snapshot and resetting: completely or not at all, in every process at once, and the data that they keep. */
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { addSessionKey } from '../../src/server/session-key.ts'
import { keyHolder, newTeam } from '../engine/teams/with-key.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { type Harness, NOON, openHarness } from '../kit/harness.ts'

const open: Harness[] = []
const harness = async (dataDir?: string) => {
  const made = await openHarness(dataDir === undefined ? {} : { dataDir })
  open.push(made)
  return made
}
afterEach(async () => {
  await Promise.all(open.splice(0).map(each => each.engine.close()))
})

const create = async (h: Harness, name: string) =>
  (await h.call('user.create', { body: { client_user_id: name } })).user_id
const names = async (h: Harness) => (await h.call('user.list', {})).users.map(user => user.client_user_id).sort()
const save = (h: Harness, name: string, replace = false) => h.call('snapshot.save', { body: { name, replace } })
const restore = (h: Harness, name: string) => h.call('snapshot.restore', { params: { name } })

describe('a stored snapshot', () => {
  it('is a private file in the list, and disappears when deleted', async () => {
    const h = await harness()
    await create(h, 'ada')
    await h.call('clock.set', { body: { set: '2026-01-01T00:00:00Z', freeze: true } })
    const saved = await save(h, 'base')
    expect(saved).toEqual({
      name: 'base',
      saved_at: '2026-11-20T12:00:00+00:00',
      clock: '2026-01-01T00:00:00+00:00',
      frozen: true,
      users: 1,
      size_bytes: expect.any(Number),
      schema_version: expect.any(Number),
    })
    const file = join(h.dataDir, 'snapshots', 'base.db')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(h.dataDir, 'snapshots')).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(h.dataDir, 'snapshots'))).toEqual(['base.db'])
    expect(readdirSync(h.engine.folder.scratch)).toEqual([])
    expect(await h.call('snapshot.list', {})).toEqual({ snapshots: [saved] })
    await h.call('snapshot.delete', { params: { name: 'base' } })
    expect(await h.call('snapshot.list', {})).toEqual({ snapshots: [] })
    expect((await h.refusal('snapshot.delete', { params: { name: 'base' } })).code).toBe('not_found')
  })

  it('is only replaced on request', async () => {
    const h = await harness()
    await save(h, 'base')
    await create(h, 'ada')
    expect((await h.refusal('snapshot.save', { body: { name: 'base' } })).code).toBe('conflict')
    expect((await h.call('snapshot.list', {})).snapshots).toMatchObject([{ users: 0 }])
    await save(h, 'base', true)
    expect((await h.call('snapshot.list', {})).snapshots).toMatchObject([{ users: 1 }])
    expect(readdirSync(h.engine.folder.scratch)).toEqual([])
  })

  it.each(['', '.', '..', '../x', 'a/b', '.hidden', 'x y', 'ü', 'a'.repeat(65), 'a\0b'])(
    'cannot be named %j',
    async name => {
      const h = await harness()
      expect((await h.refusal('snapshot.save', { body: { name } })).status).toBe(422)
      expect(existsSync(join(h.dataDir, 'snapshots'))).toBe(false)
    },
  )
})

describe('a restore', () => {
  it('restores exactly the saved state, in every process', async () => {
    const h = await harness()
    const ada = await create(h, 'ada')
    await h.call('link.demo', { body: { user_id: ada, provider: 'oura' } })
    const days = { params: { user_id: ada, resource: 'steps' }, query: { start_date: '2026-11-01' } } as const
    const before = [await h.call('timeseries.grouped', days), await h.call('engine.status', {})] as const
    await save(h, 'base')
    const other = await harness(h.dataDir)
    await h.call('user.delete', { params: { user_id: ada } })
    await create(h, 'bob')
    await create(h, 'eve')
    expect(await names(other)).toEqual(['bob', 'eve'])
    expect(await restore(h, 'base')).toEqual({
      name: 'base',
      users_before: 2,
      users_after: 1,
      epoch: 1,
      clock: '2026-11-20T12:00:00+00:00',
      frozen: false,
    })
    for (const each of [h, other]) {
      expect(await names(each)).toEqual(['ada'])
      expect(await each.call('timeseries.grouped', days)).toEqual(before[0])
      const { epoch, ...after } = await each.call('engine.status', {})
      expect(epoch).toBe(1)
      expect({ ...after, file_bytes: 0, wal_bytes: 0 }).toEqual({
        ...before[1],
        epoch: undefined,
        file_bytes: 0,
        wal_bytes: 0,
      })
      expect(await each.call('engine.check', {})).toMatchObject({ ok: true })
    }
    expect((await restore(other, 'base')).epoch).toBe(2)
  })

  it('restores the clock, frozen where it was', async () => {
    const h = await harness()
    await h.call('clock.set', { body: { set: '2026-01-01T00:00:00Z', freeze: true } })
    await save(h, 'frozen')
    await h.call('clock.set', { body: { follow: 'real_time' } })
    h.time.ms += 1000
    expect(await restore(h, 'frozen')).toMatchObject({ clock: '2026-01-01T00:00:00+00:00', frozen: true })
    expect(await h.call('clock.get', {})).toMatchObject({ now: '2026-01-01T00:00:00+00:00', frozen: true })
  })

  it('restores a user that was purged, even in the middle of a purge', async () => {
    const h = await harness()
    const ada = await create(h, 'ada')
    await h.call('link.demo', { body: { user_id: ada, provider: 'oura' } })
    await save(h, 'base')
    const { samples } = await h.call('engine.status', {})
    await h.call('user.delete', { params: { user_id: ada } })
    await h.call('clock.set', { body: { advance: '7d' } })
    const purge = h.call('engine.run_due', {})
    // the purge has started, and continues in portions
    await new Promise(resolve => setTimeout(resolve, 30))
    await restore(h, 'base')
    await purge
    expect(await names(h)).toEqual(['ada'])
    expect((await h.call('engine.status', {})).samples).toBe(samples)
    expect(await h.call('engine.check', {})).toMatchObject({ ok: true })
  })

  it('continues the audit trail, and is recorded in it', async () => {
    const h = await harness()
    await save(h, 'base')
    await create(h, 'ada')
    const trail = async () => (await h.call('audit.list', {})).entries.map(entry => entry.operation)
    const before = await trail()
    await restore(h, 'base')
    expect((await trail()).sort()).toEqual(['snapshot.restore', ...before].sort())
  })

  it('keeps the keys of running servers, and revocations', async () => {
    const h = await harness()
    const { api_key } = await newTeam(h, 'acme')
    await save(h, 'base')
    const session = await addSessionKey(h.engine, null)
    const later = await newTeam(h, 'later')
    const { team_id } = (await h.call('team.list', {})).teams.find(team => team.name === 'acme') as { team_id: string }
    const key = (await h.call('key.list', { query: { team_id } })).keys[0] as { key_id: string }
    await h.call('key.revoke', { params: { key_id: key.key_id } })
    await restore(h, 'base')
    expect((await keyHolder(h, session.key).reply('user.list')).status).toBe(200)
    expect((await keyHolder(h, api_key).refusal('user.list')).code).toBe('invalid_api_key')
    expect((await keyHolder(h, later.api_key).refusal('user.list')).code).toBe('invalid_api_key')
    expect((await h.call('team.list', {})).teams.map(team => team.name)).toEqual(['local', 'acme'])
  })

  it('ends faults, and a snapshot contains none', async () => {
    const h = await harness()
    await h.call('fault.add', { body: { effect: 'drop' } })
    await save(h, 'base')
    expect(await h.call('fault.list', {})).toMatchObject({ faults: [{ effect: 'drop' }] })
    await restore(h, 'base')
    expect(await h.call('fault.list', {})).toEqual({ faults: [] })
  })

  it('changes nothing if the snapshot does not exist, is damaged, or has a newer schema', async () => {
    const h = await harness()
    await create(h, 'ada')
    for (const name of ['cut', 'newer', 'other']) await save(h, name)
    const file = (name: string) => join(h.dataDir, 'snapshots', `${name}.db`)
    truncateSync(file('cut'), Math.floor(statSync(file('cut')).size / 2))
    const newer = new DatabaseSync(file('newer'))
    newer.exec('PRAGMA user_version=999')
    newer.close()
    const other = new DatabaseSync(file('other'))
    other.exec('ALTER TABLE user ADD COLUMN surprise TEXT')
    other.close()
    writeFileSync(join(h.dataDir, 'snapshots', 'text.db'), 'no database')
    await create(h, 'bob')
    const refused = async (name: string) => (await h.refusal('snapshot.restore', { params: { name } })).code
    expect(await refused('nobody')).toBe('not_found')
    for (const name of ['cut', 'newer', 'other', 'text'])
      expect([name, await refused(name)]).toEqual([name, 'conflict'])
    expect(await names(h)).toEqual(['ada', 'bob'])
    expect(await h.call('engine.status', {})).toMatchObject({ epoch: 0 })
    expect(readdirSync(h.engine.folder.scratch)).toEqual([])
  })

  it.each([1, 2, 3, 4])('accepts a copy of schema %d, migrates it, and leaves the file unchanged', async version => {
    const h = await harness()
    await save(h, 'none')
    const source = join(temporaryFolder(), 'svc.db')
    copyFileSync(join(import.meta.dirname, `../fixtures/data-folder-v${version}/svc.db`), source)
    const file = join(h.dataDir, 'snapshots', 'old.db')
    const old = new DatabaseSync(source)
    old.exec(`VACUUM INTO '${file}'`)
    old.close()
    const bytes = readFileSync(file)
    expect((await h.call('snapshot.list', {})).snapshots).toMatchObject([{}, { name: 'old', schema_version: version }])
    const { users_before, users_after } = await restore(h, 'old')
    expect(users_before).toBe(0)
    expect(users_after).toBeGreaterThan(0)
    // from another folder, with its own local team
    expect((await names(await harness(h.dataDir))).length).toBe(users_after)
    expect(await h.call('engine.check', {})).toMatchObject({ ok: true })
    expect(readFileSync(file).equals(bytes)).toBe(true)
    expect(readdirSync(join(h.dataDir, 'snapshots'))).toEqual(['none.db', 'old.db'])
    expect(readdirSync(h.engine.folder.scratch)).toEqual([])
  })

  it('waits for one in another process: each is complete', async () => {
    const h = await harness()
    const other = await harness(h.dataDir)
    await save(h, 'none')
    await create(h, 'ada')
    await save(h, 'one')
    const done = await Promise.all([
      restore(h, 'none'),
      restore(other, 'one'),
      restore(h, 'one'),
      restore(other, 'none'),
    ])
    expect(done.map(each => each.epoch).sort()).toEqual([1, 2, 3, 4])
    const last = done.find(each => each.epoch === 4)
    expect((await names(other)).length).toBe(last?.users_after)
    expect(await h.call('engine.check', {})).toMatchObject({ ok: true })
  })
})

describe('a reset', () => {
  it('leaves an empty store with its teams and keys, and no user data in the files', async () => {
    const h = await harness()
    const { api_key } = await newTeam(h, 'acme')
    const ada = await create(h, 'MARK-ada')
    await h.call('link.demo', { body: { user_id: ada, provider: 'oura' } })
    const gone = await create(h, 'MARK-gone')
    await h.call('user.delete', { params: { user_id: gone } })
    await h.call('fault.add', { body: { effect: 'cut' } })
    await h.call('clock.set', { body: { advance: '1d', freeze: true } })
    expect(await h.call('engine.reset', { body: { confirm: 'reset' } })).toEqual({
      users_before: 1,
      users_after: 0,
      epoch: 1,
      clock: new Date(NOON).toISOString().replace('.000Z', '+00:00'),
      frozen: false,
      scrubbed: true,
      not_revoked: 0,
    })
    expect(await h.call('engine.status', {})).toMatchObject({
      users: 0,
      deleted_users: 0,
      samples: 0,
      series: 0,
      events: 0,
      due_jobs: 0,
    })
    expect((await keyHolder(h, api_key).reply('user.list')).status).toBe(200)
    expect(await h.call('fault.list', {})).toEqual({ faults: [] })
    expect(await h.call('engine.check', {})).toMatchObject({ ok: true })
    expect((await h.call('audit.list', {})).entries[0]).toMatchObject({ operation: 'engine.reset', outcome: 'ok' })
    const files = readdirSync(h.dataDir).filter(name => name.startsWith('svc.db'))
    for (const name of files) expect(readFileSync(join(h.dataDir, name)).includes('MARK-')).toBe(false)
    // and it can be used
    expect(await create(h, 'MARK-ada')).not.toBe(ada)
  })

  it('keeps snapshots for a restore', async () => {
    const h = await harness()
    await create(h, 'ada')
    await save(h, 'base')
    await h.call('engine.reset', { body: { confirm: 'reset' } })
    expect(await names(h)).toEqual([])
    await restore(h, 'base')
    expect(await names(h)).toEqual(['ada'])
  })

  it('needs the confirmation word', async () => {
    const h = await harness()
    for (const body of [{}, { confirm: 'yes' }, undefined]) {
      expect((await h.refusal('engine.reset', { body: body as never })).status).toBe(422)
    }
  })
})
