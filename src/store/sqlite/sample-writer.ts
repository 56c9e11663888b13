/** Puts batches of samples into chunks, inside the caller's transaction, and says what became of every sample. */
import { resourceNamed } from '../../catalogue/resources.ts'
import type { SampleBatch, SampleColumns, SeriesKey } from '../../core/sample.ts'
import { DAY_MS } from '../../core/time.ts'
import { decodeChunk, encodeChunk } from '../chunk/codec.ts'
import { joinColumns, mergeColumns, pickRows, rowAtOrAfter, sliceColumns, sortColumns } from '../chunk/columns.ts'
import { dayOf, narrowerSpan, windowOf } from '../chunk/windows.ts'
import type { Connection } from './connection.ts'

interface ChunkRow {
  readonly chunk_start: number
  readonly span: number
  readonly rev: number
  readonly data: Uint8Array
}

/** What one batch did. */
export interface BatchOutcome {
  readonly seriesId: number
  /** Samples handed in, doubles included. */
  readonly samples: number
  /** Starts of samples that replaced another value, doubles inside the batch included. */
  readonly replaced: number
  readonly unchanged: number
  /** The samples that are new, and those that replaced others, ascending by start. */
  readonly created: SampleColumns
  readonly updated: SampleColumns
  /** Starts inside the batch whose value was superseded by a later, different one. */
  readonly supersededStarts: readonly number[]
  /** Starts that were there with the same value. */
  readonly unchangedStarts: Float64Array
}

/** Number of a series within its user, made at first use. Numbers ascend by one. */
export function internSeries(connection: Connection, userId: string, series: SeriesKey): number {
  const found = connection.get<{ series_id: number }>(
    'SELECT series_id FROM series WHERE user_id=? AND resource=? AND type=? AND provider=? AND source_type=?',
    userId,
    series.resource,
    series.type ?? '',
    series.provider,
    series.sourceType,
  )
  if (found) return found.series_id
  const next =
    (connection.get<{ last: number | null }>('SELECT max(series_id) AS last FROM series WHERE user_id=?', userId)
      ?.last ?? 0) + 1
  connection.run(
    'INSERT INTO series (user_id, series_id, resource, type, provider, source_type) VALUES (?,?,?,?,?,?)',
    userId,
    next,
    series.resource,
    series.type ?? '',
    series.provider,
    series.sourceType,
  )
  return next
}

export function writeBatch(connection: Connection, userId: string, batch: SampleBatch): BatchOutcome {
  if (!resourceNamed(batch.series.resource)) throw new Error(`no such resource: ${batch.series.resource}`)
  const seriesId = internSeries(connection, userId, batch.series)
  const supersededStarts: number[] = []
  let repeated = 0
  const sorted = sortColumns(batch, (start, same) => {
    if (same) repeated++
    else supersededStarts.push(start)
  })
  const created: SampleColumns[] = []
  const updated: SampleColumns[] = []
  const unchangedStarts: number[] = []
  let replaced = supersededStarts.length
  for (let from = 0; from < sorted.n; ) {
    const day = dayOf(sorted.start[from] as number)
    const to = rowAtOrAfter(sorted, day + DAY_MS)
    const rows = sliceColumns(sorted, from, to)
    const outcome = writeDay(connection, userId, seriesId, day, rows)
    if (outcome.created.n > 0) created.push(outcome.created)
    if (outcome.updated.n > 0) updated.push(outcome.updated)
    replaced += outcome.updated.n
    for (const start of outcome.unchanged) unchangedStarts.push(start)
    from = to
  }
  return {
    seriesId,
    samples: batch.n,
    replaced,
    unchanged: unchangedStarts.length + repeated,
    created: created.length === 0 ? sliceColumns(sorted, 0, 0) : joinColumns(created),
    updated: updated.length === 0 ? sliceColumns(sorted, 0, 0) : joinColumns(updated),
    supersededStarts,
    unchangedStarts: Float64Array.from(unchangedStarts),
  }
}

interface DayOutcome {
  readonly created: SampleColumns
  readonly updated: SampleColumns
  readonly unchanged: readonly number[]
}

