/** The check finds damage, reports its position without a value, and finds no problem in an intact store. */
import { closeSync, cpSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { TeamId, UserId } from '../../src/core/ids.ts'
import { SampleBatchBuilder, type SampleInput } from '../../src/core/sample.ts'
import { DAY_MS } from '../../src/core/time.ts'
import { openDataFolder } from '../../src/store/folder/data-folder.ts'
import type { Store } from '../../src/store/port.ts'
import { openSqliteStore } from '../../src/store/sqlite/store.ts'
import type { CheckProgress, StoreProblem } from '../../src/store/upkeep.ts'
import { temporaryFolder } from '../kit/folder.ts'

const TEAM = '11111111-1111-4111-8111-111111111111' as TeamId
const USER = '22222222-2222-4222-8222-222222222222' as UserId
const START = Date.UTC(2026, 0, 1)
const VALUE = 61.25

/** An intact store, made once and copied for each test. */
let whole = ''

beforeAll(async () => {
  whole = temporaryFolder()
  const store = openSqliteStore({ folder: openDataFolder(whole), waitForLock: 'blocking' })
  await store.teams.local(async () => ({ teamId: TEAM, name: 'local', createdOn: 0, rejectDuplicateConnection: false }))
  await store.users.create({
    userId: USER,
    teamId: TEAM,
    clientUserId: 'ada',
    createdOn: 0,
    fallbackTimeZone: null,
    fallbackBirthDate: null,
    ingestionStart: null,
    ingestionEnd: null,
    deletedAt: null,
  })
  const batch = (resource: string, samples: readonly SampleInput[]) => {
    const builder = new SampleBatchBuilder({ resource, type: null, provider: 'whoop', sourceType: 'watch' })
    for (const sample of samples) builder.push(sample)
    return builder.take()
  }
  const heart = Array.from({ length: 2_000 }, (_, i) => ({
    start: START + i * 120_000 + (i % 7),
    value: VALUE + (i % 9),
  }))
  // dense enough for two windows in one day
  const dense = Array.from({ length: 9_000 }, (_, i) => ({ start: START + i * 9_600, value: i % 60 }))
  const steps = Array.from({ length: 50 }, (_, i) => ({
    start: START + i * DAY_MS,
    end: START + i * DAY_MS + 60_000,
    value: i,
    text: { app_id: `app ${i % 3}` },
  }))
  await store.data.write(USER, {
    at: START,
    teamId: TEAM,
    batches: [batch('heartrate', heart), batch('respiratory_rate', dense), batch('steps', steps)],
    summaries: [
      {
        kind: 'workouts',
        id: 'workout-1',
        provider: 'whoop',
        sourceType: 'watch',
        appId: null,
        deviceId: null,
        at: START,
        date: '2026-01-01',
        offset: 0,
        document: { title: 'a run' },
      },
    ],
    streams: [
      {
        workoutId: 'workout-1',
        provider: 'whoop',
        sourceType: 'watch',
        at: START,
        offset: null,
        providerId: 'x',
        sport: null,
        n: 3,
        time: Float64Array.of(START, START + 1_000, START + 2_500),
        columns: new Map([['heartrate', Float64Array.of(60, 61, 62)]]),
      },
    ],
    events: { kind: 'daily' },
    importing: { importId: 'import-1', format: 'csv', records: 3, skipped: [] },
    connections: [],
    consumeToken: null,
  })
  await store.close()
})

const opened: Store[] = []
const folders = new Map<Store, string>()
const storeFolder = (store: Store): string => folders.get(store) ?? ''
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close()
})

/** Returns a copy of the intact store that was changed directly before it is opened. */
function storeAfter(damage: (path: string) => void): Store {
  const dataDir = temporaryFolder()
  cpSync(whole, dataDir, { recursive: true })
  damage(join(dataDir, 'svc.db'))
  const store = openSqliteStore({ folder: openDataFolder(dataDir), waitForLock: 'blocking' })
  opened.push(store)
  folders.set(store, dataDir)
  return store
}

async function findProblems(store: Store): Promise<StoreProblem[]> {
  const found: StoreProblem[] = []
  for await (const problem of store.upkeep.check()) found.push(problem)
  return found
}

