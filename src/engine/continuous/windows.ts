/** Which buckets of a continuous query are read again when a stretch of time was touched. */
import type { Timeframe } from '../../contract/aggregates/aggregate.ts'
import { DAY_MS, type EpochMs, formatDate, MINUTE_MS } from '../../core/time.ts'
import type { Stretch } from '../../store/continuous-query.ts'
import { addMonths, bucketOf, plus, type Span, type Window } from '../aggregate/plan/calendar.ts'
import type { ContinuousPlan } from './plan.ts'

/** How far a result reaches back and ahead of the day of the run. */
const YEARS_BACK = 20
const YEARS_AHEAD = 1
/** One request reads at most 20 years; a piece ends with a bucket, and its last midnight lies a day behind that at most. */
const PIECE_YEARS = 8
/** Times are floating, a summary may be listed a day beside its session, and no offset is longer than a day. */
const MARGIN_MS = 2 * DAY_MS
/** The baseline of derived_readiness: a night counts for so many days to come. */
const BASELINE_MS = 21 * DAY_MS

/** One request, of whose answer the rows count whose bucket begins in `range`: the window of a request ends at a midnight. */
export interface Piece {
  readonly timeframe: Timeframe
  readonly range: Window
}

/** What a run reads again: the rows whose bucket begins in `range` are replaced by those of the pieces. */
export interface Rereading {
  readonly range: Window
  readonly pieces: readonly Piece[]
}

/** Null: what was touched lies outside of what the result is about. */
export function rereadingOf(plan: ContinuousPlan, touched: Stretch, now: EpochMs): Rereading | null {
  const today = Math.floor(now / DAY_MS) * DAY_MS
  // carried values reach as far as there are rows
  if (plan.query.align) return wholeRereading(plan, today)
  const ahead = plan.plan.table === 'derived_readiness' ? BASELINE_MS : 0
  const from = Math.max(touched.from - MARGIN_MS, addMonths(today, -12 * YEARS_BACK), plan.window?.from ?? -Infinity)
  const last = Math.min(
    touched.to + MARGIN_MS + ahead,
    addMonths(today, 12 * YEARS_AHEAD),
    (plan.window?.to ?? Infinity) - 1,
  )
  if (last < from) return null
  const range = { from: bucketOf(plan.span, from), to: bucketEnd(plan.span, last) }
  return { range, pieces: piecesOf(plan.span, range, plan.window) }
}

/** A query that carries values is asked as a whole, and answers for all its rows. */
function wholeRereading(plan: ContinuousPlan, today: EpochMs): Rereading {
  const anchor = today + DAY_MS
  const window = plan.window ?? { from: addMonths(anchor, -12 * YEARS_BACK), to: anchor + DAY_MS }
  const range = { from: -Infinity, to: Infinity }
  return { range, pieces: [{ timeframe: timeframeOf(window), range }] }
}

/** Windows of whole buckets, each short enough for one request; where a timeframe cuts a bucket, it cuts it here too. */
function piecesOf(span: Span, range: Window, window: Window | null): readonly Piece[] {
  const pieces: Piece[] = []
  for (let from = range.from; from < range.to; ) {
    const next = Math.min(range.to, bucketEnd(span, addMonths(Math.floor(from / DAY_MS) * DAY_MS, 12 * PIECE_YEARS)))
    const read = { from: Math.max(from, window?.from ?? from), to: Math.min(next, window?.to ?? next) }
    if (read.from < read.to) pieces.push({ timeframe: timeframeOf(read), range: { from, to: next } })
    from = next
  }
  return pieces
}

/** Ends with the day that the window ends in. */
function timeframeOf({ from, to }: Window): Timeframe {
  const midnight = Math.ceil(to / DAY_MS) * DAY_MS
  const minutes = Math.round((midnight - from) / MINUTE_MS)
  return { type: 'relative', anchor: formatDate(midnight - DAY_MS), past: { unit: 'minute', value: minutes } }
}

/** Where the bucket that holds a time ends. */
function bucketEnd(span: Span, at: EpochMs): EpochMs {
  return plus(bucketOf(span, at), span)
}
