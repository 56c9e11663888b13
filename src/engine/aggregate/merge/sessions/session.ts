/** Nights and workouts as a merge compares them: an interval of a source. See docs/interface/merging.md#merging-9. */
import { type EpochMs, HOUR_MS, MINUTE_MS, parseDateTime, SECOND_MS, toInstant } from '../../../../core/time.ts'
import { zoneOffset } from '../../../../core/zones.ts'
import type { StoredSummary } from '../../../../store/sample.ts'
import type { BlockSource } from '../../scan/block.ts'

/** A session that is longer is an error of its source, and is not compared with others. */
const LONGEST_MS = 24 * HOUR_MS

/** A session of one source. It may consist of several stored ones. */
export interface Session {
  readonly source: BlockSource
  /** What is shown: a stored session, or several that were joined. */
  readonly row: StoredSummary
  /** NaN if the stored session does not state both ends, or is longer than a day. */
  readonly start: EpochMs
  readonly end: EpochMs
  /** The stored sessions that make the row, in order of time. */
  readonly parts: readonly StoredSummary[]
  /** Other versions of the parts, which do not count. */
  readonly versions: readonly Version[]
  /** Why parts belong to the night although no rule joined them, by ID. */
  readonly partReasons?: ReadonlyMap<string, string>
}

export interface Version {
  readonly row: StoredSummary
  readonly reason: string
}

/** Returns a stored session. `ends` names the document's fields with its start and end. */
export function sessionOf(
  row: StoredSummary,
  source: BlockSource,
  ends: readonly [string, string],
  zone: string,
): Session {
  return { source, row, ...usableEnds(row, ends, zone), parts: [row], versions: [] }
}

/** Returns the start and end of a stored session; NaN if it does not state both, or is longer than a day. */
export function usableEnds(row: StoredSummary, ends: readonly [string, string], zone: string): Interval {
  const [start, end] = ends.map(name => instantIn(row, name, zone)) as [EpochMs, EpochMs]
  const isUsable = end > start && end - start <= LONGEST_MS
  return { start: isUsable ? start : Number.NaN, end: isUsable ? end : Number.NaN }
}

/** Returns the instant in a field of the document. A time without an offset has that of the row, or of the user's zone. */
function instantIn({ document, offset }: StoredSummary, name: string, zone: string): EpochMs {
  const text = document[name]
  const parsed = typeof text === 'string' ? parseDateTime(text) : undefined
  if (!parsed) return Number.NaN
  if (parsed.offset !== 'floating') return toInstant(parsed)
  return parsed.local - (offset ?? zoneOffset(zone, parsed.local)) * SECOND_MS
}

export function hasEnds({ start }: Pick<Session, 'start'>): boolean {
  return !Number.isNaN(start)
}

type Interval = Pick<Session, 'start' | 'end'>

/** Returns the common time of two sessions as a share of the shorter one, from 0 to 1. NaN if one of them has no ends. */
export function overlap(a: Interval, b: Interval): number {
  const common = Math.max(0, Math.min(a.end, b.end) - Math.max(a.start, b.start))
  return common / Math.min(a.end - a.start, b.end - b.start)
}

/** Compares sessions by time. Those without ends come last. */
export function compareTimes(a: Session, b: Session): number {
  const [x, y] = [Number.isNaN(a.start), Number.isNaN(b.start)]
  return Number(x) - Number(y) || (x ? 0 : a.start - b.start || a.end - b.end) || compareIds(a.row, b.row)
}

export function compareIds(a: StoredSummary, b: StoredSummary): number {
  return a.id === b.id ? 0 : a.id < b.id ? -1 : 1
}

/** Returns a length of time for people: in seconds, or from two minutes on in minutes. */
export function durationText(ms: number): string {
  return ms < 2 * MINUTE_MS ? `${Math.round(ms / SECOND_MS)} s` : `${Math.round(ms / MINUTE_MS)} min`
}

/** Returns a stored session as reports name it. */
export function storedSession({ id, provider, sourceType, appId, deviceId, document }: StoredSummary) {
  const timeIn = (names: readonly string[]): string | null =>
    names.map(name => document[name]).find(value => typeof value === 'string') ?? null
  return {
    id,
    provider,
    source_type: sourceType,
    app_id: appId,
    device_id: deviceId,
    start: timeIn(['bedtime_start', 'time_start']),
    end: timeIn(['bedtime_stop', 'time_end']),
  }
}
