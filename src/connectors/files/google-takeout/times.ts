/** Reads the times in the JSON files of a Google Health takeout: `12/31/25 23:59:00`. Which clock they are on depends on the file. */
import { type EpochMs, formatDate, HOUR_MS, type IsoDate, MINUTE_MS, parseDate, SECOND_MS } from '../../../core/time.ts'

const DATE_LENGTH = 8
const TIME = /^ (\d{2}):(\d{2}):(\d{2})$/
/** Global, because a text's midnight never changes. Most records are of the same day as the one before. */
let lastDate = ''
let lastMidnight: EpochMs | undefined

/** Returns the time as if it were UTC; undefined if it is not in this form. */
export function takeoutTime(text: string | undefined): EpochMs | undefined {
  if (text === undefined) return undefined
  const date = text.slice(0, DATE_LENGTH)
  if (date !== lastDate) {
    lastDate = date
    lastMidnight = midnight(date)
  }
  if (lastMidnight === undefined) return undefined
  const time = TIME.exec(text.slice(DATE_LENGTH))
  if (time === null) return text.length === DATE_LENGTH ? lastMidnight : undefined
  return lastMidnight + Number(time[1]) * HOUR_MS + Number(time[2]) * MINUTE_MS + Number(time[3]) * SECOND_MS
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
