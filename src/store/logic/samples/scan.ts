/** Scans samples chunk by chunk, series after series. */
import { rowAtOrAfter, sliceColumns } from '../../chunk/columns.ts'
import type { SampleQuery, SeriesSlice } from '../../sample.ts'
import type { Database } from '../database.ts'
import { SeriesChunks } from '../rows/chunk-data.ts'
import type { Steps } from '../steps.ts'
import { type NumberedSeries, seriesOf } from './series.ts'

/** Number of chunks that a scan reads at once, which limits its memory and how long it holds a snapshot. */
const SCAN_CHUNKS = 64

/** Yields all samples of the range, each series in time order. */
export async function* scanAll(db: Database, userId: string, query: SampleQuery): AsyncIterable<SeriesSlice> {
  db.expectScan()
  const all = await db.read(() => seriesOf(userId, query))
  for (const series of all) {
    let from: number | null = query.from
    while (from !== null && from <= query.to) {
      const start: number = from
      const some = await db.read(() => scanSome(userId, series, start, query.to))
      yield* some.slices
      from = some.more
    }
  }
}

/** Reads a few chunks of one series after a time. `more` says where to continue. */
function* scanSome(
  userId: string,
  series: NumberedSeries,
  from: number,
  to: number,
): Steps<{ readonly slices: readonly SeriesSlice[]; readonly more: number | null }> {
  const chunks = new SeriesChunks(userId, series.id)
  const start = yield* chunks.first(from, to)
  if (start === undefined) return { slices: [], more: null }
  const some = yield* chunks.between(start, to, SCAN_CHUNKS)
  const slices: SeriesSlice[] = []
  let end = from
  for (const { view: whole } of some) {
    // reading this from the blob costs less than another column of each row
    const { first, last } = whole
    if (last > end) end = last
    if (first >= from && last <= to) {
      slices.push({ series: series.key, columns: whole, packing: whole.packing, bytes: whole.bytes })
      continue
    }
    const columns = sliceColumns(whole, rowAtOrAfter(whole, from), rowAtOrAfter(whole, to + 1))
    if (columns.n > 0) slices.push({ series: series.key, columns, bytes: whole.bytes })
  }
  if (some.length === SCAN_CHUNKS && end <= from) throw yield* chunks.damage(start)
  return { slices, more: some.length < SCAN_CHUNKS ? null : end + 1 }
}
