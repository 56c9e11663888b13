/** A process that delivers webhooks: begun, asked what is left, and stopped. */
import { type DelivererOptions, DeliveryLoop, type Remaining } from './delivery-loop.ts'

/** How long a stop waits for what is under way. */
const GRACE_MS = 5_000

export interface Deliverer {
  /** What is left to do. */
  remaining(): Promise<Remaining>
  readonly underWay: number
  /** Leases nothing more, waits a little for what is under way, and lets everything else go. Safe to call again. */
  stop(graceMs?: number): Promise<void>
}

/** Begins to deliver. */
export function startDeliverer(options: DelivererOptions): Deliverer {
  const loop = new DeliveryLoop(options)
  loop.begin()
  let stopped: Promise<void> | undefined
  return {
    remaining: () => loop.remaining(),
    get underWay() {
      return loop.underWay
    },
    stop(graceMs = GRACE_MS) {
      stopped ??= loop.stop(graceMs)
      return stopped
    },
  }
}
