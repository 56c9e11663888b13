/** Imports in the store: spooled in memory or in a file with the same result, stored with the data that they replaced, and undone. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { SummaryRecord } from '../../src/core/sample.ts'
import type { StreamRecord } from '../../src/core/stream.ts'
import type { SpooledData } from '../../src/store/data-write.ts'
import { ImportSpool } from '../../src/store/imports/spool.ts'
import type { Store } from '../../src/store/port.ts'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { buildBatch, storeWithUser, TEAM, USER, writing } from './user-store.ts'

const START = Date.UTC(2026, 0, 1)
const HEART = { resource: 'heartrate', type: null, provider: 'garmin', sourceType: 'watch' }
const WORKOUT = '22222222-2222-8222-8222-000000000001'

const workout = (calories: number): SummaryRecord => ({
  kind: 'workouts',
  id: WORKOUT,
  provider: 'garmin',
  sourceType: 'watch',
  appId: null,
  deviceId: null,
  at: START,
  date: '2026-01-01',
  offset: null,
  document: { calories },
})
const stream = (beats: readonly number[]): StreamRecord => ({
  workoutId: WORKOUT,
  provider: 'garmin',
  sourceType: 'watch',
  at: START,
  offset: null,
  providerId: 'p1',
  sport: { id: 1, name: 'Running', slug: 'running' },
  n: beats.length,
  time: Float64Array.from(beats, (_, i) => START + i * 1000),
  columns: new Map([['heartrate', Float64Array.from(beats)]]),
})
const data = (beats: readonly number[], calories: number): SpooledData => ({
  batches: [
    buildBatch(
      HEART,
      beats.map((value, i) => ({ start: START + i * 1000, value, text: { workout_id: WORKOUT } })),
    ),
  ],
  summaries: [workout(calories)],
  streams: [stream(beats)],
})

const importing = (n: number) => ({
  importId: `22222222-2222-8222-8222-00000000000${n}`,
  format: 'fit',
  records: 7,
  skipped: [{ reason: 'points without a time', count: 2, places: ['line 3'] }],
})
const CONNECTION = { userId: USER, provider: 'garmin', createdOn: START, externalUserId: null, region: null }

async function bring(store: Store, n: number, given: SpooledData) {
  const spool = await store.data.openSpool()
  await spool.add(given)
  expect(await spool.providers()).toEqual(['garmin'])
  const context = writing([], { at: START + n, connections: [CONNECTION], importing: importing(n) })
  return spool.merge(USER, context)
}

const readHeartRates = async (store: Store) => {
  const { slices } = await store.samples.page(
    USER,
    { resource: 'heartrate', provider: null, from: 0, to: START * 2 },
    null,
    100,
  )
  return [...(slices[0]?.columns.value ?? [])]
}

describe('an import', () => {
  it('is listed with its report, newest first', async () => {
    const store = await storeWithUser()
    await bring(store, 1, data([60, 61], 100))
    await bring(store, 2, data([60, 62], 100))
    const kept = await store.imports.list(TEAM, null, { limit: 10, after: null })
    expect(kept.map(each => [each.importId.at(-1), each.at, each.format, each.records, each.undoneAt])).toEqual([
      ['2', START + 2, 'fit', 7, null],
      ['1', START + 1, 'fit', 7, null],
    ])
    expect(kept[1]?.report).toEqual({
      stored: { heartrate: { samples: 2, replaced: 0, unchanged: 0 } },
      summaries: { workouts: { created: 1, updated: 0, unchanged: 0 } },
      streams: { created: 1, updated: 0, unchanged: 0 },
    })
    expect(kept[0]?.report).toMatchObject({
      stored: { heartrate: { samples: 2, replaced: 1, unchanged: 1 } },
      summaries: { workouts: { unchanged: 1 } },
      streams: { updated: 1 },
    })
    expect(kept[0]?.skipped).toEqual([{ reason: 'points without a time', count: 2, places: ['line 3'] }])
    await store.close()
  })

  it('restores samples, summaries and streams when undone, with the matching events', async () => {
    const store = await storeWithUser()
    await bring(store, 1, data([60, 61], 100))
    await bring(store, 2, data([70, 61, 63], 200))
    const sequence = (await store.events.ofUser(USER, 0, 100)).at(-1)?.sequence ?? 0
    expect(await store.imports.undo(USER, importing(2).importId, START + 3)).toEqual({
      kind: 'undone',
      report: {
        removed: { heartrate: 1 },
        restored: { heartrate: 1, workouts: 1, workout_stream: 1 },
        kept: {},
      },
    })
    expect(await readHeartRates(store)).toEqual([60, 61])
    expect((await store.summaries.find(USER, 'workouts', WORKOUT))?.document).toEqual({ calories: 100 })
    const points = await store.streams.find(USER, WORKOUT)
    expect([...(points?.columns.get('heartrate') ?? [])]).toEqual([60, 61])
    expect((await store.events.ofUser(USER, sequence, 100)).map(each => each.type)).toEqual([
      'daily.data.heartrate.updated',
      'daily.data.workouts.updated',
      'daily.data.workout_stream.updated',
      // one sample has no earlier value
      'user.data.deleted',
    ])
    expect(await store.imports.undo(USER, importing(2).importId, START + 4)).toEqual({
      kind: 'undone_before',
      at: START + 3,
    })
    await store.close()
  })

  it('that was the first of its provider removes the connection when undone, unless an account was linked', async () => {
    const store = await storeWithUser()
    await bring(store, 1, data([60], 100))
    expect((await store.connections.ofUsers([USER])).get(USER)?.length).toBe(1)
    const outcome = await store.imports.undo(USER, importing(1).importId, START + 2)
    expect(outcome).toMatchObject({ report: { removed: { heartrate: 1, workouts: 1, workout_stream: 1 } } })
    expect(await readHeartRates(store)).toEqual([])
    expect((await store.connections.ofUsers([USER])).get(USER)).toEqual([])

    await bring(store, 2, data([60], 100))
    await store.data.write(USER, writing([], { connections: [{ ...CONNECTION, externalUserId: 'someone' }] }))
    await store.imports.undo(USER, importing(2).importId, START + 9)
    expect((await store.connections.ofUsers([USER])).get(USER)?.length).toBe(1)
    await store.close()
  })

  it('keeps later changes when undone, and counts them', async () => {
    const store = await storeWithUser()
    await bring(store, 1, data([60, 61], 100))
    await store.data.write(USER, writing([buildBatch(HEART, [{ start: START, value: 99 }])], { at: START + 5 }))
    await store.data.write(USER, writing([], { at: START + 5, summaries: [workout(500)], streams: [stream([1])] }))
    expect(await store.imports.undo(USER, importing(1).importId, START + 6)).toMatchObject({
      report: { removed: { heartrate: 1 }, kept: { heartrate: 1, workouts: 1, workout_stream: 1 } },
    })
    expect(await readHeartRates(store)).toEqual([99])
    await store.close()
  })

  it.each<[string, SummaryRecord['document'], 'updated' | 'unchanged']>([
    ['leaves out a field that was null', { calories: 4, map: { polyline: 'a' } }, 'unchanged'],
    ['has the fields in another order', { map: { polyline: 'a', summary_polyline: null }, calories: 4 }, 'unchanged'],
    ['states a field that was null', { calories: 4, steps: 9, map: { polyline: 'a' } }, 'updated'],
    ['leaves out a field that had a value', { map: { polyline: 'a' } }, 'updated'],
  ])('of a summary that %s', async (_, document, outcome) => {
    const store = await storeWithUser()
    const written = { calories: 4, steps: null, map: { polyline: 'a', summary_polyline: null } }
    const import1 = { batches: [], summaries: [{ ...workout(4), document: written }], streams: [] }
    await bring(store, 1, import1)
    const report = await bring(store, 2, { ...import1, summaries: [{ ...workout(4), document }] })
    expect(report.summaries['workouts']).toMatchObject({ [outcome]: 1 })
    const kept = (await store.summaries.find(USER, 'workouts', WORKOUT))?.document
    expect(kept).toEqual(outcome === 'updated' ? document : written)
    await store.close()
  })

  it('with an unknown ID does not exist', async () => {
    const store = await storeWithUser()
    expect(await store.imports.undo(USER, importing(1).importId, START)).toEqual({ kind: 'unknown' })
    await store.close()
  })

  it('can be previewed without writing anything', async () => {
    const store = await storeWithUser()
    const spool = await store.data.openSpool()
    await spool.add(data([60, 61, 62], 100))
    expect(await spool.preview(USER)).toEqual({
      stored: { heartrate: { samples: 3, replaced: 0, unchanged: 0 } },
      summaries: { workouts: { created: 1, updated: 0, unchanged: 0 } },
      streams: { created: 1, updated: 0, unchanged: 0 },
    })
    expect(await readHeartRates(store)).toEqual([])
    expect(await store.events.ofUser(USER, 0, 10)).toEqual([])
    expect(await store.imports.list(TEAM, USER, { limit: 10, after: null })).toEqual([])
    await store.close()
  })

  it.each([
    ['in memory', 1e9],
    ['in a scratch file', 5],
  ])('larger than one batch has the same result %s, and leaves no file behind', async (_, mostInMemory) => {
    const dataDir = temporaryFolder()
    const store = await storeWithUser(dataDir)
    const scratch = join(dataDir, 'scratch')
    const target = new SqliteDatabase({ path: join(dataDir, 'svc.db'), waitForLock: 'blocking', durable: true })
    const once = async () => {
      const spool = new ImportSpool(target, scratch, mostInMemory)
      for (const beats of [
        [60, 61, 62],
        [70, 61],
        [70, 61, 62, 63],
      ]) {
        await spool.add(data(beats, beats.length))
      }
      return spool.merge(USER, writing([]))
    }
    expect(await once()).toEqual({
      stored: { heartrate: { samples: 9, replaced: 1, unchanged: 4 } },
      summaries: { workouts: { created: 1, updated: 0, unchanged: 0 } },
      streams: { created: 1, updated: 0, unchanged: 0 },
    })
    expect(await once()).toEqual({
      stored: { heartrate: { samples: 9, replaced: 0, unchanged: 9 } },
      summaries: { workouts: { created: 0, updated: 0, unchanged: 1 } },
      streams: { created: 0, updated: 0, unchanged: 1 },
    })
    expect(await readHeartRates(store)).toEqual([70, 61, 62, 63])
    expect((await store.summaries.find(USER, 'workouts', WORKOUT))?.document).toEqual({ calories: 4 })
    expect(readdirSync(scratch)).toEqual([])
    target.close()
    await store.close()
  })
})
