/** Buckets of time as people write them: `14:00`, `Mon 3 Nov`, `week of 3 Nov`, `November 2026`. Times are floating, in seconds. */
import { DAY, floatingFrom, floatingText, formatDate, toShown } from './floating.ts'

/** The length of a bucket as a number of units, as in a query: minute, hour, day, week, month or year. */
export interface Bucket {
  readonly unit: string
  readonly value: number
}

/** What the reader knows about a list of buckets, so that the texts need not repeat it. */
export type Known = 'nothing' | 'year' | 'day'

export const ONE_DAY: Bucket = { unit: 'day', value: 1 }
const HOUR = 3_600
/** Of the longest month and year. */
const SECONDS: Readonly<Record<string, number>> = {
  minute: 60,
  hour: HOUR,
  day: DAY,
  week: 7 * DAY,
  month: 31 * DAY,
  year: 366 * DAY,
}

/** Returns the longest length of a bucket in seconds. */
export function bucketSeconds({ unit, value }: Bucket): number {
  return value * (SECONDS[unit] ?? DAY)
}

/** Returns the bucket of this length. */
export function bucketOf(seconds: number): Bucket {
  if (seconds % DAY === 0) return { unit: 'day', value: seconds / DAY }
  return seconds % HOUR === 0 ? { unit: 'hour', value: seconds / HOUR } : { unit: 'minute', value: seconds / 60 }
}

/** Returns the length of a bucket in words, such as `12 hours` or `day`. */
export function lengthText({ unit, value }: Bucket): string {
  return value === 1 ? unit : `${value} ${unit}s`
}

/** Returns what the reader of a list of buckets knows if all of them are in the range. */
export function knownIn(from: number, to: number): Known {
  const [first, last] = [floatingText(toShown(from)), floatingText(toShown(to))]
  if (first.slice(0, 10) === last.slice(0, 10)) return 'day'
  return first.slice(0, 4) === last.slice(0, 4) ? 'year' : 'nothing'
}

const format = (at: number, options: Intl.DateTimeFormatOptions): string =>
  formatDate(at * 1_000, { timeZone: 'UTC', ...options })

/** Returns the bucket that begins at a time as text. Days and longer buckets are those of the user, in every time zone. */
export function bucketText(start: number, bucket: Bucket, known: Known = 'nothing'): string {
  const { unit, value } = bucket
  const at = unit === 'minute' || unit === 'hour' ? toShown(start) : start
  const date = format(at, { day: 'numeric', month: 'short', ...(known === 'nothing' ? { year: 'numeric' } : {}) })
  const day = `${format(at, { weekday: 'short' })} ${date}`
  if (unit === 'minute' || unit === 'hour') {
    const clock = floatingText(at).slice(11, 16)
    return known === 'day' ? clock : `${day}, ${clock}`
  }
  const texts: Readonly<Record<string, string>> = {
    week: value === 1 ? `week of ${date}` : date,
    month: format(at, { month: 'long', year: 'numeric' }),
    year: format(at, { year: 'numeric' }),
  }
  const text = texts[unit] ?? day
  return value === 1 ? text : `${lengthText(bucket)} from ${text}`
}

/** Returns when a value was measured, for a sentence: `on Mon 3 Nov 2026`, `in the 12 hours from Mon 3 Nov 2026, 00:00`. */
export function whenText(at: number, bucket: Bucket): string {
  const { unit, value } = bucket
  const text = bucketText(at, bucket)
  if (unit === 'minute' || unit === 'hour') return `in the ${lengthText(bucket)} from ${text}`
  if (value > 1 || unit === 'week') return `in the ${text}`
  return unit === 'day' ? `on ${text}` : `in ${text}`
}

/** Returns a date as text, such as `Tue 3 Nov 2026`, and any other text unchanged. */
export function dateText(date: string): string {
  const at = date.length === 10 ? floatingFrom(date) : null
  return at === null ? date : bucketText(at, ONE_DAY)
}

/** Returns a part of a date as text: an hour as `14:00`, a weekday or a month as its name, and any other part as its number. */
export function partText(part: string, value: number): string {
  if (part === 'hour') return `${String(value).padStart(2, '0')}:00`
  // the fifth of January 1970 was a Monday, the first weekday
  if (part === 'weekday') return format((value + 3) * DAY, { weekday: 'long' })
  return part === 'month' ? format(Date.UTC(2000, value - 1) / 1_000, { month: 'long' }) : `${value}`
}

interface PeriodProps {
  readonly at: number
  readonly bucket: Bucket
  readonly known: Known
  /** The time as the service returned it; by default, the time of `at`. */
  readonly exact?: string
}

/** A bucket with its exact start as the tooltip. */
export function Period({ at, bucket, known, exact = floatingText(at) }: PeriodProps) {
  return (
    <time class="data-nowrap" dateTime={exact} title={exact}>
      {bucketText(at, bucket, known)}
    </time>
  )
}
