/**
 * Slows down guessing. After 20 wrong values of a kind from one address within a minute, further wrong values are refused with 429. Right
 * values are always accepted, because keys and tokens of 256 random bits cannot be found by trying. Codes are short, so after too many
 * wrong codes a link token is refused every code for a while, right ones too. Counts in this process, in real time.
 */
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../core/errors.ts'
import { hashSecret } from '../../core/ids.ts'
import { clientNetwork } from '../connections/client-address.ts'

/** Wrong values allowed within the window. */
export const MOST_WRONG = 20
export const WINDOW_MS = 60_000
/** Maximum number of guessers remembered for each kind. Beyond it, the one whose last wrong value is oldest is forgotten. */
const MOST_REMEMBERED = 10_000

/** The kind of the guessed value, as it appears in the error. Each kind has its own counter. */
const KINDS = {
  api_key: 'API keys',
  link_token: 'link tokens',
  console_token: 'one-time addresses',
  requisition: 'requisition addresses',
  notification: 'notification addresses',
  mfa_code: 'codes',
} as const
export type GuessKind = keyof typeof KINDS

export interface GuessLimitOptions {
  /** Real time, in milliseconds. */
  readonly now: () => number
}

export class GuessLimit {
  /** Times of the latest wrong values, oldest first, by guesser. They are read without being renewed, so that a refused guess does not
   * extend the window. */
  private readonly wrong: Readonly<Record<GuessKind, LRUCache<string, number[]>>> = {
    api_key: new LRUCache({ max: MOST_REMEMBERED }),
    link_token: new LRUCache({ max: MOST_REMEMBERED }),
    console_token: new LRUCache({ max: MOST_REMEMBERED }),
    requisition: new LRUCache({ max: MOST_REMEMBERED }),
    notification: new LRUCache({ max: MOST_REMEMBERED }),
    mfa_code: new LRUCache({ max: MOST_REMEMBERED }),
  }
  private readonly now: () => number

  constructor({ now }: GuessLimitOptions) {
    this.now = now
  }

  /** Counts a wrong value from an address. Throws `rate_limited` (429, with Retry-After) if there were too many before it. */
  failed(kind: Exclude<GuessKind, 'mfa_code'>, address: string): void {
    this.count(kind, clientNetwork(address))
  }

  /**
   * Counts a code as wrong before it is tried, so that concurrent tries cannot avoid the limit. Returns a function that takes the count
   * back. Throws `rate_limited` if the link token had too many wrong codes.
   */
  tryCode(linkToken: string): () => void {
    // the token itself is never kept
    const who = hashSecret(linkToken)
    const at = this.count('mfa_code', who)
    return () => {
      const times = this.wrong.mfa_code.peek(who)
      const place = times?.indexOf(at) ?? -1
      if (place >= 0) times?.splice(place, 1)
      if (times?.length === 0) this.wrong.mfa_code.delete(who)
    }
  }

  private count(kind: GuessKind, who: string): number {
    const known = this.wrong[kind]
    const now = this.now()
    const times = known.peek(who) ?? []
    const [first] = times
    const leftMs = first === undefined || times.length < MOST_WRONG ? 0 : first + WINDOW_MS - now
    if (leftMs > 0) throw tooMany(kind, Math.ceil(leftMs / 1000))
    times.push(now)
    if (times.length > MOST_WRONG) times.shift()
    known.set(who, times)
    return now
  }
}

function tooMany(kind: GuessKind, seconds: number): ServiceError {
  return new ServiceError('rate_limited', `Too many wrong ${KINDS[kind]}. Try again in ${seconds} seconds.`, {
    headers: { 'retry-after': `${seconds}` },
  })
}
