/** Waiting times of `svc listen`. They are short, because someone is looking at the screen. */
import { present } from '../../core/present.ts'

/** Wait after each failure. There are eight attempts, as in a real delivery, which spreads them over more than a day. */
const RETRIES_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000]
/** Wait between attempts while the target is unreachable. */
const OUTAGE_MS = [500, 1_000, 2_000, 3_000]
/** Wait between calls while the service is unreachable. */
const LOSS_MS = [500, 1_000, 2_000, 5_000]
const MOST_ASKED_MS = 5 * 60_000
const JITTER = 0.2

/** Returns a random number in [0, 1). */
export type Chance = () => number

/**
 * Returns the wait after this number of failures; null when there are no more attempts. A longer `Retry-After` is respected, up to 5
 * minutes. 410 ends the attempts, because a real endpoint would be disabled.
 */
export function retryWaitMs(
  failures: number,
  outcome: { readonly status: number | null; readonly retryAfterMs: number | null },
  chance: Chance,
): number | null {
  const base = RETRIES_MS[failures - 1]
  if (base === undefined || outcome.status === 410) return null
  return Math.max(spread(base, chance), Math.min(outcome.retryAfterMs ?? 0, MOST_ASKED_MS))
}

/** Returns the wait before the next check of an unreachable target; `tries` starts at 0. */
export function outageWaitMs(tries: number, chance: Chance): number {
  return spread(waitOf(OUTAGE_MS, tries), chance)
}

/** Returns the wait before the next call to an unreachable service; `tries` starts at 0. */
export function lossWaitMs(tries: number, chance: Chance): number {
  return spread(waitOf(LOSS_MS, tries), chance)
}

function spread(ms: number, chance: Chance): number {
  return ms * (1 - JITTER + 2 * JITTER * chance())
}

/** Returns the wait of a try; later tries have the last one. */
function waitOf(waits: readonly number[], tries: number): number {
  return present(waits[tries] ?? waits.at(-1), 'a wait')
}