/** Returns the problems of rows without checksums, as they were stored before there were any. */
function problemsAfter(sql: string): Promise<StoreProblem[]> {
  const old = ['chunk', 'summary', 'stream', 'outbox', 'import', 'series', 'user'].map(
    table => `UPDATE ${table} SET checksum=NULL`,
  )
  const more = ['UPDATE chunk SET data_checksum=NULL', 'UPDATE user SET counters_checksum=NULL']
  const noted = "INSERT INTO setting (name, value) VALUES ('unchecked_rows', 1)"
  const all = ['PRAGMA foreign_keys=OFF', sql, ...old, ...more, noted].join('; ')
  return findProblems(storeAfter(path => run(path, all)))
}

function run(path: string, sql: string): void {
  const raw = new DatabaseSync(path)
  // a change of the schema is how a test gets a row that the schema forbids
  raw.enableDefensive(false)
  raw.exec(sql)
  raw.close()
}

/** Returns a blob with one byte changed, counted from its start. */
const flip = (at: number, where: string): string =>
  `UPDATE chunk SET data=CAST(substr(data,1,${at}) || x'ff' || substr(data,${at + 2}) AS BLOB) WHERE ${where}`
const HEART = `series_id=(SELECT series_id FROM series WHERE resource='heartrate') AND chunk_start=${START}`
const DENSE = `series_id=(SELECT series_id FROM series WHERE resource='respiratory_rate')`
/** In the blob of a regular step, only values follow the 32 bytes of head and step. */
const VALUES_AT = 40

