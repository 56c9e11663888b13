/** Reads times in mapped rows: ISO 8601, numeric dates in the file's order, and seconds or milliseconds since 1970. */
import { parseDate, parseDateTime, SECOND_MS } from '../../../core/time.ts'
import { floatingIn, instantIn, type RecordTime } from '../../shared/record-time.ts'
import { parseNumericDate } from '../csv/date.ts'
import type { DateOrder } from '../importer.ts'

/**
 * Matches seconds since 1970. Ten digits are seconds (2001 to 2286), thirteen are milliseconds in the same years, so the two cannot be
 * confused.
 */
const EPOCH_SECONDS = /^\d{10}(?:\.\d+)?$/
const EPOCH_MS = /^\d{13}(?:\.\d+)?$/
const MOST_OFFSET_SECONDS = 18 * 3600

/**
 * Returns the time in a cell, or undefined if it is not a time. `stated` is the offset in another cell of the row: it turns a local time
 * into an instant, and determines the local time of an instant. Otherwise, a time without an offset is local time in `zone`. A date without
 * a time means midnight at its start.
 */
export function mappedTime(
  text: string,
  order: DateOrder,
  zone: string | null,
  stated: number | undefined,
): RecordTime | undefined {
  const cell = text.trim()
  if (EPOCH_SECONDS.test(cell)) return { ms: Math.trunc(Number(cell) * SECOND_MS), offset: stated ?? null }
  if (EPOCH_MS.test(cell)) return { ms: Math.trunc(Number(cell)), offset: stated ?? null }
  const parsed = parseDateTime(cell)
  if (parsed !== undefined) return instantIn(parsed, zone, stated)
  const local = parseDate(cell) ?? parseNumericDate(cell, order)
  return local === undefined ? undefined : floatingIn(local, zone, stated)
}

/**
 * Returns the offset in a cell, in seconds east of UTC: `+02:00`, `+0200`, `+02`, `Z`, or a number of seconds. Returns undefined for
 * anything else.
 */
export function mappedOffset(text: string): number | undefined {
  const cell = text.trim()
  if (cell === 'Z' || cell === 'z') return 0
  const clock = /^([+-])(\d{2})(?::?([0-5]\d))?$/.exec(cell)
  if (clock !== null && Number(clock[2]) <= 14) {
    const size = Number(clock[2]) * 3600 + Number(clock[3] ?? '0') * 60
    return clock[1] === '-' && size > 0 ? -size : size
  }
  const seconds = /^[+-]?\d{1,5}$/.test(cell) ? Number(cell) : Number.NaN
  // offsets are multiples of a quarter hour: 530 is not an offset, and 5400 is one and a half hours
  return Math.abs(seconds) <= MOST_OFFSET_SECONDS && seconds % 900 === 0 ? seconds + 0 : undefined
}
