/** Which chunk a sample belongs to: a UTC day, or one of 2^k equal windows of it where the day is dense (design 4). */
import { DAY_MS, type EpochMs } from '../../core/time.ts'

/** A window is halved when it would hold more samples than this. */
export const MOST_SAMPLES = 8_192
/** 2^10 windows a day, 84.375 s each: a thousand samples a second still split no further. */
export const SHORTEST_SPAN_MS = DAY_MS / 1024

export function dayOf(time: EpochMs): EpochMs {
  return Math.floor(time / DAY_MS) * DAY_MS
}

/** Start of the window of a span that holds a time. */
export function windowOf(time: EpochMs, span: number): EpochMs {
  const day = dayOf(time)
  return day + Math.floor((time - day) / span) * span
}

/** The span to use for a window that now holds n samples, or the same when it may stay. */
export function narrowerSpan(span: number, n: number): number {
  let narrow = span
  let expected = n
  while (expected > MOST_SAMPLES && narrow > SHORTEST_SPAN_MS) {
    narrow /= 2
    expected /= 2
  }
  return narrow
}
