/** A person's local days: the instants that a calendar date covers in the person's zone, including clock changes. */
import type { Stream } from '../../core/random.ts'
import { DAY_MS, type EpochMs, MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import { fromLocal, zoneOffset } from '../../core/zones.ts'

/** The dates in one zone. Dates are represented as midnight UTC of the calendar date. */
export class LocalCalendar {
  /** IANA zone identifier; null if the zone is unknown; days are then UTC days. */
  readonly timeZone: string | null
  /** The last UTC day without a clock change, and its offset. Cached, because most lookups are for the same day as the previous one. */
  private steadyDay = Number.NaN
  private steadyOffset = 0

  constructor(timeZone: string | null) {
    this.timeZone = timeZone
  }

  /** Returns the instant of a wall-clock minute, counted from midnight of the date. Negative minutes refer to the previous evening. */
  instantAt(dateMs: EpochMs, minute: number): EpochMs {
    const local = dateMs + minute * MINUTE_MS
    return this.timeZone === null ? local : fromLocal(this.timeZone, local)
  }

  /** Returns the offset in seconds east of UTC, or null if the zone is unknown. */
  offsetAt(at: EpochMs): number | null {
    if (this.timeZone === null) return null
    const day = Math.floor(at / DAY_MS)
    if (day === this.steadyDay) return this.steadyOffset
    const before = zoneOffset(this.timeZone, day * DAY_MS)
    if (before !== zoneOffset(this.timeZone, (day + 1) * DAY_MS)) return zoneOffset(this.timeZone, at)
    this.steadyDay = day
    this.steadyOffset = before
    return before
  }

  /**
   * Returns the calendar for the location where the person spends the date. Here, it is always this calendar; for a traveller, it depends
   * on the date.
   */
  ofDate(_dateMs: EpochMs): LocalCalendar {
    return this
  }

  /** Returns the wall-clock minutes since midnight on the date. */
  minuteAt(dateMs: EpochMs, at: EpochMs): number {
    return (at + (this.offsetAt(at) ?? 0) * SECOND_MS - dateMs) / MINUTE_MS
  }

  /** Returns midnight UTC of an instant's local calendar date. */
  dateAt(at: EpochMs): EpochMs {
    const local = at + (this.offsetAt(at) ?? 0) * SECOND_MS
    return Math.floor(local / DAY_MS) * DAY_MS
  }
}

/** Returns the day of the week; 0 is Sunday. */
export function dayOfWeek(dateMs: EpochMs): number {
  return (Math.floor(dateMs / DAY_MS) + 4) % 7
}

/**
 * Returns noise around zero with a triangular density, for values that are drawn thousands of times. Takes a sixth of the time that
 * `Stream.normal` takes.
 */
export function noise(chance: Stream, deviation: number): number {
  return (chance.next() + chance.next() - 1) * 2.45 * deviation
}

/** Rounds to 0, 1 or 2 decimals. */
export function rounded(value: number, decimals: number): number {
  const scale = decimals === 0 ? 1 : decimals === 1 ? 10 : 100
  return Math.round(value * scale) / scale
}

/** Returns the value within [low, high] that is nearest to `value`. */
export function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value))
}

/** Returns the first multiple of a step at or after an instant. */
export function nextMultiple(at: EpochMs, stepMs: number): EpochMs {
  return Math.ceil(at / stepMs) * stepMs
}
