/** Checks each chunk, the windows of each day, and the series that chunks belong to. */
import { resourceNamed } from '../../../catalogue/resources.ts'
import type { UserId } from '../../../core/ids.ts'
import { DAY_MS, formatInstant } from '../../../core/time.ts'
import { dayStart } from '../../chunk/windows.ts'
import type { CheckProgress, StoreProblem } from '../../upkeep.ts'
import type { Database } from '../database.ts'
import { many, one, query, type Steps } from '../steps.ts'
import { type ChunkRow, disagreeOnSpan, faultsOfChunk } from './chunk.ts'
import { definePages, pages, pagesWith } from './pages.ts'

const KEY = ['user_id', 'series_id', 'chunk_start'] as const
const CHUNKS = definePages({
  table: 'chunk',
  key: KEY,
  columns: {
    user_id: 'text',
    series_id: 'number',
    chunk_start: 'number',
    span: 'number',
    n: 'number',
    first: 'number',
    last: 'number',
    min: 'number?',
    max: 'number?',
    sum: 'number?',
    data: 'blob',
  },
  atOnce: 16,
})
const SIZES = definePages({
  table: 'chunk',
  key: KEY,
  columns: { user_id: 'text', series_id: 'number', chunk_start: 'number', bytes: 'number?' },
  computed: { bytes: dialect => dialect.blobBytes('data') },
  atOnce: 2_000,
})

interface SeriesRow {
  readonly series_id: number
  readonly resource: string
}

const SERIES_OF = query<SeriesRow>('SELECT series_id, resource FROM series WHERE user_id=?')
const SPANS = query<{ readonly spans: number }>(
  `SELECT count(DISTINCT span) AS spans FROM chunk WHERE user_id=? AND series_id=? AND chunk_start>=? AND chunk_start<?`,
)

export async function* checkChunks(
  db: Database,
  onProgress: (progress: CheckProgress) => void,
): AsyncIterable<StoreProblem> {
  const totalBytes = await sumOfSizes(db)
  let [doneBytes, chunks, samples] = [0, 0, 0]
  let before: ChunkRow | undefined
  for await (const { rows, beside: series } of pagesWith(db, CHUNKS, describeSeries)) {
    for (const row of rows) {
      const where = `chunk of series ${row.series_id} at ${formatChunkStart(row)}`
      const resource = series.get(`${row.user_id} ${row.series_id}`)
      const faults = faultsOfChunk(row)
      if (resource === undefined) faults.push('there is no such series')
      else if (!resourceNamed(resource)) faults.push('its series has a resource that the catalogue does not know')
      const isMixed = before !== undefined && disagreeOnSpan(before, row)
      // the day may have been split between the two reads
      if (isMixed && (await db.read(() => hasTwoSpans(row)))) faults.push('its day has windows of two lengths')
      for (const fault of faults) yield { what: 'chunk', userId: row.user_id as UserId, message: `${where}: ${fault}` }
      before = row
      chunks++
      samples += row.n
      // damage can turn a blob into null
      doneBytes += row.data?.byteLength ?? 0
    }
    onProgress({ doneBytes, totalBytes: Math.max(totalBytes, doneBytes), chunks, samples })
  }
}

async function sumOfSizes(db: Database): Promise<number> {
  let sum = 0
  for await (const { rows } of pages(db, SIZES)) for (const { bytes } of rows) sum += bytes ?? 0
  return sum
}

/** Returns the resources of the series to which the chunks may belong. */
function* describeSeries(chunks: readonly ChunkRow[]): Steps<ReadonlyMap<string, string>> {
  const series = new Map<string, string>()
  for (const userId of new Set(chunks.map(row => row.user_id))) {
    for (const each of yield* many(SERIES_OF, [userId])) series.set(`${userId} ${each.series_id}`, each.resource)
  }
  return series
}

/** Returns whether a day has chunks with different spans, reading the whole day in one snapshot. */
function* hasTwoSpans(row: ChunkRow): Steps<boolean> {
  const day = dayStart(row.chunk_start)
  const found = yield* one(SPANS, [row.user_id, row.series_id, day, day + DAY_MS])
  return (found?.spans ?? 0) > 1
}

/** Returns a chunk's start as text. A damaged time may be outside the range of dates. */
function formatChunkStart(row: ChunkRow): string {
  return Math.abs(row.chunk_start) <= 8.64e15 ? formatInstant(row.chunk_start) : `${row.chunk_start}`
}
