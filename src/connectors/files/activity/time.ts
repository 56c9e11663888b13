/** Reads times of XML activity files. */
import { type EpochMs, instantOf, parseDateTime } from '../../../core/time.ts'
import { fromLocal, zoneOffset } from '../../../core/zones.ts'

export interface ReadTime {
  readonly ms: EpochMs
  /** Seconds east of UTC, or null when the local time is unknown (`Z`). */
  readonly offset: number | null
}

/** Returns the instant of a text, or undefined when it is not a time. A time without an offset is local time in `zone` (null: UTC). */
export function readTime(text: string, zone: string | null): ReadTime | undefined {
  const parsed = parseDateTime(text)
  if (parsed === undefined) return undefined
  if (parsed.offset === 'floating' && zone !== null) {
    const ms = fromLocal(zone, parsed.local)
    return { ms, offset: zoneOffset(zone, ms) }
  }
  return { ms: instantOf(parsed), offset: typeof parsed.offset === 'number' ? parsed.offset : null }
}
