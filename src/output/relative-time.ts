/** Relative times for recent events: `3 h ago`, `in 2 d`. */
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts'

const UNITS = [
  { name: 'd', ms: DAY_MS, from: 2 * DAY_MS },
  { name: 'h', ms: HOUR_MS, from: HOUR_MS },
  { name: 'min', ms: MINUTE_MS, from: MINUTE_MS },
  { name: 's', ms: SECOND_MS, from: SECOND_MS },
] as const
/** Beyond this distance, a date is more useful than a number of days. */
const MOST_MS = 60 * DAY_MS

/** Matches the instants in a text, as the service prints them. A date without a time of day is never relative. */
export const INSTANTS = /\b\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})/g
const INSTANT = new RegExp(`^${INSTANTS.source}$`)

/** Returns an instant relative to `now`, or its date if it is far away; undefined if the text is not an instant. */
export function relativeTime(instant: string, now: EpochMs): string | undefined {
  const at = INSTANT.test(instant) ? Date.parse(instant) : Number.NaN
  if (Number.isNaN(at)) return undefined
  const distance = Math.abs(now - at)
  if (distance > MOST_MS) return instant.slice(0, 10)
  const unit = UNITS.find(({ from }) => distance >= from)
  if (!unit) return 'now'
  const count = `${Math.floor(distance / unit.ms)} ${unit.name}`
  return at > now ? `in ${count}` : `${count} ago`
}
