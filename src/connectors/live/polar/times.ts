/** Reads Polar's times: durations, times of day, and local times without an offset. */
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, parseDateTime, SECOND_MS } from '../../../core/time.ts'
import { fromLocal, zoneOffset } from '../../../core/zones.ts'

/** An instant, with its offset in seconds east of UTC (null if unknown). */
export interface TimeWithOffset {
  readonly at: EpochMs
  readonly offset: number | null
}

/** A record for which Polar reports the offset. */
export interface Anchor {
  readonly at: EpochMs
  readonly offset: number
}

/** Maximum distance to a record whose offset is used. Beyond it, the user's zone is used. */
const NEAR_MS = 36 * HOUR_MS

/** Converts local times to instants. */
export class LocalTimes {
  private readonly anchors: readonly Anchor[]
  private readonly zone: string | null

  constructor(anchors: readonly Anchor[], zone: string | null) {
    this.anchors = anchors
    this.zone = zone
  }

  /** Returns the instant of a wall-clock time. If there is no offset, the time is read as UTC, and its offset is unknown. */
  ofLocal(local: EpochMs): TimeWithOffset {
    const anchor = this.nearest(local)
    const isNear = anchor !== null && Math.abs(anchor.at - local) <= NEAR_MS
    if (this.zone !== null && !isNear) {
      const at = fromLocal(this.zone, local)
      return { at, offset: zoneOffset(this.zone, at) }
    }
    if (anchor === null) return { at: local, offset: null }
    return { at: local - anchor.offset * SECOND_MS, offset: anchor.offset }
  }

  /** Adds the offset to an instant. */
  ofInstant(at: EpochMs): TimeWithOffset {
    const anchor = this.nearest(at)
    const isNear = anchor !== null && Math.abs(anchor.at - at) <= NEAR_MS
    if (this.zone !== null && !isNear) return { at, offset: zoneOffset(this.zone, at) }
    return { at, offset: anchor?.offset ?? null }
  }

  /**
   * Reads a date-time with an offset, in UTC, or in local time. `reading` determines how to read a text with neither an offset nor `Z`.
   * Returns undefined if it is not a date-time.
   */
  read(text: unknown, reading: 'local' | 'utc' = 'local'): TimeWithOffset | undefined {
    const parsed = typeof text === 'string' ? parseDateTime(text) : undefined
    if (parsed === undefined) return undefined
    const { local, offset } = parsed
    if (typeof offset === 'number') return { at: local - offset * SECOND_MS, offset }
    return offset === 'unknown' || reading === 'utc' ? this.ofInstant(local) : this.ofLocal(local)
  }

  private nearest(at: EpochMs): Anchor | null {
    let best: Anchor | null = null
    for (const each of this.anchors) {
      if (best === null || Math.abs(each.at - at) < Math.abs(best.at - at)) best = each
    }
    return best
  }
}

const DURATION = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/

/** Converts an ISO 8601 duration in days, hours, minutes and seconds to milliseconds; undefined for anything else. */
export function durationMs(text: unknown): number | undefined {
  const m = typeof text === 'string' && text.length <= 64 ? DURATION.exec(text) : null
  if (m === null) return undefined
  const part = (i: number): number => Number(m[i] ?? 0)
  return Math.round(part(1) * DAY_MS + part(2) * HOUR_MS + part(3) * MINUTE_MS + part(4) * SECOND_MS)
}

/** Returns the milliseconds since midnight of `HH:MM` or `HH:MM:SS`, or undefined. */
export function timeOfDayMs(text: unknown): number | undefined {
  const m = typeof text === 'string' ? /^(\d{1,2}):(\d{2})(?::(\d{2}))?$/.exec(text) : null
  if (m === null) return undefined
  const [hours, minutes, seconds] = [Number(m[1]), Number(m[2]), Number(m[3] ?? 0)]
  if (hours > 23 || minutes > 59 || seconds > 59) return undefined
  return hours * HOUR_MS + minutes * MINUTE_MS + seconds * SECOND_MS
}

/** Maximum length of a night. A time of day that would be later than this is shortly before the start. */
const LONGEST_NIGHT_MS = 20 * HOUR_MS

/**
 * Returns the instant of a local time of day in a night that begins at `start`. Nights cross midnight. Times of day are truncated to the
 * minute, so the first one may be slightly before the start.
 */
export function inNight(start: TimeWithOffset, timeOfDay: number): EpochMs {
  const local = start.at + (start.offset ?? 0) * SECOND_MS
  const after = (((timeOfDay - local) % DAY_MS) + DAY_MS) % DAY_MS
  return start.at + (after > LONGEST_NIGHT_MS ? after - DAY_MS : after)
}
