/** When `svc listen` tries again: soon, for somebody is looking at the screen. */

/** After each failure; there are eight attempts in all, as in a real delivery, which takes a day and more over them. */
const RETRIES_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000]
/** While nothing listens at the target. */
const OUTAGE_MS = [500, 1_000, 2_000, 3_000]
/** While the service itself is away. */
const LOSS_MS = [500, 1_000, 2_000, 5_000]
const MOST_ASKED_MS = 5 * 60_000
const JITTER = 0.2

/** In [0, 1). */
export type Chance = () => number

/**
 * After so many failures; null: no more. `Retry-After` counts where it is longer, up to 5 minutes. 410 asks for no more at all:
 * a real endpoint would be disabled.
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

/** Before the next look whether something listens at the target; `tries` from 0. */
export function outageWaitMs(tries: number, chance: Chance): number {
  return spread(OUTAGE_MS[Math.min(tries, OUTAGE_MS.length - 1)] as number, chance)
}

/** Before the next call to a service that went away; `tries` from 0. */
export function lossWaitMs(tries: number, chance: Chance): number {
  return spread(LOSS_MS[Math.min(tries, LOSS_MS.length - 1)] as number, chance)
}

function spread(ms: number, chance: Chance): number {
  return ms * (1 - JITTER + 2 * JITTER * chance())
}
