/** Time zones: IANA identifiers, and zone offsets at an instant, from tables that are built on demand. */
import { DAY_MS, type EpochMs, MINUTE_MS } from './time.ts'

/** A zone's offsets in one time segment: from `starts[i]` on, the zone is `offsets[i]` seconds east of UTC. */
interface ZoneTable {
  readonly starts: readonly EpochMs[]
  readonly offsets: readonly number[]
}

/** Tables by zone, then by segment number. Only the segments that are needed are computed, because each probe takes about 10 µs. */
// both caches are global, because all callers use the same time zones
const tables = new Map<string, Map<number, ZoneTable>>()
const formats = new Map<string, Intl.DateTimeFormat>()
/** Identifiers known to be valid, because creating a format takes about 0.1 ms. Limited, because they are valid in any mixture of cases. */
const valid = new Set<string>()
const MOST_VALID = 2_000
const PROBE_MS = 28 * DAY_MS
const SEGMENT_MS = 13 * PROBE_MS

/** Returns whether the text is an IANA time zone identifier that this runtime knows (`Europe/Berlin`, `UTC`; not `+02:00`). */
export function isTimeZone(id: string): boolean {
  if (valid.has(id)) return true
  if (id === '' || id.length > 64 || /^[+-]/.test(id)) return false
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: id })
    if (valid.size >= MOST_VALID) valid.clear()
    valid.add(id)
    return true
  } catch {
    return false
  }
}

/**
 * Returns an identifier in its usual spelling: `Europe/Berlin` for `europe/berlin`. Identifiers are accepted in any case and stored in this
 * spelling.
 */
export function usualSpelling(id: string): string {
  const lower = id.toLowerCase()
  return Intl.supportedValuesOf('timeZone').find(known => known.toLowerCase() === lower) ?? id
}

/** Returns a zone's offset at an instant, in seconds east of UTC. */
export function zoneOffset(zone: string, at: EpochMs): number {
  if (zone === 'UTC') return 0
  const { starts, offsets } = zoneTable(zone, Math.floor(at / SEGMENT_MS))
  let i = starts.length - 1
  while (i > 0 && (starts[i] ?? 0) > at) i--
  return offsets[i] ?? 0
}

/** Returns a zone's wall-clock time (as if it were UTC) at an instant. */
export function toLocal(zone: string, at: EpochMs): EpochMs {
  return at + zoneOffset(zone, at) * 1000
}

/**
 * Returns the instant of a wall-clock time in a zone. If the time occurs twice, returns the earlier instant. Moves a time that a clock
 * change skips forward by the length of the gap, like Temporal's `compatible`.
 */
export function fromLocal(zone: string, local: EpochMs): EpochMs {
  const before = zoneOffset(zone, local - DAY_MS) * 1000
  const after = zoneOffset(zone, local + DAY_MS) * 1000
  const early = local - before
  if (zoneOffset(zone, early) * 1000 === before) return early
  const late = local - after
  return zoneOffset(zone, late) * 1000 === after ? late : early
}

function zoneTable(zone: string, segment: number): ZoneTable {
  let segments = tables.get(zone)
  if (!segments) {
    segments = new Map()
    tables.set(zone, segments)
  }
  let table = segments.get(segment)
  if (!table) {
    table = buildTable(zone, segment * SEGMENT_MS)
    segments.set(segment, table)
  }
  return table
}

function buildTable(zone: string, from: EpochMs): ZoneTable {
  let offset = probe(zone, from)
  const starts: EpochMs[] = [from]
  const offsets: number[] = [offset]
  for (let at = from; at < from + SEGMENT_MS; at += PROBE_MS) {
    const next = at + PROBE_MS
    const nextOffset = probe(zone, next)
    if (nextOffset === offset) continue
    starts.push(changeBetween(zone, at, next, offset))
    offsets.push(nextOffset)
    offset = nextOffset
  }
  return { starts, offsets }
}

function changeBetween(zone: string, from: EpochMs, to: EpochMs, offset: number): EpochMs {
  let low = from
  let high = to
  while (high - low > MINUTE_MS) {
    const mid = low + Math.floor((high - low) / 2 / MINUTE_MS) * MINUTE_MS
    if (mid === low) break
    if (probe(zone, mid) === offset) low = mid
    else high = mid
  }
  return high
}

function probe(zone: string, at: EpochMs): number {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(zone, format)
  }
  const fields: Record<string, number> = {}
  for (const part of format.formatToParts(at)) if (part.type !== 'literal') fields[part.type] = Number(part.value)
  const local = Date.UTC(
    fields['year'] ?? Number.NaN,
    (fields['month'] ?? Number.NaN) - 1,
    fields['day'],
    fields['hour'],
    fields['minute'],
    fields['second'],
  )
  return Math.round((local - Math.floor(at / 1000) * 1000) / 1000)
}
