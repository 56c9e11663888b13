/**
 * Slows guessing: after 20 wrong ones of a kind within a minute from an address, further wrong ones are refused with 429. Whoever
 * comes with a right one is served all the same: keys and tokens of 256 random bits are not found by trying. Codes are short, so a
 * link token whose codes are guessed is refused them all for a while, right ones too. Counts in this process, in real time.
 */
import { ServiceError } from '../../core/errors.ts'
import { hashSecret } from '../../core/ids.ts'
import { networkOf } from '../connections/client-address.ts'

/** Wrong ones within the window. */
export const MOST_WRONG = 20
export const WINDOW_MS = 60_000
/** Who is remembered at once, of each kind: beyond it those who were wrong longest ago are forgotten. */
const MOST_REMEMBERED = 10_000

/** What is guessed, each with a counter of its own, in the words of the refusal. */
const KINDS = {
  api_key: 'API keys',
  link_token: 'link tokens',
  requisition: 'requisition addresses',
  mfa_code: 'codes',
} as const
export type GuessKind = keyof typeof KINDS

export interface GuessLimitOptions {
  /** Real time, in milliseconds. */
  readonly now: () => number
}

export class GuessLimit {
  /** Times of the last wrong ones, oldest first, by who they came from; who was wrong last stands last. */
  private readonly wrong: Readonly<Record<GuessKind, Map<string, number[]>>> = {
    api_key: new Map(),
    link_token: new Map(),
    requisition: new Map(),
    mfa_code: new Map(),
  }
  private readonly now: () => number

  constructor({ now }: GuessLimitOptions) {
    this.now = now
  }

  /** Counts a wrong one from an address. Throws `rate_limited` (429, with Retry-After) when there were too many before it. */
  failed(kind: Exclude<GuessKind, 'mfa_code'>, address: string): void {
    this.count(kind, networkOf(address))
  }

  /**
   * Counts a code as wrong before it is tried, so that many at once are no way round, and returns what takes it back. Throws
   * `rate_limited` when too many of the link token were wrong.
   */
  tryCode(linkToken: string): () => void {
    // the token itself is kept nowhere
    const who = hashSecret(linkToken)
    const at = this.count('mfa_code', who)
    return () => {
      const times = this.wrong.mfa_code.get(who)
      const place = times?.indexOf(at) ?? -1
      if (place >= 0) times?.splice(place, 1)
      if (times?.length === 0) this.wrong.mfa_code.delete(who)
    }
  }

  private count(kind: GuessKind, who: string): number {
    const known = this.wrong[kind]
    const now = this.now()
    const times = known.get(who) ?? []
    const leftMs = times.length < MOST_WRONG ? 0 : (times[0] as number) + WINDOW_MS - now
    if (leftMs > 0) throw tooMany(kind, Math.ceil(leftMs / 1000))
    known.delete(who)
    times.push(now)
    if (times.length > MOST_WRONG) times.shift()
    known.set(who, times)
    const oldest = known.size > MOST_REMEMBERED ? known.keys().next() : undefined
    if (oldest && !oldest.done) known.delete(oldest.value)
    return now
  }
}

function tooMany(kind: GuessKind, seconds: number): ServiceError {
  return new ServiceError('rate_limited', `Too many wrong ${KINDS[kind]}: try again in ${seconds} seconds.`, {
    headers: { 'retry-after': `${seconds}` },
  })
}