describe('a check', () => {
  it('finds no problem in an intact store, and reports its progress', async () => {
    const store = storeAfter(() => {})
    const seen: CheckProgress[] = []
    for await (const problem of store.upkeep.check(progress => seen.push(progress))) expect(problem).toBeUndefined()
    const last = seen.at(-1) as CheckProgress
    expect(last).toMatchObject({ samples: 11_050, doneBytes: last.totalBytes })
    expect(last.totalBytes).toBe((await store.upkeep.statistics()).chunkBytes)
  })

  it('finds a changed byte among a chunk’s values', async () => {
    const found = await problemsAfter(flip(VALUES_AT, `${DENSE} AND chunk_start=${START}`))
    expect(found.length).toBeGreaterThan(0)
    expect(found).toEqual(found.map(() => expect.objectContaining({ what: 'chunk', userId: USER })))
    expect(found.map(each => each.message).join()).toContain('differs from that of its samples')
  })

  it('finds a changed byte in a chunk’s head, even in both counts', async () => {
    const undecodable = [{ what: 'chunk', message: expect.stringContaining('cannot be decoded') }]
    expect(await problemsAfter(flip(10, HEART))).toMatchObject(undecodable)
    const both = `${flip(10, HEART)}; UPDATE chunk SET n=65536*255+n WHERE ${HEART}`
    expect(await problemsAfter(both)).toMatchObject(undecodable)
  })

  it('finds a chunk whose data is missing', async () => {
    const nullable = "UPDATE sqlite_schema SET sql=replace(sql, 'data BLOB NOT NULL', 'data BLOB') WHERE name='chunk'"
    const change = `PRAGMA writable_schema=ON; ${nullable}; PRAGMA writable_schema=RESET; UPDATE chunk SET data=NULL WHERE ${HEART}`
    const found = await problemsAfter(change)
    expect(found.map(each => each.message).join()).toContain('cannot be decoded')
  })

  it.each(['n', 'first', 'last', 'min', 'max', 'sum'])('finds a changed %s next to a chunk', async column => {
    const [problem, ...others] = await problemsAfter(`UPDATE chunk SET ${column}=${column}+1 WHERE ${HEART}`)
    expect(others).toEqual([])
    expect(problem?.message).toMatch(column === 'n' ? /cannot be decoded/ : new RegExp(`the ${column} stored with it`))
    // a message contains no value
    expect(problem?.message).not.toContain(String(VALUE))
  })

  it.each([
    ['a shorter blob', `UPDATE chunk SET data=substr(data,1,length(data)-100) WHERE ${HEART}`, /cannot be decoded/],
    ['a window of no length', `UPDATE chunk SET span=1234 WHERE ${HEART}`, /divided/],
    ['a window at a wrong place', `UPDATE chunk SET chunk_start=chunk_start+5 WHERE ${HEART}`, /where a window begins/],
    [
      'windows of two lengths in a day',
      `UPDATE chunk SET span=21600000 WHERE ${DENSE} AND chunk_start=${START}`,
      /two lengths/,
    ],
    ['a series that is gone', `DELETE FROM series WHERE resource='heartrate'`, /no such series/],
    ['a resource that is none', `UPDATE series SET resource='mood' WHERE resource='steps'`, /catalogue/],
    ['an event that is missing', 'DELETE FROM outbox WHERE sequence=2', /missing/],
    ['a first event that is missing', 'DELETE FROM outbox WHERE sequence=1', /missing/],
    [
      'a delivery of an event that is gone',
      `INSERT INTO delivery (user_id, sequence, endpoint_id, team_id, state, due_at) VALUES ('${USER}', 99, 'e', '${TEAM}', 'waiting', 1)`,
      /delivery of event 99 .*no such event/,
    ],
    [
      'a delivery in no state',
      `INSERT INTO delivery (user_id, sequence, endpoint_id, team_id, state, due_at) VALUES ('${USER}', 1, 'e', '${TEAM}', 'lost', 1)`,
      /no such state/,
    ],
    ['an event without its samples', 'UPDATE outbox SET data=NULL WHERE sequence=1', /cannot be decoded/],
    ['a counter behind its events', 'UPDATE user SET event_sequence=event_sequence+1', /last event/],
    ['a summary that is no JSON', `UPDATE summary SET document='{'`, /document/],
    ['a summary of no kind', `UPDATE summary SET kind='mood'`, /kind/],
    ['a summary of no day', `UPDATE summary SET date='2026-02-30'`, /date/],
    ['a stream that is cut off', 'UPDATE stream SET data=substr(data,1,30)', /cannot be decoded/],
    ['an import without a report', `UPDATE import SET report=''`, /report/],
    ['a counter of users', 'UPDATE team SET user_count=7', /number of users/],
    ['a name without a user', `UPDATE directory SET client_user_id='x'`, /directory/],
    ['rows without a user', 'DELETE FROM user', /do not belong to any user/],
    [
      'a deletion that never ends',
      'UPDATE user SET deleted_at=1; DELETE FROM directory; UPDATE team SET user_count=0',
      /purge/,
    ],
  ])('finds %s', async (_name, sql, says) => {
    const messages = (await problemsAfter(sql)).map(each => each.message)
    expect(messages.join('\n')).toMatch(says)
  })

  it('finds a damaged page of the file, and continues', async () => {
    const store = storeAfter(path => {
      run(path, `UPDATE summary SET document='{'; PRAGMA wal_checkpoint(TRUNCATE)`)
      const raw = new DatabaseSync(path)
      const { rootpage } = raw.prepare(`SELECT rootpage FROM sqlite_schema WHERE name='import_before_key'`).get() as {
        rootpage: number
      }
      raw.close()
      const file = openSync(path, 'r+')
      writeSync(file, Buffer.alloc(4096, 0xee), 0, 4096, (rootpage - 1) * 8192)
      closeSync(file)
    })
    const found = await findProblems(store)
    expect(found).toContainEqual(expect.objectContaining({ what: 'database' }))
    expect(found).toContainEqual(expect.objectContaining({ what: 'summary' }))
  })
})

