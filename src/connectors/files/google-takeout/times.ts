/** Reads the times in the JSON files of a Google Health takeout: `12/31/25 23:59:00`. Which clock they are on depends on the file. */
import { type EpochMs, formatDate, HOUR_MS, type IsoDate, MINUTE_MS, parseDate, SECOND_MS } from '../../../core/time.ts'

const DATE_LENGTH = 8
const ZERO = '0'.charCodeAt(0)
const LENGTH = DATE_LENGTH + ' 23:59:00'.length
/** Global, because a text's midnight never changes. Most records are of the same day as the one before. */
let lastDate = ''
let lastMidnight: EpochMs | undefined

/** Returns the time as if it were UTC; undefined if it is not in this form. */
export function takeoutTime(text: string | undefined): EpochMs | undefined {
  if (text === undefined || text.length < DATE_LENGTH) return undefined
  if (lastDate === '' || !text.startsWith(lastDate)) {
    lastDate = text.slice(0, DATE_LENGTH)
    lastMidnight = midnight(lastDate)
  }
  if (lastMidnight === undefined || text.length === DATE_LENGTH) return lastMidnight
  if (text.length !== LENGTH || text[8] !== ' ' || text[11] !== ':' || text[14] !== ':') return undefined
  const ms =
    lastMidnight + twoDigits(text, 9) * HOUR_MS + twoDigits(text, 12) * MINUTE_MS + twoDigits(text, 15) * SECOND_MS
  return Number.isNaN(ms) ? undefined : ms
}

/** Parses two digits; returns NaN if they are not digits. A regular expression is too slow for millions of records. */
function twoDigits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - ZERO, text.charCodeAt(at + 1) - ZERO]
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN
}

/** Returns the date in a time or a date of this form; undefined if there is none. */
export function takeoutDate(text: string | undefined): IsoDate | undefined {
  const at = takeoutTime(text)
  return at === undefined ? undefined : formatDate(at)
}

/** Fitbit exists since 2007, so all years are of this century. */
function midnight(text: string): EpochMs | undefined {
  const [, month, day, year] = /^(\d{2})\/(\d{2})\/(\d{2})$/.exec(text) ?? []
  return month === undefined ? undefined : parseDate(`20${year}-${month}-${day}`)
}
