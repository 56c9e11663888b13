/** A process that delivers webhooks. It can be started and stopped, and reports its remaining work. */
import { type DelivererOptions, DeliveryLoop, type Remaining } from './delivery-loop.ts'

/** How long `stop` waits for attempts in progress. */
const GRACE_MS = 5_000

export interface Deliverer {
  /** Returns the remaining work. */
  remaining(): Promise<Remaining>
  readonly underWay: number
  /** Stops leasing, waits up to `graceMs` for attempts in progress, and releases everything else. Safe to call again. */
  stop(graceMs?: number): Promise<void>
}

/** Starts delivering. */
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
