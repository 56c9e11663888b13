/** Times of records: instants with what is known of their local time, and readings of the person's wall clock. */
import { DAY_MS, type EpochMs, instantOf, type ParsedDateTime, parseDate, parseDateTime } from '../../../core/time.ts'
import { fromLocal, zoneOffset } from '../../../core/zones.ts'

export interface RecordTime {
  readonly ms: EpochMs
  /** Seconds east of UTC, or null when unknown. */
  readonly offset: number | null
}

/**
 * Reads wall-clock times of a zone that stand in the order in which they happened. In the hour that a clock change repeats, a
 * reading that is not after the one before it belongs to the second pass; one that a change skips is moved on by the length
 * of the gap, as `fromLocal` does.
 */
export class WallClock {
  private readonly zone: string | null
  /** By run of readings: the last instant. */
  private readonly last = new Map<string, EpochMs>()

  /** `zone` null: the readings are taken as UTC, and their local time is unknown. */
  constructor(zone: string | null) {
    this.zone = zone
  }

  /** `run` names the readings that are in one order, a file may hold several one after the other. */
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

/** The instant of a parsed time; a floating one is read on the clock of the zone, null: UTC. */
export function instantIn(parsed: ParsedDateTime, zone: string | null): RecordTime {
  if (parsed.offset === 'floating') return floatingIn(parsed.local, zone)
  return { ms: instantOf(parsed), offset: typeof parsed.offset === 'number' ? parsed.offset : null }
}

/** The instant of a wall-clock reading, by itself. */
export function floatingIn(local: EpochMs, zone: string | null): RecordTime {
  if (zone === null) return { ms: local, offset: null }
  const ms = fromLocal(zone, local)
  return { ms, offset: zoneOffset(zone, ms) }
}

/** The instant of an ISO 8601 date-time, or of a date: its midnight on the clock of the zone. Undefined where it is none. */
export function readTime(text: unknown, zone: string | null): RecordTime | undefined {
  if (typeof text !== 'string') return undefined
  const trimmed = text.trim()
  const parsed = parseDateTime(trimmed)
  if (parsed !== undefined) return instantIn(parsed, zone)
  const midnight = parseDate(trimmed)
  return midnight === undefined ? undefined : floatingIn(midnight, zone)
}

/** The same of the last moment that a text covers: a date alone lasts to the next midnight. */
export function readEnd(text: unknown, zone: string | null): RecordTime | undefined {
  const midnight = typeof text === 'string' ? parseDate(text.trim()) : undefined
  return midnight === undefined ? readTime(text, zone) : floatingIn(midnight + DAY_MS, zone)
}