describe('checksums', () => {
  it.each([
    ['a value of a chunk', flip(VALUES_AT, HEART), 'chunk', 'the chunk of series 1 at 2026-01-01T00:00:00+00:00'],
    [
      'a figure beside it',
      `UPDATE chunk SET rev=rev+1 WHERE ${HEART}`,
      'chunk',
      'the chunk of series 1 at 2026-01-01T00:00:00+00:00',
    ],
    [
      'a text of a summary',
      `UPDATE summary SET provider='oura'`,
      'summary',
      'the workouts summary workout-1 of 2026-01-01',
    ],
    ['the name in an event', `UPDATE outbox SET client_user_id='eve' WHERE sequence=1`, 'outbox', 'event 1'],
    ['a stream', 'UPDATE stream SET n=n+1', 'stream', 'the stream of workout'],
    ['a series', `UPDATE series SET provider='oura' WHERE series_id=1`, 'series', 'series 1'],
    ['a user', `UPDATE user SET created_on=1`, 'user', 'the row'],
    ['a counter', 'UPDATE user SET event_floor=1', 'user', 'the event counters'],
    ['a checksum itself', 'UPDATE stream SET checksum=NULL', 'stream', 'the stream of workout'],
  ])('reveal a change of %s', async (_name, sql, what, message) => {
    const found = await findProblems(storeAfter(path => run(path, sql)))
    const own = found.filter(each => each.message.endsWith('it differs from the data that was written'))
    expect(own).toEqual([{ what, userId: USER, message: expect.stringContaining(message) }])
  })

  it('that do not match are reported with the position and the remedy, and never with the content', async () => {
    const store = storeAfter(path =>
      run(path, `${flip(VALUES_AT, HEART)}; UPDATE summary SET document='{"note": "a secret'`),
    )
    const query = { resource: 'heartrate', provider: null, from: START, to: START + DAY_MS }
    const refusal = await store.samples.page(USER, query, null, 10).catch((error: unknown) => error)
    expect(refusal).toMatchObject({
      code: 'data_damaged',
      exitCode: 2,
      status: 500,
      message: `Stored data is damaged: samples of heartrate on 2026-01-01 of user ${USER}.`,
      suggestions: expect.arrayContaining([expect.stringContaining('svc engine check')]),
    })
    const summaries = { kind: 'workouts', fromDate: '2000-01-01', toDate: '2100-01-01', provider: null } as const
    const other = await store.summaries.list(USER, summaries).catch((error: unknown) => error)
    expect(other).toMatchObject({ code: 'data_damaged' })
    expect(JSON.stringify([other, (other as Error).message, (other as Error).cause])).not.toContain('secret')
  })

  it('are added once to rows without one, and required from then on', async () => {
    const store = storeAfter(path =>
      run(
        path,
        `UPDATE chunk SET checksum=NULL, data_checksum=NULL; UPDATE summary SET checksum=NULL; UPDATE stream SET checksum=NULL;
         UPDATE stream SET data=substr(data,1,30); INSERT INTO setting (name, value) VALUES ('unchecked_rows', 1)`,
      ),
    )
    const rewritten = async (): Promise<number> => {
      let sum = 0
      for await (const rows of store.upkeep.rewriteUnchecked()) sum += rows
      return sum
    }
    const { chunks, summaries } = await store.upkeep.statistics()
    // the stream is damaged: a checksum would make it look intact
    expect(await rewritten()).toBe(chunks + summaries)
    expect(await rewritten()).toBe(0)
    const count = (sql: string): unknown => {
      const raw = new DatabaseSync(join(storeFolder(store), 'svc.db'))
      const row = raw.prepare(sql).get() as { n: number }
      raw.close()
      return row.n
    }
    expect(count('SELECT count(*) AS n FROM chunk WHERE checksum IS NULL OR data_checksum IS NULL')).toBe(0)
    expect(count("SELECT count(*) AS n FROM setting WHERE name='unchecked_rows'")).toBe(1)
    run(join(storeFolder(store), 'svc.db'), 'DELETE FROM stream')
    // consecutive reads share a snapshot, in which the stream still exists
    await new Promise(setImmediate)
    expect(await rewritten()).toBe(0)
    expect(count("SELECT count(*) AS n FROM setting WHERE name='unchecked_rows'")).toBe(0)
    run(join(storeFolder(store), 'svc.db'), 'UPDATE chunk SET data_checksum=NULL')
    const query = { resource: 'heartrate', provider: null, from: START, to: START + DAY_MS }
    await expect(store.samples.page(USER, query, null, 10)).rejects.toMatchObject({ code: 'data_damaged' })
  })
})

describe('statistics', () => {
  it('count the stored data', async () => {
    const store = storeAfter(() => {})
    const figures = await store.upkeep.statistics()
    expect(figures).toMatchObject({
      users: 1,
      deletedUsers: 0,
      series: 5,
      samples: 11_050,
      summaries: 1,
      streams: 1,
      schemaVersion: 14,
    })
    expect(figures.chunkBytes).toBeGreaterThan(11_050)
    expect(figures.files?.fileBytes).toBeGreaterThan(8192)
    await store.users.delete(TEAM, USER, START, START + 7 * DAY_MS)
    const after = await store.upkeep.statistics()
    expect(after).toMatchObject({ users: 0, deletedUsers: 1, samples: 11_050 })
    expect(after.files?.walBytes).toBeGreaterThan(0)
  })
})
