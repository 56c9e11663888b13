/** Puts batches of samples into chunks, inside the caller's transaction, and says what became of every sample. */
import { resourceNamed } from '../../../catalogue/resources.ts'
import type { SampleBatch, SampleColumns } from '../../../core/sample.ts'
import { DAY_MS } from '../../../core/time.ts'
import { decodeChunk, encodeChunk } from '../../chunk/codec.ts'
import { joinColumns, mergeColumns, pickRows, rowAtOrAfter, sliceColumns, sortColumns } from '../../chunk/columns.ts'
import { dayOf, narrowerSpan, windowOf } from '../../chunk/windows.ts'
import type { Connection } from '../connection.ts'
import { internSeries } from './series.ts'

/** A chunk as it is read. */
export interface ChunkRow {
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
  /** `created` as a chunk, where it was packed as one anyway. */
  readonly packed: Uint8Array | null
  readonly updated: SampleColumns
  /** What those that were replaced had been, row by row as in `updated`. */
  readonly before: SampleColumns
  /** Starts inside the batch whose value was superseded by a later, different one. */
  readonly supersededStarts: readonly number[]
  /** Starts that were there with the same value. */
  readonly unchangedStarts: Float64Array
}

export function writeBatch(connection: Connection, userId: string, batch: SampleBatch): BatchOutcome {
  if (!resourceNamed(batch.series.resource)) throw new Error(`no such resource: ${batch.series.resource}`)
  const { seriesId, isNew } = internSeries(connection, userId, batch.series)
  const supersededStarts: number[] = []
  let repeated = 0
  const sorted = sortColumns(batch, (start, same) => {
    if (same) repeated++
    else supersededStarts.push(start)
  })
  const created: SampleColumns[] = []
  const updated: SampleColumns[] = []
  const before: SampleColumns[] = []
  const unchangedStarts: number[] = []
  let packed: Uint8Array | null = null
  let replaced = supersededStarts.length
  for (let from = 0; from < sorted.n; ) {
    const day = dayOf(sorted.start[from] as number)
    const to = rowAtOrAfter(sorted, day + DAY_MS)
    const rows = sliceColumns(sorted, from, to)
    const outcome = writeDay(connection, userId, seriesId, day, rows, isNew)
    packed = outcome.packed
    if (outcome.created.n > 0) created.push(outcome.created)
    if (outcome.updated.n > 0) {
      updated.push(outcome.updated)
      before.push(outcome.before)
    }
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
    packed: created.length === 1 && created[0] === sorted ? packed : null,
    updated: updated.length === 0 ? sliceColumns(sorted, 0, 0) : joinColumns(updated),
    before: before.length === 0 ? sliceColumns(sorted, 0, 0) : joinColumns(before),
    supersededStarts,
    unchangedStarts: Float64Array.from(unchangedStarts),
  }
}

interface DayOutcome {
  readonly created: SampleColumns
  /** Set when all of the day became one new chunk. */
  readonly packed: Uint8Array | null
  readonly updated: SampleColumns
  readonly before: SampleColumns
  readonly unchanged: readonly number[]
}

/** All windows of a day have one span, so that a window is found from a time alone. */
function writeDay(
  connection: Connection,
  userId: string,
  seriesId: number,
  day: number,
  added: SampleColumns,
  isNewSeries: boolean,
): DayOutcome {
  const present = isNewSeries
    ? undefined
    : connection.get<{ span: number }>(
        'SELECT span FROM chunk WHERE user_id=? AND series_id=? AND chunk_start>=? AND chunk_start<? LIMIT 1',
        userId,
        seriesId,
        day,
        day + DAY_MS,
      )
  const span = present?.span ?? DAY_MS
  const created: SampleColumns[] = []
  const updated: SampleColumns[] = []
  const before: SampleColumns[] = []
  const unchanged: number[] = []
  let densest = 0
  let packed: Uint8Array | null = null
  for (let from = 0; from < added.n; ) {
    const start = windowOf(added.start[from] as number, span)
    const to = rowAtOrAfter(added, start + span)
    const rows = sliceColumns(added, from, to)
    const row = present && chunkAt(connection, userId, seriesId, start)
    if (row) {
      const present = decodeChunk(row.data)
      const merge = mergeColumns(present, rows)
      if (merge.created.length + merge.updated.length > 0) {
        putChunk(connection, userId, seriesId, start, span, row.rev + 1, merge.columns)
      }
      if (merge.created.length > 0) created.push(pickRows(rows, merge.created))
      if (merge.updated.length > 0) {
        updated.push(pickRows(rows, merge.updated))
        before.push(pickRows(present, merge.replaced))
      }
      for (const index of merge.unchanged) unchanged.push(rows.start[index] as number)
      densest = Math.max(densest, merge.columns.n)
    } else {
      packed = putChunk(connection, userId, seriesId, start, span, 1, rows)
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
    packed: created[0] === added ? packed : null,
    updated: updated.length === 0 ? none : joinColumns(updated),
    before: before.length === 0 ? none : joinColumns(before),
    unchanged,
  }
}

/** Chunk of a series that begins at a time. */
export function chunkAt(connection: Connection, userId: string, seriesId: number, start: number): ChunkRow | undefined {
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

/** Writes a chunk with the figures beside it, and answers its blob; columns hold at least one sample. */
export function putChunk(
  connection: Connection,
  userId: string,
  seriesId: number,
  start: number,
  span: number,
  rev: number,
  columns: SampleColumns,
): Uint8Array {
  const data = encodeChunk(columns)
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
    data,
  )
  return data
}
