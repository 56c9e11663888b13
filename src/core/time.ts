/** Parses and prints instants, dates and durations. */

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number
/** A calendar date, `YYYY-MM-DD`. */
export type IsoDate = string

export const SECOND_MS = 1_000
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** Returns the milliseconds since an arbitrary moment. `performance` would also return them, but Node takes a millisecond to load it. */
export function elapsedMs(): number {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e3 + nanoseconds / 1e6
}

/** Returns `YYYY-MM-DDTHH:MM:SS+00:00`, with `.mmm` if the milliseconds are not zero. See docs/interface/timeseries.md#timeseries-5. */
export function formatInstant(ms: EpochMs): string {
  return `${wallClock(ms)}+00:00`
}

/** Returns the UTC calendar date of an instant. */
export function formatDate(ms: EpochMs): IsoDate {
  const day = Math.floor(ms / DAY_MS)
  const at = day & (KEPT_DAYS - 1)
  const kept = keptDates[at]
  if (kept !== undefined && keptDays[at] === day) return kept
  const date = new Date(ms).toISOString().slice(0, 10)
  keptDates[at] = date
  keptDays[at] = day
  return date
}

/** Returns the local calendar date of an instant. `offset` is in seconds east of UTC; without it, the date is in UTC. */
export function localDate(ms: EpochMs, offset: number | null | undefined): IsoDate {
  return formatDate(ms + (offset ?? 0) * SECOND_MS)
}

/**
 * Number of dates whose text is cached, because today's date and the dates in current queries are needed repeatedly. Must be a power of
 * two.
 */
const KEPT_DAYS = 64
// these caches are global, because a text depends only on the time
const keptDays: number[] = new Array(KEPT_DAYS).fill(Number.NaN)
const keptDates: IsoDate[] = new Array(KEPT_DAYS).fill('')

/** Returns a floating date-time, without offset: `YYYY-MM-DDTHH:MM:SS`, with `.mmm` if the milliseconds are not zero. */
export function formatFloating(localMs: EpochMs): string {
  return wallClock(localMs)
}

/** Returns the time of day `HH:MM:SS` for the milliseconds since midnight. */
export function formatTimeOfDay(ms: number): string {
  return new Date(ms).toISOString().slice(11, 19)
}

const TWO_DIGITS = Array.from({ length: 60 }, (_, n) => String(n).padStart(2, '0'))
// global, for the same reason as keptDays
const keptMinutes: string[] = new Array(24 * 60)
let keptDay = Number.NaN
let keptDate = ''

/**
 * Formats a time. Millions of samples are printed, so the text of the latest day is cached for nearby times, and the texts of all minutes
 * are cached permanently.
 */
function wallClock(ms: EpochMs): string {
  const day = Math.floor(ms / DAY_MS)
  if (day !== keptDay) {
    keptDate = formatDate(ms)
    keptDay = day
  }
  const within = ms - day * DAY_MS
  const minute = Math.floor(within / MINUTE_MS)
  const second = Math.floor((within - minute * MINUTE_MS) / SECOND_MS)
  const thousandths = Math.floor(within % SECOND_MS)
  keptMinutes[minute] ??= `T${TWO_DIGITS[Math.floor(minute / 60)]}:${TWO_DIGITS[minute % 60]}:`
  const text = keptDate + keptMinutes[minute] + TWO_DIGITS[second]
  return thousandths === 0 ? text : `${text}.${String(thousandths).padStart(3, '0')}`
}

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/

/** Returns midnight UTC of a calendar date; undefined if the date does not exist (such as 2025-02-30). */
export function parseDate(text: string): EpochMs | undefined {
  const m = DATE.exec(text)
  if (!m) return undefined
  const [year, month, day] = [Number(m[1]), Number(m[2]), Number(m[3])]
  return checkedUtc(year, month, day, 0, 0, 0, 0)
}

/**
 * A parsed date-time. `local` is the wall-clock time as if it were UTC. `offset` describes the zone as in RFC 9557: a number is seconds
 * east of UTC, `unknown` means an instant whose local time is unknown (`Z`, `-00:00`), and `floating` means a wall-clock time without an
 * offset.
 */
export interface ParsedDateTime {
  readonly local: EpochMs
  readonly offset: number | 'unknown' | 'floating'
  /** Whether digits below a millisecond were dropped. */
  readonly truncated: boolean
}

const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?(?: ?(Z|z|[+-]\d{2}(?::?\d{2})?(?::?\d{2})?))?$/

/** Parses an ISO 8601 date-time; returns undefined if the text is not one, or if the day or time does not exist. */
export function parseDateTime(text: string): ParsedDateTime | undefined {
  const m = DATE_TIME.exec(text)
  if (!m) return undefined
  const fraction = m[7] ?? ''
  const ms = fraction === '' ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'))
  const local = checkedUtc(
    Number(m[1]),
    Number(m[2]),
    Number(m[3]),
    Number(m[4]),
    Number(m[5]),
    Number(m[6] ?? '0'),
    ms,
  )
  if (local === undefined) return undefined
  const offset = parseOffset(m[8])
  if (offset === undefined) return undefined
  return { local, offset, truncated: fraction.length > 3 && /[1-9]/.test(fraction.slice(3)) }
}

/** Returns the instant of a parsed date-time; a floating one is read as UTC. */
export function toInstant(parsed: ParsedDateTime): EpochMs {
  return typeof parsed.offset === 'number' ? parsed.local - parsed.offset * SECOND_MS : parsed.local
}

/** Returns the instant of a date-time in text, or undefined for anything else. */
export function readInstant(value: unknown): EpochMs | undefined {
  const parsed = typeof value === 'string' ? parseDateTime(value) : undefined
  return parsed && toInstant(parsed)
}

function parseOffset(text: string | undefined): ParsedDateTime['offset'] | undefined {
  if (text === undefined) return 'floating'
  if (text === 'Z' || text === 'z') return 'unknown'
  const digits = text.slice(1).replaceAll(':', '')
  const hours = Number(digits.slice(0, 2))
  const minutes = Number(digits.slice(2, 4) || '0')
  const seconds = Number(digits.slice(4, 6) || '0')
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  const size = hours * 3600 + minutes * 60 + seconds
  if (text[0] === '-') return size === 0 ? 'unknown' : -size
  return size
}

function checkedUtc(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  ms: number,
): EpochMs | undefined {
  if (year < 1 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  date.setUTCHours(hour, minute, second, ms)
  return date.getTime()
}

const DURATION_UNITS: Readonly<Record<string, number>> = {
  s: SECOND_MS,
  m: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
  w: 7 * DAY_MS,
}

/**
 * Parses `90s`, `5m` (minutes), `2h`, `7d` or `1w` to milliseconds; returns undefined for other forms. A leading `-` makes the result
 * negative.
 */
export function parseDuration(text: string): number | undefined {
  const [, sign, number, unit = ''] = /^(-?)(\d{1,9})([smhdw])$/.exec(text) ?? []
  const unitMs = DURATION_UNITS[unit]
  if (unitMs === undefined) return undefined
  return (sign === '-' ? -1 : 1) * Number(number) * unitMs
}