/** All windows of a day have one span, so that a window is found from a time alone. */
function writeDay(
  connection: Connection,
  userId: string,
  seriesId: number,
  day: number,
  added: SampleColumns,
): DayOutcome {
  const present = connection.get<{ span: number }>(
    'SELECT span FROM chunk WHERE user_id=? AND series_id=? AND chunk_start>=? AND chunk_start<? LIMIT 1',
    userId,
    seriesId,
    day,
    day + DAY_MS,
  )
  const span = present?.span ?? DAY_MS
  const created: SampleColumns[] = []
  const updated: SampleColumns[] = []
  const unchanged: number[] = []
  let densest = 0
  for (let from = 0; from < added.n; ) {
    const start = windowOf(added.start[from] as number, span)
    const to = rowAtOrAfter(added, start + span)
    const rows = sliceColumns(added, from, to)
    const row = chunkAt(connection, userId, seriesId, start)
    if (row) {
      const merge = mergeColumns(decodeChunk(row.data), rows)
      if (merge.created.length + merge.updated.length > 0) {
        putChunk(connection, userId, seriesId, start, span, row.rev + 1, merge.columns)
      }
      if (merge.created.length > 0) created.push(pickRows(rows, merge.created))
      if (merge.updated.length > 0) updated.push(pickRows(rows, merge.updated))
      for (const index of merge.unchanged) unchanged.push(rows.start[index] as number)
      densest = Math.max(densest, merge.columns.n)
    } else {
      putChunk(connection, userId, seriesId, start, span, 1, rows)
      created.push(rows)
      densest = Math.max(densest, rows.n)
    }
    from = to
  }
  const narrow = narrowerSpan(span, densest)
  if (narrow < span) splitDay(connection, userId, seriesId, day, narrow)
  const none = sliceColumns(added, 0, 0)
  return {
    created: created.length === 0 ? none : joinColumns(created),
    updated: updated.length === 0 ? none : joinColumns(updated),
    unchanged,
  }
}

function chunkAt(connection: Connection, userId: string, seriesId: number, start: number): ChunkRow | undefined {
  return connection.get<ChunkRow>(
    'SELECT chunk_start, span, rev, data FROM chunk WHERE user_id=? AND series_id=? AND chunk_start=?',
    userId,
    seriesId,
    start,
  )
}

function splitDay(connection: Connection, userId: string, seriesId: number, day: number, span: number): void {
  const rows = connection.all<ChunkRow>(
    'SELECT chunk_start, span, rev, data FROM chunk WHERE user_id=? AND series_id=? AND chunk_start>=? AND chunk_start<? ORDER BY chunk_start',
    userId,
    seriesId,
    day,
    day + DAY_MS,
  )
  connection.run(
    'DELETE FROM chunk WHERE user_id=? AND series_id=? AND chunk_start>=? AND chunk_start<?',
    userId,
    seriesId,
    day,
    day + DAY_MS,
  )
  for (const row of rows) {
    const columns = decodeChunk(row.data)
    for (let from = 0; from < columns.n; ) {
      const start = windowOf(columns.start[from] as number, span)
      const to = rowAtOrAfter(columns, start + span)
      putChunk(connection, userId, seriesId, start, span, row.rev + 1, sliceColumns(columns, from, to))
      from = to
    }
  }
}

function putChunk(
  connection: Connection,
  userId: string,
  seriesId: number,
  start: number,
  span: number,
  rev: number,
  columns: SampleColumns,
): void {
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  let sum = 0
  for (let i = 0; i < columns.n; i++) {
    const value = columns.value[i] as number
    if (value < min) min = value
    if (value > max) max = value
    sum += value
  }
  connection.run(
    `INSERT INTO chunk (user_id, series_id, chunk_start, span, n, first, last, min, max, sum, rev, data)
     VALUES (?,?,?,?,?,?,?,?,?,?,?,?)
     ON CONFLICT (user_id, series_id, chunk_start) DO UPDATE SET
       span=excluded.span, n=excluded.n, first=excluded.first, last=excluded.last,
       min=excluded.min, max=excluded.max, sum=excluded.sum, rev=excluded.rev, data=excluded.data`,
    userId,
    seriesId,
    start,
    span,
    columns.n,
    columns.start[0] as number,
    columns.start[columns.n - 1] as number,
    min,
    max,
    sum,
    rev,
    encodeChunk(columns),
  )
}
