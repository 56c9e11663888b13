/** Reads dates written as `03/04/2021`. Whether day or month comes first is decided by the whole file, or by the caller. */
import { invalid, ServiceError } from '../../../core/errors.ts'
import { type EpochMs, HOUR_MS, MINUTE_MS, parseDate, SECOND_MS } from '../../../core/time.ts'
import type { DateOrder } from '../importer.ts'

/** `03-04-2021 2:05 PM`, `3.4.2021 14:05:09`, `2021/04/03 14:05`; the time is optional. */
const NUMERIC =
  /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?:(?:,? |T)(\d{1,2}):(\d{2})(?::(\d{2}))?\s?(?:([AaPp])\.?[Mm]\.?)?)?$/

interface NumericDate {
  readonly first: number
  readonly second: number
  readonly third: number
  /** True when four digits come first: year, month, day. */
  readonly isYearFirst: boolean
  /** Milliseconds into the day. */
  readonly time: number
}

function numericDate(text: string): NumericDate | undefined {
  const m = NUMERIC.exec(text.trim())
  if (!m) return undefined
  const [, a = '', , b = '', c = ''] = m
  const isYearFirst = a.length === 4
  // a two-digit number could be the year, the month or the day
  if (isYearFirst ? c.length > 2 : a.length > 2 || c.length !== 4) return undefined
  const time = timeOfDay(m[5], m[6], m[7], m[8])
  if (time === undefined) return undefined
  return { first: Number(a), second: Number(b), third: Number(c), isYearFirst, time }
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

/**
 * Returns the local time (as if it were UTC) of a numeric date. Returns undefined when the text is not one, names a day that does not
 * exist, or needs an order that is unknown (null).
 */
export function parseNumericDate(text: string, order: DateOrder | null): EpochMs | undefined {
  const date = numericDate(text)
  if (date === undefined || (order === null && !date.isYearFirst)) return undefined
  const { first, second, third } = date
  const [year, month, day] = date.isYearFirst
    ? [first, second, third]
    : order === 'dmy'
      ? [third, second, first]
      : [third, first, second]
  const pad = (part: number, digits: number): string => String(part).padStart(digits, '0')
  const midnight = parseDate(`${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`)
  return midnight === undefined ? undefined : midnight + date.time
}

/** Returns whether the text can only be read once the order of day and month is known. */
export function needsDateOrder(text: string): boolean {
  return numericDate(text)?.isYearFirst === false
}

/** Finds the order of day and month in a file: `see` every date, then `settle`. */
export class DateOrderEvidence {
  /** The first place whose date can only have the day first; below it, the one that can only have the month first. */
  private dayFirst: string | undefined
  private monthFirst: string | undefined
  private isOpen = false

  /** `place` says where the date is in the file: `line 12`. */
  see(text: string, place: string): void {
    const date = numericDate(text)
    if (date === undefined || date.isYearFirst) return
    const { first, second } = date
    if (first === second) return
    if (first <= 12 && second <= 12) this.isOpen = true
    else if (second <= 12 && first <= 31) this.dayFirst ??= place
    else if (first <= 12 && second <= 31) this.monthFirst ??= place
  }

  /**
   * Returns the order of the whole file; `given` is the caller's. Throws ServiceError `invalid_file` when the dates contradict each other
   * or the caller, and `invalid_request` when they fit both orders and the caller gives none.
   */
  settle(given: DateOrder | null): DateOrder {
    const { dayFirst, monthFirst } = this
    if (dayFirst !== undefined && monthFirst !== undefined) {
      const where = `${dayFirst} can only have the day first, ${monthFirst} only the month`
      throw new ServiceError('invalid_file', `The dates of the file are in two different orders: ${where}.`, {
        suggestions: [
          'Export the file again with one date format. If the file was put together from several exports, import them one by one.',
        ],
      })
    }
    if (dayFirst === undefined && monthFirst === undefined) {
      if (given === null && this.isOpen) throw ambiguous()
      return given ?? 'dmy'
    }
    const settled = dayFirst === undefined ? 'mdy' : 'dmy'
    if (given !== null && given !== settled) {
      const what = settled === 'dmy' ? 'day' : 'month'
      const where = `${dayFirst ?? monthFirst} has the ${what} first`
      throw new ServiceError('invalid_file', `The dates of the file are not ${given}: ${where}.`, {
        suggestions: [`Leave out --date-order, or use --date-order ${settled}.`],
      })
    }
    return settled
  }
}

function ambiguous(): ServiceError {
  const msg =
    'every date in the file can be read with the day first or with the month first; set the order with ' +
    '--date-order dmy (31-12-2025) or --date-order mdy (12-31-2025)'
  return invalid([{ loc: ['query', 'date_order'], msg, type: 'missing' }])
}
