/** Reads ISO 8601 durations in Polar's exports: `PT1H2M3.5S`. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../core/time.ts'

/** Returns a duration in milliseconds; undefined if the value is none. */
export function isoDuration(value: unknown): number | undefined {
  const m = typeof value === 'string' ? /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/.exec(value) : null
  if (m === null) return undefined
  return Number(m[1] ?? 0) * HOUR_MS + Number(m[2] ?? 0) * MINUTE_MS + Math.round(Number(m[3] ?? 0) * SECOND_MS)
}
