/** Computes a request's window from its relative timeframe, within the limits. See docs/interface/aggregates.md#aggregates-1. */
import { QUERY_LIMITS } from '../../../catalogue/query-functions.ts'
import type { Timeframe } from '../../../contract/aggregates/aggregate.ts'
import { type EpochMs, formatDate, parseDate } from '../../../core/time.ts'
import { addMonths, approximateYears, relativeWindow, type Span, type Window } from './calendar.ts'
import { type Loc, refuse } from './refusal.ts'

/** Years have four digits, and these bounds leave room for the longest window and the longest bucket. */
const FIRST_ANCHOR = Date.UTC(1900, 0, 1)
const LAST_ANCHOR = Date.UTC(2199, 11, 31)

/** Returns the floating window of the timeframe at `loc`. Throws a 422 for the invalid part. */
export function planWindow(timeframe: Timeframe, loc: Loc = ['body', 'timeframe']): Window {
  if ('placeholder' in timeframe) {
    throw refuse(
      [...loc, 'placeholder'],
      'a placeholder is allowed only in a continuous query. Write a relative timeframe.',
    )
  }
  const anchor = parseDate(timeframe.anchor)
  if (anchor === undefined || anchor < FIRST_ANCHOR || anchor > LAST_ANCHOR) {
    const range = `${formatDate(FIRST_ANCHOR)} to ${formatDate(LAST_ANCHOR)}`
    throw refuse([...loc, 'anchor'], `must be a calendar date, YYYY-MM-DD, from ${range}`)
  }
  if (isTooLong(anchor, timeframe.past)) {
    throw refuse([...loc, 'past'], `the window must be at most ${QUERY_LIMITS.windowYears} years long`, 'query_limit')
  }
  return relativeWindow(anchor, timeframe.past)
}

function isTooLong(anchor: EpochMs, past: Span): boolean {
  const years = QUERY_LIMITS.windowYears
  // estimate first, because a very large number of units results in an invalid date
  return approximateYears(past) > years + 1 || relativeWindow(anchor, past).from < addMonths(anchor, -12 * years)
}
