/** The window of a request: its relative timeframe on the calendar, within the limits (interface-gaps 4.9). */
import { QUERY_LIMITS } from '../../../catalogue/query-functions.ts'
import type { Timeframe } from '../../../contract/aggregates/aggregate.ts'
import { type EpochMs, formatDate, parseDate } from '../../../core/time.ts'
import { addMonths, type Span, type Window, windowOf, yearsOf } from './calendar.ts'
import { type Loc, refuse } from './refusal.ts'

/** Four-digit years, with room for the longest window and bucket before them. */
const FIRST_ANCHOR = Date.UTC(1900, 0, 1)
const LAST_ANCHOR = Date.UTC(2199, 11, 31)

/** The floating window that a timeframe at `loc` stands for. Throws a 422 that points at the part that is wrong. */
export function planWindow(timeframe: Timeframe, loc: Loc = ['body', 'timeframe']): Window {
  if ('placeholder' in timeframe) {
    throw refuse([...loc, 'placeholder'], 'a placeholder belongs to a continuous query; write a relative timeframe')
  }
  const anchor = parseDate(timeframe.anchor)
  if (anchor === undefined || anchor < FIRST_ANCHOR || anchor > LAST_ANCHOR) {
    const range = `${formatDate(FIRST_ANCHOR)} to ${formatDate(LAST_ANCHOR)}`
    throw refuse([...loc, 'anchor'], `anchor is a calendar date, YYYY-MM-DD, from ${range}`)
  }
  if (isTooLong(anchor, timeframe.past)) {
    throw refuse([...loc, 'past'], `the window is at most ${QUERY_LIMITS.windowYears} years long`, 'query_limit')
  }
  return windowOf(anchor, timeframe.past)
}

function isTooLong(anchor: EpochMs, past: Span): boolean {
  const years = QUERY_LIMITS.windowYears
  // The estimate first: a huge number of units has no date to compare with.
  return yearsOf(past) > years + 1 || windowOf(anchor, past).from < addMonths(anchor, -12 * years)
}
