/**
 * Calculates with floating times: windows, date_trunc buckets and date parts. See docs/interface/aggregates.md#aggregates-4. Indexed reads
 * are unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import type { DatePart, PeriodUnit } from '../../../catalogue/query-functions.ts'
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../../../core/time.ts'

/** A number of units, such as `{unit: 'month', value: 3}`. */
export interface Span {
  readonly unit: PeriodUnit
  readonly value: number
}

/** A range of floating time. `from` is inclusive, `to` is exclusive. */
export interface Window {
  readonly from: EpochMs
  readonly to: EpochMs
}

const WEEK_MS = 7 * DAY_MS
const FIXED_MS: Readonly<Partial<Record<PeriodUnit, number>>> = {
  minute: MINUTE_MS,
  hour: HOUR_MS,
  day: DAY_MS,
  week: WEEK_MS,
}
/** Buckets are counted from this time. Weeks are counted from the first Monday after it. See docs/interface/aggregates.md#aggregates-4. */
const ORIGIN = Date.UTC(2000, 0, 1)
const WEEK_ORIGIN = Date.UTC(2000, 0, 3)
const EPOCH_MONDAY = Date.UTC(1970, 0, 5)

/** Returns the approximate length of a span in years, only for comparison with a limit. */
export function approximateYears(span: Span): number {
  const fixed = FIXED_MS[span.unit]
  if (fixed !== undefined) return (span.value * fixed) / (365.2425 * DAY_MS)
  return span.unit === 'year' ? span.value : span.value / 12
}

/**
 * Moves a time by whole months and keeps the time of day. If the month does not have that day, its last day is used (31 March − 1 month =
 * 28 or 29 February).
 */
export function addMonths(at: EpochMs, months: number): EpochMs {
  const date = new Date(at)
  const target = date.getUTCFullYear() * 12 + date.getUTCMonth() + months
  const [year, month] = [Math.floor(target / 12), ((target % 12) + 12) % 12]
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  return Date.UTC(year, month, Math.min(date.getUTCDate(), last)) + (at - Math.floor(at / DAY_MS) * DAY_MS)
}

/** Moves a time forward by a calendar span, or back if the value is negative. */
export function plus(at: EpochMs, { unit, value }: Span): EpochMs {
  const unitMs = FIXED_MS[unit]
  return unitMs === undefined ? addMonths(at, value * (unit === 'year' ? 12 : 1)) : at + value * unitMs
}

/**
 * Returns the window of a relative timeframe, which ends with the last instant of the anchor's day. If `past` is in days or longer units,
 * the window begins with the day that is this far before the anchor. If it is in minutes or hours, the window has exactly this length. See
 * docs/interface/aggregates.md#aggregates-1.
 */
export function relativeWindow(anchorDay: EpochMs, past: Span): Window {
  const to = anchorDay + DAY_MS
  if (past.unit === 'minute' || past.unit === 'hour') return { from: plus(to, { ...past, value: -past.value }), to }
  return { from: plus(anchorDay, { ...past, value: -past.value }), to }
}

/** Returns the start of the bucket that contains a floating time. */
export type Bucketing = (local: EpochMs) => EpochMs

/** Returns the buckets of a date_trunc. Month and year boundaries are computed once per window. */
export function buckets(span: Span, window: Window): Bucketing {
  const unitMs = FIXED_MS[span.unit]
  if (unitMs !== undefined) {
    const size = unitMs * span.value
    const origin = span.unit === 'week' ? WEEK_ORIGIN : ORIGIN
    return local => Math.floor((local - origin) / size) * size + origin
  }
  const months = span.value * (span.unit === 'year' ? 12 : 1)
  const edges = monthEdges(months, window)
  let at = 0
  return local => {
    // samples are in time order, so the bucket is usually the same as the previous one or the next one
    while (at + 1 < edges.length && local >= (edges[at + 1] as number)) at++
    while (at > 0 && local < (edges[at] as number)) at--
    return edges[at] as number
  }
}

/** Returns the start of the date_trunc bucket that contains a floating time, independently of the window. */
export function bucketStart(span: Span, local: EpochMs): EpochMs {
  return buckets(span, { from: local, to: local + 1 })(local)
}

function monthEdges(months: number, window: Window): Float64Array {
  const first = new Date(window.from)
  const since = (first.getUTCFullYear() - 2000) * 12 + first.getUTCMonth()
  const edges: number[] = []
  for (let month = Math.floor(since / months) * months; ; month += months) {
    const edge = addMonths(ORIGIN, month)
    if (edge >= window.to) break
    edges.push(edge)
  }
  return Float64Array.from(edges)
}

/**
 * Returns a function that extracts a part of a floating time. Weekdays are 1 (Monday) to 7. `week` and `week_of_year` follow ISO 8601, and
 * the other parts follow the calendar.
 */
export function datePart(part: DatePart): (local: EpochMs) => number {
  if (part === 'minute') return local => Math.floor(local / MINUTE_MS) - Math.floor(local / HOUR_MS) * 60
  if (part === 'hour') return local => Math.floor(local / HOUR_MS) - Math.floor(local / DAY_MS) * 24
  let day = Number.NaN
  let value = 0
  return local => {
    const today = Math.floor(local / DAY_MS)
    if (today !== day) {
      day = today
      value = DAY_PARTS[part](today * DAY_MS)
    }
    return value
  }
}

const DAY_PARTS: Readonly<Record<Exclude<DatePart, 'minute' | 'hour'>, (midnight: EpochMs) => number>> = {
  day: midnight => new Date(midnight).getUTCDate(),
  week: isoWeek,
  month: midnight => new Date(midnight).getUTCMonth() + 1,
  year: midnight => new Date(midnight).getUTCFullYear(),
  weekday: weekday,
  week_of_year: isoWeek,
  day_of_year: midnight => (midnight - Date.UTC(new Date(midnight).getUTCFullYear(), 0, 1)) / DAY_MS + 1,
}

function weekday(midnight: EpochMs): number {
  const days = Math.round((midnight - EPOCH_MONDAY) / DAY_MS)
  return (((days % 7) + 7) % 7) + 1
}

/** Returns the ISO week. A week belongs to the year that contains its Thursday. */
function isoWeek(midnight: EpochMs): number {
  const thursday = midnight + (4 - weekday(midnight)) * DAY_MS
  const newYear = Date.UTC(new Date(thursday).getUTCFullYear(), 0, 1)
  return Math.floor((thursday - newYear) / WEEK_MS) + 1
}
