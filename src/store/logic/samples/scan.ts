/** Scans samples chunk by chunk, series by series. */
import type { UserId } from '../../../core/ids.ts'
import { rowAtOrAfter, sliceColumns } from '../../chunk/columns.ts'
import type { ChunkView } from '../../chunk/view.ts'
import type { SampleQuery, SeriesSlice } from '../../sample.ts'
import type { Database } from '../database.ts'
import { SeriesChunks } from '../rows/chunk-data.ts'
import type { Steps } from '../steps.ts'
import { listSeries, type NumberedSeries } from './series.ts'

/** Number of chunks that a scan reads at a time. Limits memory use and how long a snapshot is held. */
const SCAN_CHUNKS = 64

/** Yields all samples in the range chunk by chunk, one series after another, each in time order. */
export function scanAll(db: Database, userId: UserId, query: SampleQuery): AsyncIterable<SeriesSlice> {
  return hasChunks(db) ? streamed(db, userId, query) : paged(db, userId, query)
}

type Streaming = Database & Required<Pick<Database, 'chunks'>>

function hasChunks(db: Database): db is Streaming {
  return db.chunks !== undefined
}

async function* paged(db: Database, userId: string, query: SampleQuery): AsyncIterable<SeriesSlice> {
  db.expectScan()
  const all = await db.read(() => listSeries(userId, query))
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

/** Reads the chunks as the database returns them, in a single generator, because passing on a slice costs as much as reading it. */
async function* streamed(db: Streaming, userId: string, query: SampleQuery): AsyncIterable<SeriesSlice> {
  const { from, to } = query
  for (const series of await db.read(() => listSeries(userId, query))) {
    const chunks = new SeriesChunks(userId, series.id)
    const start = await db.read(() => chunks.first(from, to))
    if (start === undefined) continue
    for await (const rows of db.chunks(userId, series.id, start, to)) {
      for (const row of rows) {
        // only damaged chunks require queries to the store
        const view = chunks.viewNow(row) ?? (await db.read(() => chunks.view(row)))
        const slice = cutSlice(series, view, from, to)
        if (slice) yield slice
      }
    }
  }
}

/** Returns the part of a chunk within [from, to], if there is one. */
function cutSlice(series: NumberedSeries, whole: ChunkView, from: number, to: number): SeriesSlice | undefined {
  // reading the number from the blob costs less than an additional column in each row
  const { first, last } = whole
  if (first >= from && last <= to)
    return { series: series.key, columns: whole, packing: whole.packing, bytes: whole.bytes }
  const columns = sliceColumns(whole, rowAtOrAfter(whole, from), rowAtOrAfter(whole, to + 1))
  return columns.n > 0 ? { series: series.key, columns, bytes: whole.bytes } : undefined
}

/** Reads a few chunks of one series after a given time. `more` is the position to continue from. */
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
    if (whole.last > end) end = whole.last
    const slice = cutSlice(series, whole, from, to)
    if (slice) slices.push(slice)
  }
  if (some.length === SCAN_CHUNKS && end <= from) throw yield* chunks.damage(start)
  return { slices, more: some.length < SCAN_CHUNKS ? null : end + 1 }
}
