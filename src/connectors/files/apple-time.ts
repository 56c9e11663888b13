/** The times of an export, `2014-09-20 10:41:28 +0100`, read without building an object: they are most of a large import. */
import { NO_OFFSET } from '../../core/sample.ts'
import { DAY_MS, type EpochMs, HOUR_MS, instantOf, MINUTE_MS, parseDateTime, SECOND_MS } from '../../core/time.ts'
import { fromLocal, zoneOffset } from '../../core/zones.ts'
import type { XmlAttributes } from './apple-attributes.ts'

const ZERO = 0x30
const SPACE = 0x20
const DASH = 0x2d
const COLON = 0x3a
const PLUS = 0x2b
/** `YYYY-MM-DD HH:MM:SS +ZZZZ`. */
const USUAL_LENGTH = 25
const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Holds the last time it read. */
export class TimeReader {
  ms: EpochMs = 0
  /** Seconds east of UTC, or NO_OFFSET where the local time is unknown. */
  offset: number = NO_OFFSET
  private readonly zone: string | null

  /** `zone`: where a time without an offset was read on the clock; null: UTC. */
  constructor(zone: string | null) {
    this.zone = zone
  }

  /** Reads an attribute into `ms` and `offset`; false when it is absent or no time. */
  read(attributes: XmlAttributes, name: string): boolean {
    const index = attributes.find(name)
    if (index === -1) return false
    const from = attributes.valueFrom(index)
    if (attributes.valueTo(index) - from === USUAL_LENGTH && this.readUsual(attributes.bytes, from)) return true
    return this.readAny(attributes.value(index))
  }

  private readUsual(bytes: Uint8Array, at: number): boolean {
    const year = digits(bytes, at, 4)
    const month = digits(bytes, at + 5, 2)
    const day = digits(bytes, at + 8, 2)
    const hour = digits(bytes, at + 11, 2)
    const minute = digits(bytes, at + 14, 2)
    const second = digits(bytes, at + 17, 2)
    const eastHours = digits(bytes, at + 21, 2)
    const eastMinutes = digits(bytes, at + 23, 2)
    // a part that is not digits is -1 and makes the whole negative
    if ((year | month | day | hour | minute | second | eastHours | eastMinutes) < 0) return false
    const sign = bytes[at + 20]
    if (bytes[at + 4] !== DASH || bytes[at + 7] !== DASH || bytes[at + 10] !== SPACE) return false
    if (bytes[at + 13] !== COLON || bytes[at + 16] !== COLON || bytes[at + 19] !== SPACE) return false
    if (sign !== PLUS && sign !== DASH) return false
    if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false
    if (hour > 23 || minute > 59 || second > 59 || eastHours > 23 || eastMinutes > 59) return false
    const size = eastHours * 3600 + eastMinutes * 60
    const east = sign === PLUS ? size : -size
    this.ms =
      daysSince1970(year, month, day) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS + (second - east) * SECOND_MS
    // -0000 is an instant whose local time is unknown (RFC 9557)
    this.offset = sign === DASH && size === 0 ? NO_OFFSET : east
    return true
  }

  private readAny(text: string): boolean {
    const parsed = parseDateTime(text.trim())
    if (parsed === undefined) return false
    if (parsed.offset === 'floating' && this.zone !== null) {
      this.ms = fromLocal(this.zone, parsed.local)
      this.offset = zoneOffset(this.zone, this.ms)
      return true
    }
    this.ms = instantOf(parsed)
    this.offset = typeof parsed.offset === 'number' ? parsed.offset : NO_OFFSET
    return true
  }
}

/** The number that `count` decimal digits spell, or -1. */
function digits(bytes: Uint8Array, at: number, count: number): number {
  let number = 0
  for (let i = at; i < at + count; i++) {
    const digit = (bytes[i] as number) - ZERO
    if (!(digit >= 0 && digit <= 9)) return -1
    number = number * 10 + digit
  }
  return number
}

function daysIn(year: number, month: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return (MONTH_DAYS[month - 1] as number) + (leap ? 1 : 0)
}

/** Days from 1970-01-01, counted in years that start in March, so that the leap day is the last of its year. */
function daysSince1970(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1
  const era = Math.floor(y / 400)
  const yearOfEra = y - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear
  return era * 146_097 + dayOfEra - 719_468
}
