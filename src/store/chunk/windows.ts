/** Determines which chunk a sample belongs to: a UTC day, or one of 2^k equal windows of a day with many samples. See docs/storage.md. */
import { DAY_MS, type EpochMs } from '../../core/time.ts'

/** Maximum number of samples in a window. A window with more samples is halved. */
export const MOST_SAMPLES = 8_192
/** Shortest window: 2^10 per day, 84.375 s each. Shorter windows are not created even for a thousand samples per second. */
export const SHORTEST_SPAN_MS = DAY_MS / 1024

export function dayStart(time: EpochMs): EpochMs {
  return Math.floor(time / DAY_MS) * DAY_MS
}

/** Returns the start of the window of this span that contains a time. */
export function windowStart(time: EpochMs, span: number): EpochMs {
  const day = dayStart(time)
  return day + Math.floor((time - day) / span) * span
}

/** Returns the span for a window that now contains n samples. Returns the same span if the window need not be split. */
export function narrowerSpan(span: number, n: number): number {
  let narrow = span
  let expected = n
  while (expected > MOST_SAMPLES && narrow > SHORTEST_SPAN_MS) {
    narrow /= 2
    expected /= 2
  }
  return narrow
}
