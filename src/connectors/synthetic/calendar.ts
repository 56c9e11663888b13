/** Local days of a person: which instants a calendar date covers in the person's zone, clock changes included. */
import type { Stream } from '../../core/random.ts'
import { DAY_MS, type EpochMs, formatDate, type IsoDate, MINUTE_MS, SECOND_MS } from '../../core/time.ts'
import { fromLocal, zoneOffset } from '../../core/zones.ts'

/** The dates of one zone. Dates are held as midnight UTC of the calendar date. */
export class LocalCalendar {
  /** IANA tz identifier; null: unknown, and days are days in UTC. */
  readonly timeZone: string | null
  /** A UTC day without a clock change, and its offset: most questions are about the day of the question before. */
  private steadyDay = Number.NaN
  private steadyOffset = 0

  constructor(timeZone: string | null) {
    this.timeZone = timeZone
  }

  /** The instant of a wall-clock minute, counted from the date's midnight; negative minutes are the evening before. */
  instantAt(dateMs: EpochMs, minute: number): EpochMs {
    const local = dateMs + minute * MINUTE_MS
    return this.timeZone === null ? local : fromLocal(this.timeZone, local)
  }

  /** Seconds east of UTC, or null when the zone is unknown. */
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

  /** The calendar of one date, wherever it is spent: the same here, and of the place for somebody who travels. */
  ofDate(_dateMs: EpochMs): LocalCalendar {
    return this
  }

  /** Wall-clock minutes since the midnight of the date. */
  minuteOf(dateMs: EpochMs, at: EpochMs): number {
    return (at + (this.offsetAt(at) ?? 0) * SECOND_MS - dateMs) / MINUTE_MS
  }

  /** Midnight UTC of the calendar date that an instant falls on locally. */
  dateOf(at: EpochMs): EpochMs {
    const local = at + (this.offsetAt(at) ?? 0) * SECOND_MS
    return Math.floor(local / DAY_MS) * DAY_MS
  }
}

/** `YYYY-MM-DD` of a date held as midnight UTC. */
export function nameOfDate(dateMs: EpochMs): IsoDate {
  return formatDate(dateMs)
}

/** 0 is Sunday. */
export function weekdayOf(dateMs: EpochMs): number {
  return (Math.floor(dateMs / DAY_MS) + 4) % 7
}

/**
 * Noise around zero with a triangular density: for what is drawn thousands of times, at a sixth of the cost of
 * `Stream.normal`.
 */
export function noise(chance: Stream, deviation: number): number {
  return (chance.next() + chance.next() - 1) * 2.45 * deviation
}

/** Rounds to so many decimals. */
export function rounded(value: number, decimals: number): number {
  const scale = decimals === 0 ? 1 : decimals === 1 ? 10 : 100
  return Math.round(value * scale) / scale
}

/** The nearest value within [low, high]. */
export function clamp(value: number, low: number, high: number): number {
  return Math.max(low, Math.min(high, value))
}

/** The first multiple of a step at or after an instant. */
export function nextMultiple(at: EpochMs, stepMs: number): EpochMs {
  return Math.ceil(at / stepMs) * stepMs
}
