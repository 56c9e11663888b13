/** Samples in the SQLite store: they are read as written, bit by bit and in order, whatever the order of the writes. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SampleBatch, type SampleInput, type SeriesKey, textAt } from '../../src/core/sample.ts'
import { DAY_MS } from '../../src/core/time.ts'
import type { Store } from '../../src/store/port.ts'
import type { SamplePosition } from '../../src/store/sample.ts'
import { times } from '../kit/effort.ts'
import { seed } from '../kit/seed.ts'
import { buildBatch, storeWithUser, TEAM, USER, writing } from './user-store.ts'

const START = Date.UTC(2026, 0, 1)
const NO_STREAMS = { created: 0, updated: 0, unchanged: 0 }

const HEART: SeriesKey = { resource: 'heartrate', type: null, provider: 'whoop', sourceType: 'watch' }
const RING: SeriesKey = { resource: 'heartrate', type: null, provider: 'zwift', sourceType: 'ring' }

const EVERYTHING = { resource: 'heartrate', provider: null, from: -8e12, to: 8e12 }

async function readAll(store: Store, limit: number): Promise<{ series: SeriesKey; sample: SampleInput }[]> {
  const seen: { series: SeriesKey; sample: SampleInput }[] = []
  let after: SamplePosition | null = null
  do {
    const page = await store.samples.page(USER, EVERYTHING, after, limit)
    const rows: { series: SeriesKey; sample: SampleInput }[] = []
    for (const { series, columns } of page.slices) {
      for (let i = 0; i < columns.n; i++) {
        const start = columns.start[i] as number
        rows.push({
          series,
          sample: {
            start,
            end: columns.end ? (columns.end[i] as number) : start,
            value: columns.value[i] as number,
            offset: columns.offset && columns.offset[i] !== -0x8000_0000 ? (columns.offset[i] as number) : null,
            text: { app_id: textAt(columns.text.get('app_id'), i) },
          },
        })
      }
    }
    expect(rows.length).toBeLessThanOrEqual(limit)
    rows.sort((a, b) => a.sample.start - b.sample.start)
    seen.push(...rows)
    after = page.next
  } while (after)
  return seen
}

/** Sorts samples by time, provider and app. */
const sorted = (read: Awaited<ReturnType<typeof readAll>>) =>
  read.toSorted((a, b) => a.sample.start - b.sample.start || byName(a).localeCompare(byName(b)))
const byName = ({ series, sample }: { series: SeriesKey; sample: SampleInput }) =>
  `${series.provider} ${sample.text?.app_id ?? ''}`

const sampleInput = fc.record({
  start: fc.integer({ min: 0, max: 3 * 86_400 }).map(s => START + s * 1000 + (s % 7)),
  length: fc.constantFrom(0, 0, 1000, 60_000),
  value: fc.oneof(fc.integer({ min: 30, max: 220 }), fc.double({ noNaN: true, noDefaultInfinity: true })),
  offset: fc.constantFrom(null, 0, 3600, -18_000),
  app: fc.constantFrom(null, 'one', 'two'),
})

