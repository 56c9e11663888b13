/** Decides when a failed delivery is retried. See docs/interface/events.md#events-11. */
import type { RandomSource } from '../core/random.ts'
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts'

/** The retry rules for one kind of target. */
export interface RetrySchedule {
  /** The delay after each failure, before jitter. */
  readonly delaysMs: readonly number[]
  /** Maximum delay that a response may request. */
  readonly mostAskedMs: number
}

/** The delay after each failure at an endpoint, before jitter. */
export const RETRY_DELAYS_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
]
const ENDPOINT_RETRIES: RetrySchedule = { delaysMs: RETRY_DELAYS_MS, mostAskedMs: DAY_MS }
const JITTER = 0.2

export interface FailedAttempt {
  /** Number of failed attempts before this one, since the delivery first became due or was last resent. */
  readonly round: number
  /** The time on the clock that determines which work is due. */
  readonly at: EpochMs
  /** The delay requested by the response (`Retry-After` of a 429 or 503), or null. */
  readonly askedMs: number | null
}

/** Returns when the next attempt is due, or null if there is no further attempt. */
export function nextAttemptAt(
  { round, at, askedMs }: FailedAttempt,
  random: RandomSource,
  { delaysMs, mostAskedMs } = ENDPOINT_RETRIES,
): EpochMs | null {
  const delayMs = delaysMs[round]
  if (delayMs === undefined) return null
  return at + Math.max(jittered(delayMs, random), Math.min(askedMs ?? 0, mostAskedMs))
}

/** Returns a delay that is up to a fifth shorter or longer, in whole milliseconds. */
export function jittered(delayMs: number, random: RandomSource): number {
  const [a = 0, b = 0] = random.bytes(2)
  const share = (a * 256 + b) / 65_535
  return Math.round(delayMs * (1 - JITTER + 2 * JITTER * share))
}

/** Returns the delay that a response requests, in milliseconds. Only 429 and 503 can request one. */
export function askedBy(
  { status, retryAfter }: { readonly status: number | null; readonly retryAfter: string | null },
  realNow: EpochMs,
): number | null {
  return status === 429 || status === 503 ? askedFor(retryAfter, realNow) : null
}

/**
 * Returns the delay in milliseconds that a `Retry-After` requests, in seconds or as a date (relative to `realNow`). Returns null if it is
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
