/** Parses the period of a question: a day, an ISO week, a month, a year, or a range of days. */
import { DAY_MS, type EpochMs, parseDate } from '../../../core/time.ts'
import type { Span, Window } from '../plan/calendar.ts'
import { type Loc, refuse } from '../plan/refusal.ts'

/** Longer periods have too many samples to explain. */
const MOST_DAYS = 366
const FORMS =
  'a day (2026-11-20), an ISO week (2026-W47), a month (2026-11), a year (2026), or a range (2026-11-16..2026-11-22)'
const LOC: Loc = ['query', 'period']

export interface AskedPeriod {
  readonly window: Window
  /** The only bucket of the query; null for a range of days, which is not a bucket. */
  readonly bucket: Span | null
}

/** Returns the period with its bucket. Throws a 422 for any other text, and for a range that is too long or ends before it starts. */
export function parsePeriod(text: string): AskedPeriod {
  const period = rangeOf(text) ?? bucketOf(text)
  if (period === undefined) throw refuse(LOC, `must be ${FORMS}`)
  const { from, to } = period.window
  if (to <= from) throw refuse(LOC, 'must not end before it starts. Put the earlier day first.')
  if (to - from > MOST_DAYS * DAY_MS) throw refuse(LOC, `must be at most ${MOST_DAYS} days long`, 'query_limit')
  return period
}

function rangeOf(text: string): AskedPeriod | undefined {
  const [first, last, ...more] = text.split('..')
  const [from, end] = [parseDate(first ?? ''), parseDate(last ?? '')]
  if (from === undefined || end === undefined || more.length > 0) return undefined
  return { window: { from, to: end + DAY_MS }, bucket: null }
}

function bucketOf(text: string): AskedPeriod | undefined {
  const day = parseDate(text)
  if (day !== undefined) return bucket('day', day, day + DAY_MS)
  const [, isoYear, week] = /^(\d{4})-W(\d{2})$/.exec(text) ?? []
  if (isoYear !== undefined) return weekOf(Number(isoYear), Number(week))
  const [, year, month] = /^(\d{4})(?:-(\d{2}))?$/.exec(text) ?? []
  const from = year === undefined ? undefined : parseDate(`${year}-${month ?? '01'}-01`)
  if (from === undefined) return undefined
  const first = new Date(from)
  const [y, m] = [first.getUTCFullYear(), first.getUTCMonth()]
  return month === undefined
    ? bucket('year', from, Date.UTC(y + 1, 0, 1))
    : bucket('month', from, Date.UTC(y, m + 1, 1))
}

/** Returns an ISO week: week 1 contains 4 January, and weeks begin on Monday. */
function weekOf(year: number, week: number): AskedPeriod | undefined {
  const first = mondayBefore(Date.UTC(year, 0, 4))
  const from = first + (week - 1) * 7 * DAY_MS
  const isInYear = week >= 1 && from < mondayBefore(Date.UTC(year + 1, 0, 4))
  return isInYear ? bucket('week', from, from + 7 * DAY_MS) : undefined
}

function mondayBefore(at: EpochMs): EpochMs {
  return at - ((new Date(at).getUTCDay() + 6) % 7) * DAY_MS
}

function bucket(unit: Span['unit'], from: EpochMs, to: EpochMs): AskedPeriod {
  return { window: { from, to }, bucket: { unit, value: 1 } }
}
