/** Reads records' times: instants, with their local time if known, and local times on the person's clock. */
import {
  DAY_MS,
  type EpochMs,
  type IsoDate,
  localDate,
  type ParsedDateTime,
  parseDate,
  parseDateTime,
  SECOND_MS,
  toInstant,
} from '../../core/time.ts'
import { fromLocal, zoneOffset } from '../../core/zones.ts'

export interface RecordTime {
  readonly ms: EpochMs
  /** Offset in seconds east of UTC; null if unknown. */
  readonly offset: number | null
}

/**
 * Reads local times in a zone, listed in chronological order. In the hour that a clock change repeats, a time that is not after the
 * previous one belongs to the second pass. A time that a clock change skips is moved forward by the length of the gap, as in `fromLocal`.
 */
export class WallClock {
  private readonly zone: string | null
  /** The last instant of each run of readings. */
  private readonly last = new Map<string, EpochMs>()

  /** If `zone` is null, the times are read as UTC, and their local time is unknown. */
  constructor(zone: string | null) {
    this.zone = zone
  }

  /** `run` identifies a group of readings in chronological order. A file may contain several runs, one after another. */
  read(local: EpochMs, run = ''): RecordTime {
    if (this.zone === null) return { ms: local, offset: null }
    const early = fromLocal(this.zone, local)
    const late = this.secondPass(local, early)
    const last = this.last.get(run)
    const ms = late !== undefined && last !== undefined && early <= last && late > last ? late : early
    if (last !== undefined || this.last.size < MOST_RUNS) this.last.set(run, ms)
    return { ms, offset: zoneOffset(this.zone, ms) }
  }

  private secondPass(local: EpochMs, early: EpochMs): EpochMs | undefined {
    const zone = this.zone as string
    const late = local - zoneOffset(zone, local + DAY_MS) * 1000
    return late > early && late + zoneOffset(zone, late) * 1000 === local ? late : undefined
  }
}

const MOST_RUNS = 1000

/**
 * Returns the instant of a parsed time. A floating time is local time in `zone`; null means UTC. `stated` is an offset stored next to the
 * time. It turns a local time into an instant, and determines an instant's local time; null means that the offset is known to be unknown.
 */
export function instantIn(parsed: ParsedDateTime, zone: string | null, stated?: number | null): RecordTime {
  if (parsed.offset === 'floating') return floatingIn(parsed.local, zone, stated)
  const own = typeof parsed.offset === 'number' ? parsed.offset : null
  return { ms: toInstant(parsed), offset: stated === undefined ? own : stated }
}

/** Returns the instant of a single local time, regardless of other times. `stated` is used as in `instantIn`. */
export function floatingIn(local: EpochMs, zone: string | null, stated?: number | null): RecordTime {
  if (typeof stated === 'number') return { ms: local - stated * SECOND_MS, offset: stated }
  if (zone === null) return { ms: local, offset: null }
  const ms = fromLocal(zone, local)
  return { ms, offset: zoneOffset(zone, ms) }
}

/** Returns the instant of an ISO 8601 date-time, or the local midnight of a date in `zone`; undefined if the text is neither. */
export function readTime(text: unknown, zone: string | null): RecordTime | undefined {
  if (typeof text !== 'string') return undefined
  const trimmed = text.trim()
  const parsed = parseDateTime(trimmed)
  if (parsed !== undefined) return instantIn(parsed, zone)
  const midnight = parseDate(trimmed)
  return midnight === undefined ? undefined : floatingIn(midnight, zone)
}

/** Returns the end of the time in a text: the next midnight for a date without a time, otherwise the result of `readTime`. */
export function readEnd(text: unknown, zone: string | null): RecordTime | undefined {
  const midnight = typeof text === 'string' ? parseDate(text.trim()) : undefined
  return midnight === undefined ? readTime(text, zone) : floatingIn(midnight + DAY_MS, zone)
}

/** Returns a time's local date. If the offset is unknown, the date is determined in `zone`; null means UTC. */
export function dateIn({ ms, offset }: RecordTime, zone: string | null): IsoDate {
  return localDate(ms, offset ?? (zone === null ? null : zoneOffset(zone, ms)))
}
