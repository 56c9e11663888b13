/** Determines which of a continuous query's buckets are reread after data in a time range has changed. */
import type { Timeframe } from '../../contract/aggregates/aggregate.ts'
import { DAY_MS, type EpochMs, formatDate, MINUTE_MS } from '../../core/time.ts'
import type { TimeRange } from '../../store/continuous-query.ts'
import { addMonths, bucketStart, plus, type Span, type Window } from '../aggregate/plan/calendar.ts'
import type { ContinuousPlan } from './plan.ts'

/** Number of years that a result extends back and ahead from the day of the run. */
const YEARS_BACK = 20
const YEARS_AHEAD = 1
/**
 * Maximum length of a piece. One request reads at most 20 years. A piece ends with a bucket, and its window ends at midnight, at most a day
 * later.
 */
const PIECE_YEARS = 8
/**
 * Margin around a changed range: times are floating, a summary can be listed one day before or after its session, and no offset is longer
 * than a day.
 */
const MARGIN_MS = 2 * DAY_MS
/** How long after a night the baseline of derived_readiness still includes it. */
const BASELINE_MS = 21 * DAY_MS

/**
 * One request, and the range of rows to use from its response (those whose bucket begins in `range`). The request's window may be longer
 * than the range, because it ends at midnight.
 */
export interface WindowPiece {
  readonly timeframe: Timeframe
  readonly range: Window
}

/** The range that a run reads again. Rows whose bucket begins in `range` are replaced with the rows of the pieces. */
export interface Rereading {
  readonly range: Window
  readonly pieces: readonly WindowPiece[]
}

/** Returns the range to read again, or null if the change is outside the result's range. */
export function planRereading(plan: ContinuousPlan, touched: TimeRange, now: EpochMs): Rereading | null {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  // values can be carried as far as the rows extend
  if (plan.query.align) return wholeRereading(plan, today)
  const ahead = plan.plan.table === 'derived_readiness' ? BASELINE_MS : 0
  const from = Math.max(touched.from - MARGIN_MS, addMonths(today, -12 * YEARS_BACK), plan.window?.from ?? -Infinity)
  const last = Math.min(
    touched.to + MARGIN_MS + ahead,
    addMonths(today, 12 * YEARS_AHEAD),
    (plan.window?.to ?? Infinity) - 1,
  )
  if (last < from) return null
  const range = { from: bucketStart(plan.span, from), to: bucketEnd(plan.span, last) }
  return { range, pieces: splitSpan(plan.span, range, plan.window) }
}

/** Rereads everything for a query that carries values, and replaces all its rows. */
function wholeRereading(plan: ContinuousPlan, today: EpochMs): Rereading {
  const anchor = today + DAY_MS
  const window = plan.window ?? { from: addMonths(anchor, -12 * YEARS_BACK), to: anchor + DAY_MS }
  const range = { from: -Infinity, to: Infinity }
  return { range, pieces: [{ timeframe: toTimeframe(window), range }] }
}

/**
 * Splits a range into windows of whole buckets, each short enough for one request. A bucket that the timeframe truncates is also truncated
 * here.
 */
function splitSpan(span: Span, range: Window, window: Window | null): readonly WindowPiece[] {
  const pieces: WindowPiece[] = []
  for (let from = range.from; from < range.to; ) {
    const next = Math.min(range.to, bucketEnd(span, addMonths(Math.floor(from / DAY_MS) * DAY_MS, 12 * PIECE_YEARS)))
    const read = { from: Math.max(from, window?.from ?? from), to: Math.min(next, window?.to ?? next) }
    if (read.from < read.to) pieces.push({ timeframe: toTimeframe(read), range: { from, to: next } })
    from = next
  }
  return pieces
}

/** Returns a window's timeframe, which ends with the day on which the window ends. */
function toTimeframe({ from, to }: Window): Timeframe {
  const midnight = Math.ceil(to / DAY_MS) * DAY_MS
  const minutes = Math.round((midnight - from) / MINUTE_MS)
  return { type: 'relative', anchor: formatDate(midnight - DAY_MS), past: { unit: 'minute', value: minutes } }
}

/** Returns the end of the bucket that contains a given time. */
function bucketEnd(span: Span, at: EpochMs): EpochMs {
  return plus(bucketStart(span, at), span)
}