describe('samples in the store', () => {
  it('are read back bit by bit and in order, for any order, batching and overlap of the writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(HEART, RING), fc.array(sampleInput, { minLength: 1, maxLength: 60 })), {
          maxLength: 6,
        }),
        fc.integer({ min: 1, max: 50 }),
        async (writes, limit) => {
          const store = await storeWithUser()
          const model = new Map<string, { series: SeriesKey; sample: SampleInput }>()
          for (const [series, inputs] of writes) {
            const samples = inputs.map(each => ({
              start: each.start,
              end: each.start + each.length,
              value: each.value,
              offset: each.offset,
              text: { app_id: each.app },
            }))
            for (const sample of samples) {
              model.set(`${series.provider} ${sample.start} ${sample.text.app_id}`, { series, sample })
            }
            const outcome = await store.data.write(USER, writing([buildBatch(series, samples)]))
            expect(outcome.kind).toBe('written')
          }
          const read = await readAll(store, limit)
          expect(read.map(each => each.sample.start)).toEqual(
            read.map(each => each.sample.start).toSorted((a, b) => a - b),
          )
          expect(sorted(read)).toEqual(sorted([...model.values()]))
          await store.close()
        },
      ),
      { numRuns: times(15), seed },
    )
  })

  it('are read back although their sum is beyond the range of a double', async () => {
    const store = await storeWithUser()
    const values = [-Number.MAX_VALUE, -1.7e308, 70]
    for (const [i, value] of values.entries()) {
      await store.data.write(USER, writing([buildBatch(HEART, [{ start: START + i * 1000, value }])]))
    }
    expect((await readAll(store, 10)).map(each => each.sample.value)).toEqual(values)
    for await (const problem of store.upkeep.check()) expect(problem).toBeUndefined()
  })

  it('are split into equal windows on a dense day, and read back completely', async () => {
    const store = await storeWithUser()
    const dense = Array.from({ length: 40_000 }, (_, i) => ({ start: START + i * 2000, value: 60 + (i % 40) }))
    for (let from = 0; from < dense.length; from += 9_000) {
      await store.data.write(USER, writing([buildBatch(HEART, dense.slice(from, from + 9_000))]))
    }
    const back = await readAll(store, 5_000)
    expect(back.length).toBe(40_000)
    expect(back.map(each => each.sample.value)).toEqual(dense.map(each => each.value))
    let scanned = 0
    for await (const slice of store.samples.scan(USER, {
      ...EVERYTHING,
      from: START + DAY_MS / 2,
      to: START + DAY_MS,
    })) {
      scanned += slice.columns.n
    }
    expect(scanned).toBe(40_000 - DAY_MS / 2 / 2000)
    await store.close()
  })

  it('are replaced by key, with a report of replaced and unchanged samples', async () => {
    const store = await storeWithUser()
    const first = await store.data.write(
      USER,
      writing([
        buildBatch(HEART, [
          { start: START, value: 60 },
          { start: START + 1000, value: 61 },
        ]),
      ]),
    )
    const again = await store.data.write(
      USER,
      writing([
        buildBatch(HEART, [
          { start: START, value: 60 },
          { start: START + 1000, value: 99 },
          { start: START + 2000, value: 62 },
        ]),
      ]),
    )
    expect(first).toEqual({
      kind: 'written',
      report: { stored: { heartrate: { samples: 2, replaced: 0, unchanged: 0 } }, summaries: {}, streams: NO_STREAMS },
    })
    expect(again).toEqual({
      kind: 'written',
      report: { stored: { heartrate: { samples: 3, replaced: 1, unchanged: 1 } }, summaries: {}, streams: NO_STREAMS },
    })
    await store.close()
  })

  it('that were rolled back are not part of the next write to the same day', async () => {
    const store = await storeWithUser()
    const write = (second: number, more: readonly SampleBatch[] = []) => {
      const batch = buildBatch(HEART, [{ start: START + second * 1000, value: 60 + second }])
      return store.data.write(USER, writing([batch, ...more]))
    }
    for (const second of [1, 2, 3]) await write(second)
    const unknown = buildBatch({ ...HEART, resource: 'unknown' }, [{ start: START, value: 1 }])
    await expect(write(4, [unknown])).rejects.toThrow('no such resource')
    await write(5)
    const { slices } = await store.samples.page(USER, EVERYTHING, null, 10)
    expect(slices.flatMap(({ columns }) => [...columns.value])).toEqual([61, 62, 63, 65])
    await store.close()
  })

  it('are written to the outbox in the same transaction, with created and updated ones separate', async () => {
    const store = await storeWithUser()
    const many = Array.from({ length: 6_000 }, (_, i) => ({ start: START + i * 60_000, value: i % 200 }))
    await store.data.write(USER, writing([buildBatch(HEART, many)]))
    await store.data.write(
      USER,
      writing([
        buildBatch(HEART, [
          { start: START, value: 77 },
          { start: START + 500, value: 78 },
        ]),
      ]),
    )
    const events = await store.events.ofUser(USER, 0, 100)
    expect(
      events.map(each => [each.sequence, each.type, each.data.kind === 'samples' ? each.data.batch.n : 0]),
    ).toEqual([
      [1, 'daily.data.heartrate.created', 2500],
      [2, 'daily.data.heartrate.created', 2500],
      [3, 'daily.data.heartrate.created', 1000],
      [4, 'daily.data.heartrate.created', 1],
      [5, 'daily.data.heartrate.updated', 1],
    ])
    await store.close()
  })

  it('from a scratch file are merged as one unit, and the report counts the file’s records, including duplicates', async () => {
    const store = await storeWithUser()
    const file = [
      buildBatch(HEART, [
        { start: START, value: 60 },
        { start: START + 1000, value: 61 },
      ]),
      buildBatch(HEART, [
        { start: START, value: 65 },
        { start: START + 1000, value: 61 },
      ]),
    ]
    const importOnce = async () => {
      const spool = await store.data.openSpool()
      for (const batch of file) await spool.add({ batches: [batch], summaries: [], streams: [] })
      return spool.merge(USER, { at: START, teamId: TEAM, events: { kind: 'daily' }, connections: [], importing: null })
    }
    expect((await importOnce()).stored).toEqual({ heartrate: { samples: 4, replaced: 1, unchanged: 1 } })
    expect((await importOnce()).stored, 'an import repeated changes nothing and says so').toEqual({
      heartrate: { samples: 4, replaced: 0, unchanged: 4 },
    })
    expect((await readAll(store, 10)).map(each => each.sample.value)).toEqual([65, 61])
    await store.close()
  })
})
