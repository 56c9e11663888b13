/** The oracle's own calendar: counts days by simple rules, without `Date` arithmetic. */

export const DAY = 86_400_000
const UNIT: Readonly<Record<string, number>> = { minute: 60_000, hour: 3_600_000, day: DAY, week: 7 * DAY }

/** `{unit, value}` as in a query. */
export interface Period {
  readonly unit: string
  readonly value: number
}

interface Civil {
  readonly year: number
  readonly month: number
  readonly day: number
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
}

function monthLength(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** Returns the number of days from 1970-01-01 to 1 January of a year. */
function yearStart(year: number): number {
  const before = year - 1
  const leaps = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)
  return before * 365 + leaps - 719_162
}

/** Returns the number of days since 1970-01-01. */
function dayNumber(year: number, month: number, day: number): number {
  let days = yearStart(year)
  for (let m = 1; m < month; m++) days += monthLength(year, m)
  return days + day - 1
}

function civil(dayNo: number): Civil {
  let year = 1970 + Math.floor(dayNo / 366)
  while (yearStart(year + 1) <= dayNo) year++
  while (yearStart(year) > dayNo) year--
  let left = dayNo - yearStart(year)
  let month = 1
  while (left >= monthLength(year, month)) left -= monthLength(year, month++)
  return { year, month, day: left + 1 }
}

const dayIndex = (ms: number): number => Math.floor(ms / DAY)

/** Returns midnight of a calendar date, or null for an invalid text. */
export function readDate(text: string): number | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!found) return null
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])]
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > monthLength(year, month)) return null
  return dayNumber(year, month, day) * DAY
}

/** Parses a date-time. Returns the wall-clock time as if it were UTC, and the offset in seconds east of UTC, if any. */
export function readTime(text: string): { readonly wall: number; readonly offsetSec: number | null } | null {
  const found = /^(.{10})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{3}))?(Z|[+-]\d{2}:\d{2})?$/.exec(text)
  const midnight = found ? readDate(found[1] as string) : null
  if (!found || midnight === null) return null
  const seconds = Number(found[2]) * 3600 + Number(found[3]) * 60 + Number(found[4])
  const wall = midnight + seconds * 1000 + Number(found[5] ?? 0)
  const zone = found[6]
  if (zone === undefined) return { wall, offsetSec: null }
  if (zone === 'Z') return { wall, offsetSec: 0 }
  const size = Number(zone.slice(1, 3)) * 3600 + Number(zone.slice(4, 6)) * 60
  return { wall, offsetSec: zone.startsWith('-') ? -size : size }
}

const two = (n: number): string => String(n).padStart(2, '0')

/** Formats as `YYYY-MM-DD`. */
export function printDate(ms: number): string {
  const { year, month, day } = civil(dayIndex(ms))
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
}

/** Formats as `YYYY-MM-DDTHH:MM:SS`, with `.mmm` if the milliseconds are not zero. */
export function printTime(ms: number): string {
  const within = ms - dayIndex(ms) * DAY
  const seconds = Math.floor(within / 1000)
  const clock = `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`
  const rest = Math.floor(within % 1000)
  return `${printDate(ms)}T${clock}${rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`}`
}

/** Adds whole months to a time; a day that the month lacks becomes its last. */
function plusMonths(ms: number, months: number): number {
  const day = dayIndex(ms)
  const from = civil(day)
  let { year, month } = from
  for (let i = 0; i < Math.abs(months); i++) {
    month += months > 0 ? 1 : -1
    if (month === 13) [year, month] = [year + 1, 1]
    if (month === 0) [year, month] = [year - 1, 12]
  }
  const kept = Math.min(from.day, monthLength(year, month))
  return dayNumber(year, month, kept) * DAY + (ms - day * DAY)
}

/** Adds a number of periods to a time, by the calendar. */
export function plus(ms: number, period: Period, times = 1): number {
  const unit = UNIT[period.unit]
  if (unit !== undefined) return ms + unit * period.value * times
  return plusMonths(ms, period.value * times * (period.unit === 'year' ? 12 : 1))
}

/** Returns the window of a relative timeframe, with `to` exclusive. See docs/interface/aggregates.md. */
export function toWindow(anchor: string, past: Period): { readonly from: number; readonly to: number } {
  const midnight = readDate(anchor)
  if (midnight === null) throw new Error('the oracle was given no date')
  const to = midnight + DAY
  return { from: plus(past.unit === 'minute' || past.unit === 'hour' ? to : midnight, past, -1), to }
}

/** Returns the start of the bucket that contains a time. Buckets count from 2000-01-01, weeks from Monday 2000-01-03. */
export function bucketStart(ms: number, period: Period): number {
  const unit = UNIT[period.unit]
  if (unit !== undefined) {
    const origin = dayNumber(2000, 1, period.unit === 'week' ? 3 : 1) * DAY
    const over = (ms - origin) % (unit * period.value)
    return ms - (over < 0 ? over + unit * period.value : over)
  }
  const { year, month } = civil(dayIndex(ms))
  const size = period.value * (period.unit === 'year' ? 12 : 1)
  let since = (year - 2000) * 12 + (month - 1)
  while (since % size !== 0) since--
  return dayNumber(2000 + Math.floor(since / 12), (((since % 12) + 12) % 12) + 1, 1) * DAY
}

/** Returns a part of a time, as date_part does. See docs/interface/aggregates.md. */
export function datePart(ms: number, part: string): number {
  const day = dayIndex(ms)
  const { year, month, day: dayOfMonth } = civil(day)
  const minutes = Math.floor((ms - day * DAY) / 60_000)
  switch (part) {
    case 'minute':
      return minutes % 60
    case 'hour':
      return Math.floor(minutes / 60)
    case 'day':
      return dayOfMonth
    case 'month':
      return month
    case 'year':
      return year
    case 'weekday':
      return weekday(day)
    case 'week':
    case 'week_of_year':
      return isoWeek(day, year)
    case 'day_of_year':
      return day - yearStart(year) + 1
    default:
      throw new Error(`the oracle knows no part ${part}`)
  }
}

/** Monday is 1; 1970-01-01 was a Thursday. */
function weekday(day: number): number {
  return ((((day + 3) % 7) + 7) % 7) + 1
}

/** The first week of a year is the one with 4 January in it. */
function isoWeek(day: number, year: number): number {
  for (const candidate of [year + 1, year, year - 1]) {
    const fourth = dayNumber(candidate, 1, 4)
    const monday = fourth - weekday(fourth) + 1
    if (day >= monday) return Math.floor((day - monday) / 7) + 1
  }
  throw new Error('every day has a week')
}
