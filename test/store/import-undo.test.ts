/** Imports that are undone in any order, and after their data was changed in other ways. */
import { describe, expect, it } from 'vitest'
import type { SummaryRecord } from '../../src/core/sample.ts'
import type { StreamRecord } from '../../src/core/stream.ts'
import type { SpooledData } from '../../src/store/data-write.ts'
import type { Store } from '../../src/store/port.ts'
import { buildBatch, storeWithUser, USER, writing } from './user-store.ts'

const START = Date.UTC(2026, 0, 1)
const HEART = { resource: 'heartrate', type: null, provider: 'garmin', sourceType: 'watch' }
const WORKOUT = '22222222-2222-8222-8222-000000000001'
const SPORT = { id: 1, name: 'Running', slug: 'running' }
const ALL = { resource: 'heartrate', provider: null, from: 0, to: START * 2 }

const workout = (calories: number, date = '2026-01-01'): SummaryRecord => ({
  kind: 'workouts',
  id: WORKOUT,
  provider: 'garmin',
  sourceType: 'watch',
  appId: null,
  deviceId: null,
  at: Date.parse(date),
  date,
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
  sport: SPORT,
  n: beats.length,
  time: Float64Array.from(beats, (_, i) => START + i * 1000),
  columns: new Map([['heartrate', Float64Array.from(beats)]]),
})
const batch = (beats: readonly number[]) =>
  buildBatch(
    HEART,
    beats.map((value, i) => ({ start: START + i * 1000, value })),
  )
const data = (beats: readonly number[], calories: number): SpooledData => ({
  batches: [batch(beats)],
  summaries: [workout(calories)],
  streams: [stream(beats)],
})

const numberedId = (n: number): string => `22222222-2222-8222-8222-00000000000${n}`
const CONNECTION = { userId: USER, provider: 'garmin', createdOn: START, externalUserId: null, region: null }

async function bring(store: Store, n: number, given: SpooledData, at = START + n): Promise<void> {
  const spool = await store.data.openSpool()
  await spool.add(given)
  const importing = { importId: numberedId(n), format: 'fit', records: 7, skipped: [] }
  await spool.merge(USER, writing([], { at, connections: [CONNECTION], importing }))
}

/** Returns all data of the user. */
async function held(store: Store) {
  const { slices } = await store.samples.page(USER, ALL, null, 100)
  const points = await store.streams.find(USER, WORKOUT)
  const summary = await store.summaries.find(USER, 'workouts', WORKOUT)
  return {
    beats: [...(slices[0]?.columns.value ?? [])],
    calories: summary?.document['calories'] ?? null,
    stream: points ? [...(points.columns.get('heartrate') ?? [])] : null,
    connections: (await store.connections.ofUsers([USER])).get(USER)?.length,
  }
}
const NOTHING = { beats: [], calories: null, stream: null, connections: 0 }

describe('undone imports', () => {
  it.each([
    [1, 2, 3],
    [1, 3, 2],
    [2, 1, 3],
    [2, 3, 1],
    [3, 1, 2],
    [3, 2, 1],
  ])('restore what was there before, in the order %i, %i, %i', async (...order) => {
    const store = await storeWithUser()
    await store.data.write(USER, writing([batch([50])]))
    await bring(store, 1, data([60, 61], 100))
    await bring(store, 2, data([70, 71], 200))
    await bring(store, 3, data([80, 71, 82], 300))
    for (const n of order) await store.imports.undo(USER, numberedId(n), START + 10)
    expect(await held(store)).toEqual({ beats: [50], calories: null, stream: null, connections: 1 })
    await store.close()
  })

  it('remove the connection once the provider has no data left, whichever of them created it', async () => {
    const store = await storeWithUser()
    await bring(store, 1, data([60], 100))
    await bring(store, 2, { ...data([61, 61], 200), summaries: [], streams: [] })
    await store.imports.undo(USER, numberedId(1), START + 3)
    expect((await held(store)).connections).toBe(1)
    await store.imports.undo(USER, numberedId(2), START + 4)
    expect(await held(store)).toEqual(NOTHING)
    await store.close()
  })

  it('announce a restored stream like an imported one, with its workout and sport', async () => {
    const store = await storeWithUser()
    await bring(store, 1, data([60], 100))
    await bring(store, 2, data([70], 100))
    const sequence = (await store.events.ofUser(USER, 0, 100)).at(-1)?.sequence ?? 0
    await store.imports.undo(USER, numberedId(2), START + 3)
    const event = (await store.events.ofUser(USER, sequence, 100)).find(each => each.type.includes('workout_stream'))
    expect(event).toMatchObject({
      type: 'daily.data.workout_stream.updated',
      data: { document: { workout_id: WORKOUT, provider_id: 'p1', sport: SPORT, provider: 'garmin' } },
    })
    await store.close()
  })

  it('do not count later deletions as kept', async () => {
    const store = await storeWithUser()
    await bring(store, 1, data([60, 61, 62], 100))
    await store.samples.delete(USER, { ...ALL, from: START + 1000, to: START + 1000 }, 0)
    expect(await store.imports.undo(USER, numberedId(1), START + 2)).toEqual({
      kind: 'undone',
      report: { removed: { heartrate: 2, workouts: 1, workout_stream: 1 }, restored: {}, kept: {} },
    })
    await store.close()
  })

  it('keep a summary and a stream that were changed in the same millisecond', async () => {
    const store = await storeWithUser()
    await bring(store, 1, data([60], 100), START)
    await store.data.write(USER, writing([], { at: START, summaries: [workout(500)], streams: [stream([99])] }))
    expect(await store.imports.undo(USER, numberedId(1), START + 1)).toMatchObject({
      report: { kept: { workouts: 1, workout_stream: 1 } },
    })
    expect(await held(store)).toMatchObject({ calories: 500, stream: [99] })
    await store.close()
  })

  it('restore a summary under its former day', async () => {
    const store = await storeWithUser()
    await bring(store, 1, { batches: [], summaries: [workout(100)], streams: [] })
    await bring(store, 2, { batches: [], summaries: [workout(100, '2026-01-09')], streams: [] })
    const on = (date: string) =>
      store.summaries.list(USER, { kind: 'workouts', provider: null, fromDate: date, toDate: date })
    expect([(await on('2026-01-01')).length, (await on('2026-01-09')).length]).toEqual([0, 1])
    await store.imports.undo(USER, numberedId(2), START + 3)
    expect([(await on('2026-01-01')).length, (await on('2026-01-09')).length]).toEqual([1, 0])
    await store.close()
  })
})
