/** Decides which attempts' requests and responses are kept. */
import { RateLimiter } from './rate-limiter.ts'

/**
 * All failed attempts are kept. Successful attempts are limited to this many per second and endpoint, plus an initial burst, because
 * writing thousands per second would slow down deliveries and fill the disk within days.
 */
const OF_ENDPOINT = { perSecond: 20, atOnce: 1_000 } as const
/** The same limit, for all of the process's endpoints together. */
const OF_ALL = { perSecond: 200, atOnce: 2_000 } as const

export class KeptExchanges {
  private readonly all = new RateLimiter(OF_ALL.perSecond, performance.now(), OF_ALL.atOnce)
  private readonly endpoints = new Map<string, RateLimiter>()

  /** Returns whether a successful attempt is kept, and counts it. */
  takesSuccess(endpointId: string): boolean {
    const now = performance.now()
    let own = this.endpoints.get(endpointId)
    if (own === undefined) {
      own = new RateLimiter(OF_ENDPOINT.perSecond, now, OF_ENDPOINT.atOnce)
      this.endpoints.set(endpointId, own)
    }
    return own.take(now) === 0 && this.all.take(now) === 0
  }

  /** Removes an endpoint that is no longer in use. */
  forget(endpointId: string): void {
    this.endpoints.delete(endpointId)
  }
}
