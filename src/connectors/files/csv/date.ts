/** Reads dates written as `03/04/2021`. Whether the day or the month comes first is determined from the whole file or by the caller. */
import { invalid, ServiceError } from '../../../core/errors.ts'
import { type EpochMs, HOUR_MS, MINUTE_MS, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { DateOrder, DateOrderChoice } from '../importer.ts'

/** Matches `03-04-2021 2:05 PM`, `3.4.21 14:05:09`, `2021/04/03 14:05`; the time is optional. */
const NUMERIC =
  /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:(?:,? |T)(\d{1,2}):(\d{2})(?::(\d{2}))?\s?(?:([AaPp])\.?[Mm]\.?)?)?$/

const YEAR_FIRST = /^\s*\d{4}/

interface NumericDate {
  /** The date as written, without the time. */
  readonly text: string
  readonly first: number
  readonly second: number
  readonly third: number
  /** Whether the year comes first with four digits, followed by month and day. */
  readonly isYearFirst: boolean
  /** Whether every part has two digits (`20-06-13`), so that the first part could also be the year. */
  readonly isAllPairs: boolean
  /** Time of day in milliseconds. */
  readonly time: number
}

function numericDate(text: string): NumericDate | undefined {
  const m = NUMERIC.exec(text.trim())
  if (!m) return undefined
  const [, a = '', mark = '', b = '', c = ''] = m
  const isYearFirst = a.length === 4
  if (isYearFirst ? c.length > 2 : a.length > 2 || (c.length !== 4 && c.length !== 2)) return undefined
  const time = timeOfDay(m[5], m[6], m[7], m[8])
  if (time === undefined) return undefined
  const isAllPairs = a.length === 2 && b.length === 2 && c.length === 2
  return {
    text: a + mark + b + mark + c,
    first: Number(a),
    second: Number(b),
    third: Number(c),
    isYearFirst,
    isAllPairs,
    time,
  }
}

/** Returns the full year for two digits, as in POSIX: 69 to 99 are in the 20th century, and all others in the 21st. */
function wholeYear(year: number): number {
  if (year > 99) return year
  return year + (year < 69 ? 2000 : 1900)
}

function timeOfDay(h = '0', m = '0', s = '0', half?: string): number | undefined {
  let hour = Number(h)
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return undefined
    hour = (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
  }
  if (hour > 23 || Number(m) > 59 || Number(s) > 59) return undefined
  return hour * HOUR_MS + Number(m) * MINUTE_MS + Number(s) * SECOND_MS
}

/** Returns a numeric date's local time (as if it were UTC); undefined if the text is not a numeric date or if the day does not exist. */
export function parseNumericDate(text: string, order: DateOrder): EpochMs | undefined {
  const date = numericDate(text)
  if (date === undefined) return undefined
  const { first, second, third } = date
  const [year, month, day] = date.isYearFirst
    ? [first, second, third]
    : order === 'dmy'
      ? [third, second, first]
      : [third, first, second]
  const whole = date.isYearFirst ? year : wholeYear(year)
  const pad = (part: number, digits: number): string => String(part).padStart(digits, '0')
  const midnight = parseDate(`${pad(whole, 4)}-${pad(month, 2)}-${pad(day, 2)}`)
  return midnight === undefined ? undefined : midnight + date.time
}

/** Determines a file's order of day and month. Call `see` with every date, then `settle`. */
export class DateOrderEvidence {
  /** The first position whose date can only start with the day. The next field is the same for the month. */
  private dayFirst: string | undefined
  private monthFirst: string | undefined
  /** The first date that fits both orders. */
  private open: { readonly date: NumericDate; readonly place: string } | undefined
  /** The first and last parts of dates such as `20-06-13`: the part that varies more is not the year. */
  private readonly firstPairs = new Set<number>()
  private readonly lastPairs = new Set<number>()
  private isAllPairs = true

  /** `position` is the date's position in the file: `line 12`. */
  see(text: string, position: string): void {
    // skips the checks below for ordinary dates
    const date = YEAR_FIRST.test(text) ? undefined : numericDate(text)
    if (date === undefined) return
    const { first, second, third } = date
    this.isAllPairs &&= date.isAllPairs
    if (this.isAllPairs) {
      this.firstPairs.add(first)
      this.lastPairs.add(third)
    }
    if (first === second) return
    if (first <= 12 && second <= 12) this.open ??= { date, place: position }
    else if (second <= 12 && first <= 31) this.dayFirst ??= position
    else if (first <= 12 && second <= 31) this.monthFirst ??= position
  }

  /**
   * Returns the order for the whole file, or null if it makes no difference; `given` is the caller's order. Throws ServiceError
   * `invalid_request` if every date fits both orders and the caller gave none, because a guess could move measurements by months. Throws
   * ServiceError `invalid_file` if the dates contradict each other or the caller, or if they seem to start with a two-digit year.
   */
  settle(given: DateOrder | null): DateOrderChoice | null {
    const { dayFirst, monthFirst } = this
    if (given === null && this.isAllPairs && this.lastPairs.size > this.firstPairs.size) throw yearsFirst()
    if (dayFirst !== undefined && monthFirst !== undefined) {
      const where = `${dayFirst} can only have the day first, ${monthFirst} only the month`
      throw new ServiceError('invalid_file', `The dates of the file are in two different orders: ${where}.`, {
        suggestions: [
          'Export the file again with one date format. If the file was put together from several exports, import them one by one.',
        ],
      })
    }
    const position = dayFirst ?? monthFirst
    if (position === undefined) {
      if (this.open === undefined) return null
      if (given === null) throw ambiguous(this.open)
      return { order: given, basis: 'given', place: null }
    }
    const settled = dayFirst === undefined ? 'mdy' : 'dmy'
    if (given !== null && given !== settled) {
      const what = settled === 'dmy' ? 'day' : 'month'
      throw new ServiceError(
        'invalid_file',
        `The dates of the file are not ${given}: ${position} has the ${what} first.`,
        {
          suggestions: [`Leave out --date-order, or use --date-order ${settled}.`],
        },
      )
    }
    return { order: settled, basis: 'file', place: position }
  }
}

/**
 * Returns the error for ambiguous dates. The error contains the date, which consists only of digits, so that the user can decide between
 * its two meanings.
 */
function ambiguous({ date, place: position }: { readonly date: NumericDate; readonly place: string }): ServiceError {
  const { text, first, second } = date
  const msg = `${text} (${position}) can be ${dayName(first, second)} or ${dayName(second, first)}; add --date-order dmy or mdy`
  return invalid([{ loc: ['query', 'date_order'], msg, type: 'missing' }])
}

function dayName(day: number, month: number): string {
  const date = new Date(Date.UTC(2000, month - 1, day))
  return date.toLocaleDateString('en-GB', { day: 'numeric', month: 'long', timeZone: 'UTC' })
}

function yearsFirst(): ServiceError {
  return new ServiceError(
    'invalid_file',
    'The dates of the file have years of two digits that seem to be first. Years of two digits can only be read at the end of a date.',
    {
      suggestions: [
        'Write the years with four digits: in a spreadsheet, format the column as yyyy-mm-dd and save the file again.',
        'If the years are at the end after all, use --date-order dmy or --date-order mdy.',
      ],
    },
  )
}
