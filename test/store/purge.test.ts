/** The end of a deletion: the data that a purge removes and keeps, and that no byte of the user is left in any file. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import type { TeamId, UserId } from '../../src/core/ids.ts'
import { seededRandom } from '../../src/core/random.ts'
import { SampleBatchBuilder } from '../../src/core/sample.ts'
import { DAY_MS } from '../../src/core/time.ts'
import type { DataWrite } from '../../src/store/data-write.ts'
import { openDataFolder } from '../../src/store/folder/data-folder.ts'
import type { Store } from '../../src/store/port.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import type { UserRecord } from '../../src/store/user.ts'
import { temporaryFolder } from '../kit/folder.ts'

const TEAM = '11111111-1111-4111-8111-111111111111' as TeamId
const START = Date.UTC(2026, 0, 1)
const DELETED_AT = START + 100 * DAY_MS
const DUE_AT = DELETED_AT + 7 * DAY_MS
/** No shorter code can represent it: a chunk stores it as the eight bytes of an f64. */
const SECRET_VALUE = 98.76543210123
const SECRET_BYTES = Buffer.from(new Float64Array([SECRET_VALUE]).buffer)

const stores: Store[] = []
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})

async function openStore(dataDir: string): Promise<Store> {
  const store = openSqliteStore({ folder: openDataFolder(dataDir), waitForLock: 'async' })
  stores.push(store)
  await store.teams.local(async () => ({
    teamId: TEAM,
    name: 'local',
    createdOn: 0,
    rejectDuplicateConnection: false,
  }))
  return store
}

const numberedId = (i: number): UserId => `${String(i * 7919).padStart(8, '0')}-2222-4222-8222-222222222222` as UserId

function person(i: number): UserRecord {
  const secret = `CANARY-${i}-`
  return {
    userId: numberedId(i),
    teamId: TEAM,
    clientUserId: `${secret}client`,
    createdOn: START,
    fallbackTimeZone: { value: 'Europe/Berlin', sourceSlug: `${secret}zone`, updatedAt: START },
    fallbackBirthDate: { value: `${secret}birth`, sourceSlug: 'manual', updatedAt: START },
    ingestionStart: null,
    ingestionEnd: null,
    deletedAt: null,
  }
}

/** Returns data of one user for every kind of row, larger and smaller ones. */
function buildData(i: number, round: number, random: () => number): DataWrite {
  const secret = `CANARY-${i}-`
  const at = START + Math.floor(random() * 40) * DAY_MS
  const heart = new SampleBatchBuilder({ resource: 'heartrate', type: null, provider: 'whoop', sourceType: 'watch' })
  const count = 1 + Math.floor(random() * random() * 400)
  for (let k = 0; k < count; k++) {
    heart.push({
      start: at + Math.floor(random() * DAY_MS),
      value: SECRET_VALUE + i,
      text: { device_id: `${secret}d` },
    })
  }
  const note = new SampleBatchBuilder({ resource: 'note', type: null, provider: 'manual', sourceType: 'manual' })
  note.push({ start: at + round, value: 0, text: { content: secret.repeat(1 + Math.floor(random() * 300)) } })
  return {
    at,
    teamId: TEAM,
    batches: [heart.take(), note.take()],
    summaries: [
      {
        kind: 'workouts',
        id: `${numberedId(i).slice(0, 13)}-${round}`,
        provider: 'whoop',
        sourceType: 'watch',
        appId: `${secret}app`,
        deviceId: null,
        at,
        date: '2026-01-01',
        offset: null,
        document: { title: secret.repeat(1 + Math.floor(random() * 100)) },
      },
    ],
    streams: [
      {
        workoutId: `${numberedId(i).slice(0, 13)}-${round}`,
        provider: 'whoop',
        sourceType: 'watch',
        at,
        offset: null,
        providerId: `${secret}workout`,
        sport: null,
        n: 2,
        time: Float64Array.of(at, at + 1000),
        columns: new Map([['lat', Float64Array.of(SECRET_VALUE + i, SECRET_VALUE + i)]]),
      },
    ],
    events: { kind: 'daily' },
    importing:
      round % 2 === 0
        ? {
            importId: `${numberedId(i)}-${round}`,
            format: 'csv',
            records: 1,
            skipped: [{ reason: secret, count: 1, places: [] }],
          }
        : null,
    connections: [
      { userId: numberedId(i), provider: 'whoop', createdOn: at, externalUserId: `${secret}account`, region: null },
    ],
    consumeToken: null,
  }
}

