/**
 * Token buckets for each API key, and for each team with a limit. A bucket limits the average number of calls per second, and allows bursts
 * of twice as many.
 */
import { ServiceError } from '../../core/errors.ts'
import type { TeamId } from '../../core/ids.ts'
import type { Caller } from '../../engine/context.ts'
import type { TeamRecord } from '../../store/team.ts'

/** Default number of calls per second and key; 0 means no limit. */
export const DEFAULT_RATE_LIMIT = 1_000
/** Burst size, in seconds of calls at the average rate. */
const BURST_SECONDS = 2

interface Bucket {
  tokens: number
  /** When the tokens were last counted, as returned by `now`. */
  at: number
}

type Admitted = Pick<Caller, 'actor'> & {
  readonly team: Pick<TeamRecord, 'teamId' | 'maxRequestsPerSecond' | 'maxInFlight'> | null
}

/** Buckets by valid API key and by team. Their number is bounded, because only operators create keys and teams. */
export class RateLimit {
  private readonly buckets = new Map<string, Bucket>()
  private readonly inFlight = new Map<TeamId, number>()
  private readonly perSecond: number
  private readonly now: () => number

  /** `now` returns real time in milliseconds. `perSecond` is the limit per key; 0 means no limit. */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.perSecond = perSecond
    this.now = now
  }

  /** Throws ServiceError `rate_limited` with Retry-After. Callers without a key are limited by address instead. */
  readonly admit = ({ actor, team }: Admitted): void => {
    if (!actor.startsWith('key:')) return
    if (this.perSecond !== 0) this.take(actor, this.perSecond, 'this API key')
    const most = team?.maxRequestsPerSecond ?? null
    if (team && most !== null) this.take(team.teamId, most, 'the keys of this team')
  }

  /**
   * Counts a request towards its team's limit on concurrent requests, if there is one. Returns a function to call when the response is
   * sent. Throws ServiceError `rate_limited`.
   */
  readonly enter = ({ team }: Admitted): (() => void) | null => {
    if (!team || team.maxInFlight === null) return null
    const { teamId, maxInFlight } = team
    const running = this.inFlight.get(teamId) ?? 0
    if (running >= maxInFlight) {
      throw limited(`Too many requests from this team at once: at most ${maxInFlight} are allowed.`, 1)
    }
    this.inFlight.set(teamId, running + 1)
    return () => {
      const left = (this.inFlight.get(teamId) ?? 1) - 1
      if (left > 0) this.inFlight.set(teamId, left)
      else this.inFlight.delete(teamId)
    }
  }

  private take(name: string, perSecond: number, whose: string): void {
    const most = perSecond * BURST_SECONDS
    const now = this.now()
    const bucket = this.buckets.get(name) ?? this.open(name, most, now)
    bucket.tokens = Math.min(most, bucket.tokens + ((now - bucket.at) / 1000) * perSecond)
    bucket.at = now
    if (bucket.tokens < 1) {
      const seconds = Math.ceil((1 - bucket.tokens) / perSecond)
      throw limited(`Too many calls with ${whose}: at most ${perSecond} per second are allowed.`, seconds)
    }
    bucket.tokens--
  }

  private open(name: string, most: number, now: number): Bucket {
    const bucket = { tokens: most, at: now }
    this.buckets.set(name, bucket)
    return bucket
  }
}

function limited(message: string, seconds: number): ServiceError {
  return new ServiceError('rate_limited', message, { headers: { 'retry-after': `${seconds}` } })
}
