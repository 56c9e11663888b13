/** An import has the same result no matter when it outgrows its memory limit: stored data, report, and events. */
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StreamRecord } from '../../src/core/stream.ts'
import { ImportSpool } from '../../src/store/imports/spool.ts'
import { SqliteDatabase } from '../../src/store/sqlite/database.ts'
import { times } from '../kit/effort.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { seed } from '../kit/seed.ts'
import { buildBatch, storeWithUser, USER, writing } from './user-store.ts'

const START = Date.UTC(2026, 0, 1)
const SERIES = ['heartrate', 'steps'].map(resource => ({
  resource,
  type: null,
  provider: 'garmin',
  sourceType: 'watch',
}))
const NEVER = 1e9

interface Item {
  readonly series: number
  readonly slot: number
  readonly value: number
}
type Pieces = readonly (readonly Item[])[]

const pieces: fc.Arbitrary<Pieces> = fc.array(
  fc.array(fc.record({ series: fc.nat(1), slot: fc.nat(6), value: fc.constantFrom(60, 61, 62) }), { maxLength: 8 }),
  { minLength: 1, maxLength: 6 },
)

const batches = (items: readonly Item[]) =>
  SERIES.map((series, index) =>
    buildBatch(
      series,
      items
        .filter(each => each.series === index)
        .map(({ slot, value }) => ({ start: START + slot * 40_000_000, value })),
    ),
  )

const stream = (n: number, beats: number): StreamRecord => ({
  workoutId: `22222222-2222-8222-8222-00000000000${n}`,
  provider: 'garmin',
  sourceType: 'watch',
  at: START,
  offset: null,
  providerId: `p${n}`,
  sport: null,
  n: 1,
  time: Float64Array.of(START),
  columns: new Map([['heartrate', Float64Array.of(beats)]]),
})

/** Returns the reports of an import and of its repetition, the resulting samples, and the types of all events. */
async function outcome(before: readonly Item[], given: Pieces, mostInMemory: number) {
  const dataDir = temporaryFolder()
  const store = await storeWithUser(dataDir)
  const target = new SqliteDatabase({ path: join(dataDir, 'svc.db'), waitForLock: 'blocking', durable: true })
  await store.data.write(USER, writing(batches(before)))
  const once = async (mode: 'preview' | 'merge') => {
    const spool = new ImportSpool(target, join(dataDir, 'scratch'), mostInMemory)
    for (const [i, items] of given.entries()) {
      await spool.add({ batches: batches(items), summaries: [], streams: [stream(i % 2, i)] })
    }
    return mode === 'preview' ? spool.preview(USER) : spool.merge(USER, writing([]))
  }
  const reports = [await once('preview'), await once('merge'), await once('merge')]
  const samples: unknown[] = []
  for (const { resource } of SERIES) {
    const page = await store.samples.page(USER, { resource, provider: null, from: 0, to: START * 2 }, null, 100)
    samples.push(page.slices.map(({ columns }) => [[...columns.start], [...columns.value]]))
  }
  const events = await store.events.ofUser(USER, 0, 1_000)
  const told = events.map(each => [each.type, each.data.kind === 'document' ? each.data.document['workout_id'] : null])
  target.close()
  await store.close()
  return { reports, samples, told: told.map(each => each.join(' ')) }
}

/**
 * If duplicates within one file change a value back and forth, the point where it spills determines which count as replaced and which as
 * unchanged; their sum is the same.
 */
const summed = ({ reports, samples, told }: Awaited<ReturnType<typeof outcome>>) => ({
  reports: reports.map(({ stored, ...rest }) => [
    Object.entries(stored).map(([name, counts]) => [name, counts.samples, counts.replaced + counts.unchanged]),
    rest,
  ]),
  samples,
  told: told.toSorted(),
})

describe('an import', () => {
  it('has the same result wherever it starts to use the scratch file', async () => {
    await fc.assert(
      fc.asyncProperty(
        pieces.map(each => each.flat()),
        pieces,
        fc.nat(12),
        async (before, given, mostInMemory) => {
          const whole = await outcome(before, given, NEVER)
          const spilled = await outcome(before, given, mostInMemory)
          expect(summed(spilled)).toEqual(summed(whole))
          for (const { reports } of [whole, spilled]) {
            expect(reports[0]).toEqual(reports[1])
            for (const counts of Object.values(reports[2]?.stored ?? {})) expect(counts).toMatchObject({ replaced: 0 })
          }
          const streams = (told: readonly string[]) => told.filter(each => each.includes('stream'))
          expect(streams(spilled.told)).toEqual(streams(whole.told))
        },
      ),
      { numRuns: times(5), seed, endOnFailure: true },
    )
  })
})