/** Writes users in turns, so that their rows are interleaved. */
async function crowd(store: Store, users: number, rounds: number, seed = 'crowd'): Promise<void> {
  const source = seededRandom(seed)
  const random = (): number => new DataView(source.bytes(4).buffer).getUint32(0) / 2 ** 32
  for (let i = 0; i < users; i++) await store.users.create(person(i))
  for (let round = 0; round < rounds; round++) {
    await Promise.all(
      Array.from({ length: users }, (_, i) => store.data.write(numberedId(i), buildData(i, round, random))),
    )
  }
  for (let i = 0; i < users; i++) {
    await store.links.addToken({
      userId: numberedId(i),
      teamId: TEAM,
      hash: `hash-${i}`,
      createdOn: START,
      redirectUrl: `https://app.example/CANARY-${i}-`,
      provider: null,
      filterOnProviders: null,
      onError: null,
      onClose: null,
      consumedAt: null,
      pending: null,
    })
  }
}

/** Writes and rewrites small and large summaries of all users in a random order. */
function churn(dataDir: string, users: number): void {
  const source = seededRandom('churn')
  const random = (): number => new DataView(source.bytes(4).buffer).getUint32(0) / 2 ** 32
  const raw = new DatabaseSync(join(dataDir, 'svc.db'))
  raw.exec('PRAGMA synchronous=OFF; PRAGMA secure_delete=ON; PRAGMA cache_size=-200000; BEGIN')
  const put = raw.prepare(
    `INSERT INTO summary (user_id, kind, id, provider, source_type, at, date, document, created_at, updated_at)
     VALUES (?,'sleep',?,'whoop','watch',0,?,?,0,0)
     ON CONFLICT (user_id, kind, id) DO UPDATE SET date=excluded.date, document=excluded.document`,
  )
  for (let k = 0; k < 5_000; k++) {
    const i = Math.floor(random() * users)
    const mark = `CANARY-${i}-`
    put.run(
      numberedId(i),
      `${mark}${Math.floor(random() * 60)}`,
      `2026-01-${10 + Math.floor(random() * 20)}`,
      mark.repeat(1 + Math.floor(random() * random() * 300)),
    )
  }
  raw.exec('COMMIT')
  raw.close()
}

const remove = (store: Store, i: number) => store.users.delete(TEAM, numberedId(i), DELETED_AT, DUE_AT)

/** Returns the files of the folder that contain a user's marks. */
function findTraces(dataDir: string, i: number): string[] {
  const value = Buffer.from(new Float64Array([SECRET_VALUE + i]).buffer)
  return readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).flatMap(name => {
    const path = join(dataDir, name)
    if (!statSync(path).isFile()) return []
    const bytes = readFileSync(path)
    return bytes.includes(`CANARY-${i}-`) || bytes.includes(value) ? [name] : []
  })
}

/** Counts the rows of the user in every table that has a column for it. */
function countRows(dataDir: string, userId: string): Record<string, number> {
  const db = new DatabaseSync(join(dataDir, 'svc.db'))
  const names = db
    .prepare(
      "SELECT s.name FROM sqlite_schema s JOIN pragma_table_info(s.name) c WHERE s.type='table' AND c.name='user_id'",
    )
    .all() as { name: string }[]
  const counts = names.map(({ name }) => {
    const row = db.prepare(`SELECT count(*) AS n FROM "${name}" WHERE user_id=?`).get(userId) as { n: number }
    return [name, row.n] as const
  })
  db.close()
  return Object.fromEntries(counts.filter(([, n]) => n > 0))
}

/** Returns due jobs, except for the removal of old events, which is also due by then. */
async function listDue(store: Store, now: number, userIds: readonly UserId[] | null = null) {
  const jobs = await store.jobs.due(now, userIds, 100)
  return jobs.filter(job => job.kind !== 'retention')
}

