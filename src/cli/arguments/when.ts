/** Parses a date on the command line: `2026-11-03`, `2026-11`, `2026`, a date-time, `yesterday`, `7d`. */
import {
  DAY_MS,
  type EpochMs,
  formatDate,
  parseDate,
  parseDateTime,
  parseDuration,
  toInstant,
} from '../../core/time.ts'
import { fromLocal, toLocal } from '../../core/zones.ts'

/** The accepted forms, for messages. */
export const WHEN_FORM =
  'a date (YYYY-MM-DD, YYYY-MM or YYYY), an ISO 8601 date-time, today, yesterday, tomorrow, or a duration before now such as 12h or 7d'

/** The examples that help shows for a date flag. */
export const WHEN_HELP = '2026-11-03, 7d, yesterday'

/** A time range, including both ends. A date-time or a duration stands for a single moment. */
export interface Period {
  readonly first: EpochMs
  readonly last: EpochMs
}

/** Offset of each word from today, in days. */
const NAMED_DAYS: Readonly<Record<string, number>> = { yesterday: -1, today: 0, tomorrow: 1 }

/** Returns the time range that a text stands for in a time zone, or undefined if the text has none of the forms. */
export function parsePeriod(text: string, now: EpochMs, zone: string): Period | undefined {
  const before = parseDuration(text)
  if (before !== undefined) return before > 0 ? moment(now - before) : undefined
  const time = parseDateTime(text)
  if (time) return moment(time.offset === 'floating' ? fromLocal(zone, time.local) : toInstant(time))
  const days = localDays(text.toLowerCase(), toLocal(zone, now))
  return days && { first: fromLocal(zone, days.from), last: fromLocal(zone, days.to) - 1 }
}

/** Returns whether the text is a date or date-time that the service also understands. */
export function isExact(text: string): boolean {
  return parseDate(text) !== undefined || parseDateTime(text) !== undefined
}

/** Returns whether a text means the same in every time zone. */
export function isZoneless(text: string): boolean {
  const time = parseDateTime(text)
  return parseDuration(text) !== undefined || (time !== undefined && time.offset !== 'floating')
}

function moment(at: EpochMs): Period {
  return { first: at, last: at }
}

/** Returns the local midnights at which a day, month or year begins and ends. */
function localDays(text: string, now: EpochMs): { readonly from: EpochMs; readonly to: EpochMs } | undefined {
  const days = Object.hasOwn(NAMED_DAYS, text) ? NAMED_DAYS[text] : undefined
  const day = days === undefined ? parseDate(text) : (parseDate(formatDate(now)) ?? 0) + days * DAY_MS
  if (day !== undefined) return { from: day, to: day + DAY_MS }
  const [, year, month] = /^(\d{4})(?:-(\d{2}))?$/.exec(text) ?? []
  if (year === undefined) return undefined
  const from = parseDate(`${year}-${month ?? '01'}-01`)
  const after = month === undefined || month === '12' ? nextYear(year) : `${year}-${pad(Number(month) + 1, 2)}-01`
  const to = parseDate(after)
  return from === undefined || to === undefined ? undefined : { from, to }
}

function nextYear(year: string): string {
  return `${pad(Number(year) + 1, 4)}-01-01`
}

function pad(number: number, digits: number): string {
  return String(number).padStart(digits, '0')
}
