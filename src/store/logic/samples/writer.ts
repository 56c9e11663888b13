/** Writes batches of samples to chunks, in the caller's transaction, and reports what happened to each sample. */
import { resourceNamed } from '../../../catalogue/resources.ts'
import { type SampleBatch, type SampleColumns, startAt } from '../../../core/sample.ts'
import { DAY_MS } from '../../../core/time.ts'
import { joinColumns, mergeColumns, pickRows, rowAtOrAfter, sliceColumns, sortColumns } from '../../chunk/columns.ts'
import { dayStart, narrowerSpan, windowStart } from '../../chunk/windows.ts'
import { command, run, type Steps } from '../steps.ts'
import { putChunk, type WholeChunk, WholeChunks } from './chunks.ts'
import { divideByMixed } from './mixed.ts'
import { type Origin, type OriginBatch, splitByOrigin } from './origins.ts'
import { rememberColumns } from './recent-chunks.ts'
import { addSeries, findSeries } from './series.ts'

/** The result of writing a batch to one series. */
export interface BatchOutcome {
  readonly seriesId: number
  readonly origin: Origin
  /** Number of samples, including duplicates. */
  readonly samples: number
  /** Number of samples that replaced a different value, including duplicates within the batch. */
  readonly replaced: number
  readonly unchanged: number
  /** New samples, and in `updated` the samples that replaced others, both in ascending order of start. */
  readonly created: SampleColumns
  /** `created` as a chunk, if it was already packed as one. */
  readonly packed: Uint8Array | null
  readonly updated: SampleColumns
  /** Previous values of the replaced samples, in the same order as `updated`. */
  readonly before: SampleColumns
  /** Start times in the batch whose value was superseded by a later, different one. */
  readonly supersededStarts: readonly number[]
  /** Start times that existed with the same value. */
  readonly unchangedStarts: Float64Array
}

/** Decides which samples of a batch are written. */
export interface RowGuard {
  /**
   * Returns those of the rows that may be written to a series, in ascending order. `rows` are in ascending order of start, and `present` has
   * the stored samples of their window; null if it has none.
   */
  rows(seriesId: number, rows: SampleColumns, present: SampleColumns | null): Steps<Uint32Array>
}

/** Writes a batch to the series of its samples' origins. Without a guard, all of its samples are written. */
export function* writeBatch(userId: string, batch: SampleBatch, guard?: RowGuard): Steps<BatchOutcome[]> {
  if (!resourceNamed(batch.series.resource)) throw new Error(`no such resource: ${batch.series.resource}`)
  const outcomes: BatchOutcome[] = []
  for (const whole of splitByOrigin(batch)) {
    const { series, origin } = whole
    const { own, mixed } = yield* findSeries(userId, series, origin)
    let part = whole
    if (mixed !== undefined) {
      const [known, others] = yield* divideByMixed(userId, mixed, whole)
      if (known.n > 0) outcomes.push(yield* writeSeries(userId, { seriesId: mixed, isNew: false }, known, guard))
      if (others.n === 0) continue
      part = others
    }
    const seriesId = own ?? (yield* addSeries(userId, series, origin))
    outcomes.push(yield* writeSeries(userId, { seriesId, isNew: own === undefined }, part, guard))
  }
  return outcomes
}

/** Writes a batch to a series. */
export function* writeSeries(
  userId: string,
  { seriesId, isNew }: { readonly seriesId: number; readonly isNew: boolean },
  batch: OriginBatch,
  guard?: RowGuard,
): Steps<BatchOutcome> {
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
    const day = dayStart(startAt(sorted, from))
    const to = rowAtOrAfter(sorted, day + DAY_MS)
    const rows = sliceColumns(sorted, from, to)
    const outcome = yield* writeDay(userId, { seriesId, isNew }, day, rows, guard)
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
    origin: batch.origin,
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
  /** Present if the whole day became one new chunk. */
  readonly packed: Uint8Array | null
  readonly updated: SampleColumns
  readonly before: SampleColumns
  readonly unchanged: readonly number[]
}

/** Writes one day's samples. All windows of a day have the same span, so that a window can be computed from a time alone. */
function* writeDay(
  userId: string,
  { seriesId, isNew }: { readonly seriesId: number; readonly isNew: boolean },
  day: number,
  added: SampleColumns,
  guard: RowGuard | undefined,
): Steps<DayOutcome> {
  const chunks = new WholeChunks(userId, seriesId)
  const near = isNew ? undefined : yield* chunks.ofDay(day, startAt(added, 0))
  const span = near?.span ?? DAY_MS
  const created: SampleColumns[] = []
  const updated: SampleColumns[] = []
  const before: SampleColumns[] = []
  const unchanged: number[] = []
  let densest = 0
  let packed: Uint8Array | null = null
  for (let from = 0; from < added.n; ) {
    const start = windowStart(startAt(added, from), span)
    const to = rowAtOrAfter(added, start + span)
    const row = near && (near.start === start ? near : yield* chunks.at(start))
    const window = sliceColumns(added, from, to)
    const rows = guard ? pickRows(window, yield* guard.rows(seriesId, window, row?.columns ?? null)) : window
    if (rows.n === 0) {
      from = to
      continue
    }
    if (row) {
      const present = row.columns
      const merge = mergeColumns(present, rows)
      if (merge.created.length + merge.updated.length > 0) {
        const data = yield* putChunk(userId, seriesId, start, span, row.rev + 1, merge.columns)
        rememberColumns(userId, seriesId, start, { data, columns: merge.columns })
      }
      if (merge.created.length > 0) created.push(pickRows(rows, merge.created))
      if (merge.updated.length > 0) {
        updated.push(pickRows(rows, merge.updated))
        before.push(pickRows(present, merge.replaced))
      }
      for (const index of merge.unchanged) unchanged.push(startAt(rows, index))
      densest = Math.max(densest, merge.columns.n)
    } else {
      packed = yield* putChunk(userId, seriesId, start, span, 1, rows)
      created.push(rows)
      densest = Math.max(densest, rows.n)
    }
    from = to
  }
  const narrow = narrowerSpan(span, densest)
  if (narrow < span) yield* splitDay(userId, seriesId, day, narrow)
  const none = sliceColumns(added, 0, 0)
  return {
    created: created.length === 0 ? none : joinColumns(created),
    packed: created[0] === added ? packed : null,
    updated: updated.length === 0 ? none : joinColumns(updated),
    before: before.length === 0 ? none : joinColumns(before),
    unchanged,
  }
}

const REMOVE_CHUNKS_BETWEEN = command(
  'DELETE FROM chunk WHERE user_id=? AND series_id=? AND chunk_start>=? AND chunk_start<?',
)

/** Distributes a day's samples over shorter windows. */
function* splitDay(userId: string, seriesId: number, day: number, span: number): Steps<void> {
  const end = day + DAY_MS
  const whole = new WholeChunks(userId, seriesId)
  const chunks: WholeChunk[] = []
  for (const start of yield* whole.starts(day, end - 1)) chunks.push(yield* whole.listed(start))
  yield* run(REMOVE_CHUNKS_BETWEEN, [userId, seriesId, day, end])
  for (const { columns, rev } of chunks) {
    for (let from = 0; from < columns.n; ) {
      const start = windowStart(startAt(columns, from), span)
      const to = rowAtOrAfter(columns, start + span)
      yield* putChunk(userId, seriesId, start, span, rev + 1, sliceColumns(columns, from, to))
      from = to
    }
  }
}