describe('a purge', () => {
  it('removes nothing before it is due, and then everything from every table', async () => {
    const dataDir = temporaryFolder()
    const store = await openStore(dataDir)
    await crowd(store, 3, 4)
    const before = countRows(dataDir, numberedId(1))
    await remove(store, 1)
    expect(await listDue(store, DUE_AT - 1)).toEqual([])
    expect(await store.users.purge(numberedId(1), DUE_AT - 1)).toBe(false)
    // connections, the name and link tokens are removed at once
    const { account: _a, connection: _c, directory: _d, link_token: _l, ...kept } = before
    expect(countRows(dataDir, numberedId(1))).toEqual({ ...kept, job: 2 })
    expect(Object.keys(kept).sort()).toEqual(
      ['chunk', 'device', 'import', 'import_before', 'job', 'outbox', 'series', 'stream', 'summary', 'user'].sort(),
    )

    expect(await listDue(store, DUE_AT)).toEqual([{ userId: numberedId(1), kind: 'purge', dueAt: DUE_AT }])
    expect(await listDue(store, DUE_AT, [numberedId(0)])).toEqual([])
    expect(await store.users.purge(numberedId(1), DUE_AT)).toBe(true)
    expect(countRows(dataDir, numberedId(1))).toEqual({ tombstone: 1 })
    expect(await store.users.purge(numberedId(1), DUE_AT)).toBe(false)
    expect((await store.users.list(TEAM, 0, 10)).total).toBe(2)
    expect(countRows(dataDir, numberedId(2))).toMatchObject({ user: 1, chunk: expect.any(Number) })
  })

  it('leaves no byte of the user in any file of the folder, and all data of other users', async () => {
    const dataDir = temporaryFolder()
    const store = await openStore(dataDir)
    const users = 8
    await crowd(store, users, 8)
    writeFileSync(join(dataDir, 'svc.db.schema-1-1700000000000'), 'CANARY-5-')
    const victims = [0, 5, 7]
    for (const i of victims) expect(findTraces(dataDir, i)).not.toEqual([])
    for (const i of victims) {
      await remove(store, i)
      expect(await store.users.purge(numberedId(i), DUE_AT)).toBe(true)
    }
    expect(await store.upkeep.scrub({ waitMs: 1000 })).toBe('clean')
    expect(victims.map(i => findTraces(dataDir, i))).toEqual(victims.map(() => []))
    expect(existsSync(join(dataDir, 'svc.db.schema-1-1700000000000'))).toBe(false)
    expect(readFileSync(join(dataDir, 'svc.db')).includes(SECRET_BYTES)).toBe(false)
    expect(await listDue(store, DUE_AT)).toEqual([])
    for (let i = 0; i < users; i++) if (!victims.includes(i)) expect(findTraces(dataDir, i)).toContain('svc.db')
    for await (const problem of store.upkeep.check()) expect(problem).toBeUndefined()
  })

  it('leaves no remains of rows that moved when pages were balanced', async () => {
    const dataDir = temporaryFolder()
    const store = await openStore(dataDir)
    const users = 40
    for (let i = 0; i < users; i++) await store.users.create(person(i))
    churn(dataDir, users)
    for (const i of [3, 17, 31]) {
      await remove(store, i)
      await store.users.purge(numberedId(i), DUE_AT)
    }
    const raw = new DatabaseSync(join(dataDir, 'svc.db'))
    raw.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()
    raw.close()
    // otherwise this test would prove nothing: deleting alone, with secure_delete, does leave some
    expect([3, 17, 31].flatMap(i => findTraces(dataDir, i))).not.toEqual([])
    expect(await store.upkeep.scrub({ waitMs: 3000 })).toBe('clean')
    expect([3, 17, 31].flatMap(i => findTraces(dataDir, i))).toEqual([])
  })

  it('stays due while a reader keeps an older state, and is completed when the reader is gone', async () => {
    const dataDir = temporaryFolder()
    const store = await openStore(dataDir)
    await crowd(store, 3, 3)
    const reader = new DatabaseSync(join(dataDir, 'svc.db'))
    reader.exec('BEGIN')
    expect(reader.prepare('SELECT count(*) AS n FROM user').get()).toMatchObject({ n: 3 })
    await remove(store, 1)
    expect(await store.users.purge(numberedId(1), DUE_AT)).toBe(true)
    const walBefore = statSync(join(dataDir, 'svc.db-wal')).size
    expect(await store.upkeep.scrub({ waitMs: 120 })).toBe('blocked')
    // the file was not rebuilt into the WAL of a reader that may stay for long
    expect(statSync(join(dataDir, 'svc.db-wal')).size).toBeLessThan(walBefore + 100_000)
    expect(await listDue(store, DUE_AT)).toMatchObject([{ userId: null, kind: 'scrub' }])
    expect(findTraces(dataDir, 1)).not.toEqual([])
    reader.exec('COMMIT')
    reader.close()
    expect(await store.upkeep.scrub({ waitMs: 1000 })).toBe('clean')
    expect(findTraces(dataDir, 1)).toEqual([])
  })

  it('waits for a reader that ends in time', async () => {
    const dataDir = temporaryFolder()
    const store = await openStore(dataDir)
    await crowd(store, 2, 2)
    const reader = new DatabaseSync(join(dataDir, 'svc.db'))
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) AS n FROM user').get()
    await remove(store, 1)
    await store.users.purge(numberedId(1), DUE_AT)
    setTimeout(() => reader.exec('COMMIT'), 150)
    expect(await store.upkeep.scrub({ waitMs: 3000 })).toBe('clean')
    expect(findTraces(dataDir, 1)).toEqual([])
  })

  it('that was interrupted continues where it stopped, and the user cannot be restored meanwhile', async () => {
    const dataDir = temporaryFolder()
    const store = await openStore(dataDir)
    await crowd(store, 2, 3)
    await remove(store, 1)
    const controller = new AbortController()
    controller.abort(new Error('stopped'))
    await expect(store.users.purge(numberedId(1), DUE_AT, controller.signal)).rejects.toThrow('stopped')
    expect(countRows(dataDir, numberedId(1))).toMatchObject({ chunk: expect.any(Number), job: 2, tombstone: 1 })
    // the clock was set back: a half-removed user cannot return
    expect(await store.users.undoDelete(TEAM, numberedId(1), DELETED_AT - DAY_MS, DELETED_AT)).toBe('expired')
    expect(await store.users.find(TEAM, numberedId(1))).toBeNull()
    expect(await store.users.purge(numberedId(1), DUE_AT)).toBe(true)
    expect(countRows(dataDir, numberedId(1))).toEqual({ tombstone: 1 })
  })

  it('does nothing for a user that was restored', async () => {
    const dataDir = temporaryFolder()
    const store = await openStore(dataDir)
    await crowd(store, 2, 2)
    await remove(store, 1)
    expect(await store.users.undoDelete(TEAM, numberedId(1), DELETED_AT - DAY_MS, DELETED_AT)).toBe('restored')
    expect(await listDue(store, DUE_AT)).toEqual([])
    expect(await store.users.purge(numberedId(1), DUE_AT)).toBe(false)
    expect(await store.users.find(TEAM, numberedId(1))).toMatchObject({ deletedAt: null })
  })

  it('runs once when two handles run it, and one cleans up after both', async () => {
    const dataDir = temporaryFolder()
    const one = await openStore(dataDir)
    const two = await openStore(dataDir)
    await crowd(one, 6, 6)
    for (const i of [1, 2, 3]) await remove(one, i)
    const done = await Promise.all(
      [1, 2, 3].flatMap(i => [one.users.purge(numberedId(i), DUE_AT), two.users.purge(numberedId(i), DUE_AT)]),
    )
    expect(done.filter(Boolean)).toHaveLength(3)
    expect(await Promise.all([one.upkeep.scrub({ waitMs: 3000 }), two.upkeep.scrub({ waitMs: 3000 })])).toEqual([
      'clean',
      'clean',
    ])
    expect([1, 2, 3].flatMap(i => findTraces(dataDir, i))).toEqual([])
    expect(await listDue(one, DUE_AT)).toEqual([])
  })

  it('keeps enough data to say why a deletion cannot be undone, and who had a name last', async () => {
    const dataDir = temporaryFolder()
    const store = await openStore(dataDir)
    await store.users.create(person(1))
    await remove(store, 1)
    await store.users.purge(numberedId(1), DUE_AT)
    expect(await store.users.latestDeletion(TEAM, 'CANARY-1-client')).toBe(numberedId(1))
    expect(await store.users.latestDeletion(TEAM, 'CANARY-2-client')).toBeNull()
    expect(await store.users.undoDelete(TEAM, numberedId(1), 0, 1)).toBe('expired')
    expect(await store.users.undoDelete(TEAM, numberedId(2), 0, 1)).toBe('unknown')
    // a later deletion under the same name takes precedence
    await store.users.create({ ...person(2), clientUserId: 'CANARY-1-client' })
    await store.users.delete(TEAM, numberedId(2), DELETED_AT + 1, DUE_AT + 1)
    expect(await store.users.latestDeletion(TEAM, 'CANARY-1-client')).toBe(numberedId(2))
  })
})
