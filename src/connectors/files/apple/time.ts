/**
 * Reads the times in an export, `2014-09-20 10:41:28 +0100`, without creating objects, because times are most of the work in a large
 * import.
 */
import { NO_OFFSET } from '../../../core/sample.ts'
import { type EpochMs, HOUR_MS, MINUTE_MS, parseDate, parseDateTime, SECOND_MS } from '../../../core/time.ts'
import { instantIn } from '../../shared/record-time.ts'
import { decodeXml, type XmlAttributes } from '../xml/attributes.ts'
import type { ByteWindow } from '../xml/byte-window.ts'

const ZERO = 0x30
const SPACE = 0x20
const DASH = 0x2d
const COLON = 0x3a
const PLUS = 0x2b
const T = 0x54
const Z = 0x5a
/** `YYYY-MM-DD HH:MM:SS +ZZZZ`. */
const USUAL_LENGTH = 25
/** `YYYY-MM-DDTHH:MM:SSZ`, as written in routes. */
const UTC_LENGTH = 20
const DATE_LENGTH = 'YYYY-MM-DD'.length

/**
 * Reads times and caches the last one. Date and offset rarely change from one record to the next, so both are cached with the bytes they
 * were read from, packed into integers, and parsed again only if the bytes differ.
 */
export class TimeReader {
  ms: EpochMs = 0
  /** Offset in seconds east of UTC, or NO_OFFSET if the local time is unknown. */
  offset: number = NO_OFFSET
  private readonly zone: string | null
  private dateMs = 0
  private dateBytes1 = 0
  private dateBytes2 = 0
  private dateBytes3 = 0
  private east = 0
  private isEastKnown = false
  private zoneBytes1 = 0
  private zoneBytes2 = 0

  /** `zone` is the zone for times without an offset; null means UTC. */
  constructor(zone: string | null) {
    this.zone = zone
  }

  /** Reads the attribute at `index` into `ms` and `offset`. Returns false if there is no attribute (-1) or if it is not a time. */
  read(attributes: XmlAttributes, index: number): boolean {
    return index !== -1 && this.readIn(attributes.window, attributes.valueFrom(index), attributes.valueTo(index))
  }

  /** Reads the text [from, to) in the same way. */
  readIn({ bytes, view }: ByteWindow, from: number, to: number): boolean {
    if (to - from === USUAL_LENGTH && this.readUsual(view, from)) return true
    if (to - from === UTC_LENGTH && this.readUtc(view, from)) return true
    return this.readAny(decodeXml(bytes.toString('utf8', from, to)))
  }

  private readUsual(view: DataView, at: number): boolean {
    if (view.getUint8(at + 10) !== SPACE || !this.readZone(view, at + 19) || !this.readClock(view, at)) return false
    this.ms -= this.east * SECOND_MS
    this.offset = this.isEastKnown ? this.east : NO_OFFSET
    return true
  }

  private readUtc(view: DataView, at: number): boolean {
    if (view.getUint8(at + 10) !== T || view.getUint8(at + 19) !== Z || !this.readClock(view, at)) return false
    this.offset = NO_OFFSET
    return true
  }

  /** Reads `YYYY-MM-DD HH:MM:SS` as if it were UTC. The caller must check the character between date and time. */
  private readClock(view: DataView, at: number): boolean {
    if (!this.readDate(view, at)) return false
    const hour = pair(view, at + 11)
    const minute = pair(view, at + 14)
    const second = pair(view, at + 17)
    // a pair that is not two digits is negative, which makes the combined value negative
    if ((hour | minute | second) < 0 || hour > 23 || minute > 59 || second > 59) return false
    if (view.getUint8(at + 13) !== COLON || view.getUint8(at + 16) !== COLON) return false
    this.ms = this.dateMs + hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS
    return true
  }

  /** `YYYY-MM-DD` */
  private readDate(view: DataView, at: number): boolean {
    const bytes1 = view.getInt32(at, true)
    const bytes2 = view.getInt32(at + 4, true)
    const bytes3 = view.getUint16(at + 8, true)
    if (bytes1 === this.dateBytes1 && bytes2 === this.dateBytes2 && bytes3 === this.dateBytes3) return true
    // dates rarely change, so creating a text for a new date costs little
    const dateMs = parseDate(Buffer.from(view.buffer, view.byteOffset + at, DATE_LENGTH).toString('latin1'))
    if (dateMs === undefined) return false
    this.dateMs = dateMs
    this.dateBytes1 = bytes1
    this.dateBytes2 = bytes2
    this.dateBytes3 = bytes3
    return true
  }

  /** ` +ZZZZ` */
  private readZone(view: DataView, at: number): boolean {
    const bytes1 = view.getInt32(at, true)
    const bytes2 = view.getInt32(at + 2, true)
    if (bytes1 === this.zoneBytes1 && bytes2 === this.zoneBytes2) return true
    const sign = view.getUint8(at + 1)
    const hours = pair(view, at + 2)
    const minutes = pair(view, at + 4)
    if (view.getUint8(at) !== SPACE || (sign !== PLUS && sign !== DASH)) return false
    if ((hours | minutes) < 0 || hours > 23 || minutes > 59) return false
    const size = hours * 3600 + minutes * 60
    this.east = sign === PLUS ? size : -size
    // -0000 is an instant whose local time is unknown (RFC 9557)
    this.isEastKnown = sign === PLUS || size !== 0
    this.zoneBytes1 = bytes1
    this.zoneBytes2 = bytes2
    return true
  }

  private readAny(text: string): boolean {
    const parsed = parseDateTime(text.trim())
    if (parsed === undefined) return false
    const { ms, offset } = instantIn(parsed, this.zone)
    this.ms = ms
    this.offset = offset ?? NO_OFFSET
    return true
  }
}

/** Returns the value of two decimal digits, or a negative number if they are not digits. */
function pair(view: DataView, at: number): number {
  const tens = view.getUint8(at) - ZERO
  const ones = view.getUint8(at + 1) - ZERO
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : -1
}
