/** Wait times of `svc listen`. They are short, because someone is watching the screen. */
import { present } from '../../core/present.ts'
import type { RandomSource } from '../../core/random.ts'
import { jittered, type RetrySchedule } from '../../delivery/schedule.ts'

/** Waits between the eight attempts. A real delivery also has eight attempts, but they are spread over more than a day. */
export const LISTEN_RETRIES: RetrySchedule = {
  delaysMs: [1_000, 2_000, 5_000, 10_000, 20_000, 30_000, 60_000],
  mostAskedMs: 5 * 60_000,
}
/** Wait between attempts while the target is unreachable. */
const OUTAGE_MS = [500, 1_000, 2_000, 3_000]
/** Wait between calls while the service is unreachable. */
const LOSS_MS = [500, 1_000, 2_000, 5_000]

/** Returns the wait before the next check of an unreachable target; `tries` starts at 0. */
export function outageWaitMs(tries: number, random: RandomSource): number {
  return waitMs(OUTAGE_MS, tries, random)
}

/** Returns the wait before the next call to an unreachable service; `tries` starts at 0. */
export function lossWaitMs(tries: number, random: RandomSource): number {
  return waitMs(LOSS_MS, tries, random)
}

/** Returns the wait for a try. Tries beyond the list use the last wait. */
function waitMs(waits: readonly number[], tries: number, random: RandomSource): number {
  return jittered(present(waits[tries] ?? waits.at(-1), 'a wait'), random)
}
