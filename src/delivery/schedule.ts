/** Decides when a failed delivery is retried. See docs/interface/events.md#events-11. */
import type { RandomSource } from '../core/random.ts'
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts'

/** The delay after each failure, before jitter. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
]
const JITTER = 0.2
/** The longest delay that an endpoint may request. */
const MOST_ASKED_MS = DAY_MS

export interface Failure {
  /** Failed attempts before this one, since the delivery was first due or was last resent. */
  readonly round: number
  /** By the engine's clock. */
  readonly at: EpochMs
  /** How long the endpoint asked to wait (`Retry-After` of a 429 or 503), or null. */
  readonly askedMs: number | null
}

/** Returns when the next attempt is due, by the engine's clock, or null if there is no further attempt. */
export function nextAttemptAt({ round, at, askedMs }: Failure, random: RandomSource): EpochMs | null {
  const delay = RETRY_DELAYS_MS[round]
  if (delay === undefined) return null
  const [a = 0, b = 0] = random.bytes(2)
  const share = (a * 256 + b) / 65_535
  const jittered = Math.round(delay * (1 - JITTER + 2 * JITTER * share))
  return at + Math.max(jittered, Math.min(askedMs ?? 0, MOST_ASKED_MS))
}

/**
 * Returns the delay in milliseconds that a `Retry-After` requests, as seconds or as a date relative to `realNow`. Returns null if it is
 * neither.
 */
export function askedFor(retryAfter: string | null, realNow: EpochMs): number | null {
  if (retryAfter === null) return null
  const text = retryAfter.trim()
  if (/^\d{1,9}$/.test(text)) return Number(text) * SECOND_MS
  // digits alone mean seconds; a date has a month in letters
  const date = /[a-z]{3}/i.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, date - realNow)
}
