/** A bucket of tokens for each API key: so many calls a second on average, twice as many at once (issue 5, limits). */
import { ServiceError } from '../core/errors.ts'
import type { Caller } from '../engine/context.ts'

/** Calls a second and key, unless the server is told otherwise; 0 is no limit. */
export const DEFAULT_RATE_LIMIT = 1_000
/** How many seconds' worth of calls may come at once. */
const BURST_SECONDS = 2

interface Bucket {
  tokens: number
  /** When they were counted, in milliseconds of `now`. */
  at: number
}

/** By keys that are known to be good, of which there are as many as operators made. */
export class RateLimit {
  private readonly buckets = new Map<string, Bucket>()
  private readonly perSecond: number
  private readonly now: () => number

  /** `now` counts real milliseconds; `perSecond` 0 lets all through. */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.perSecond = perSecond
    this.now = now
  }

  /** Throws ServiceError `rate_limited` with Retry-After. Who comes without a key is limited by address instead. */
  readonly admit = ({ actor }: Pick<Caller, 'actor'>): void => {
    if (this.perSecond === 0 || !actor.startsWith('key:')) return
    const most = this.perSecond * BURST_SECONDS
    const now = this.now()
    const bucket = this.buckets.get(actor) ?? this.open(actor, most, now)
    bucket.tokens = Math.min(most, bucket.tokens + ((now - bucket.at) / 1000) * this.perSecond)
    bucket.at = now
    if (bucket.tokens >= 1) {
      bucket.tokens--
      return
    }
    const seconds = Math.ceil((1 - bucket.tokens) / this.perSecond)
    throw new ServiceError(
      'rate_limited',
      `Too many calls with this API key: ${this.perSecond} a second are allowed.`,
      {
        headers: { 'retry-after': `${seconds}` },
      },
    )
  }

  private open(actor: string, most: number, now: number): Bucket {
    const bucket = { tokens: most, at: now }
    this.buckets.set(actor, bucket)
    return bucket
  }
}
