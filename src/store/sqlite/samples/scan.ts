/** Scans samples chunk by chunk, series after series. */
import { rowAtOrAfter, sliceColumns } from '../../chunk/columns.ts'
import type { SampleQuery, SeriesSlice } from '../../port.ts'
import { SeriesChunks } from '../checksums/chunk-data.ts'
import type { Connection } from '../connection.ts'
import { type NumberedSeries, seriesOf } from './series.ts'

/** Number of chunks that a scan reads at once, which limits its memory and how long it holds a snapshot. */
const SCAN_CHUNKS = 64

/** Yields all samples of the range, each series in time order. */
export async function* scanAll(db: Connection, userId: string, query: SampleQuery): AsyncIterable<SeriesSlice> {
  // a scan reads a lot: pages that are already in memory are not copied again
  db.exec('PRAGMA mmap_size=1073741824')
  const all = await db.read(() => seriesOf(db, userId, query))
  for (const series of all) {
    let from: number | null = query.from
    while (from !== null && from <= query.to) {
      const start: number = from
      const some = await db.read(() => scanSome(db, userId, series, start, query.to))
      yield* some.slices
      from = some.more
    }
  }
}

/** Reads a few chunks of one series after a time. `more` says where to continue. */
function scanSome(
  db: Connection,
  userId: string,
  series: NumberedSeries,
  from: number,
  to: number,
): { readonly slices: readonly SeriesSlice[]; readonly more: number | null } {
  const chunks = new SeriesChunks(db, userId, series.id)
  const start = chunks.first(from, to)
  if (start === undefined) return { slices: [], more: null }
  const some = chunks.between(start, to, SCAN_CHUNKS)
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
  if (some.length === SCAN_CHUNKS && end <= from) throw chunks.damage(start)
  return { slices, more: some.length < SCAN_CHUNKS ? null : end + 1 }
}
