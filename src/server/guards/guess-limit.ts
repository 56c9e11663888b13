/**
 * Slows down guessing. After 20 wrong values of a kind from one address within a minute, further wrong values are refused with 429. Correct
 * values are always accepted, because keys and tokens of 256 random bits cannot be guessed. Codes are short, so after too many wrong codes,
 * every code for that link token is refused for a while, even the correct one. Each process keeps its own counts, in real time.
 */
import { LRUCache } from 'lru-cache'
import { ServiceError } from '../../core/errors.ts'
import { hashSecret } from '../../core/ids.ts'
import { clientNetwork } from '../connections/client-address.ts'

/** Wrong values allowed within the window. */
export const MOST_WRONG = 20
export const WINDOW_MS = 60_000
/** Maximum number of guessers remembered for each kind. Beyond that, the guesser whose latest wrong value is oldest is forgotten. */
const MOST_REMEMBERED = 10_000

/** The kind of the guessed value, as it appears in the error. Each kind has its own counter. */
const KINDS = {
  api_key: 'API keys',
  passkey: 'passkeys',
  link_token: 'link tokens',
  console_token: 'one-time URLs',
  requisition: 'requisition URLs',
  notification: 'notification URLs',
  mfa_code: 'codes',
} as const
export type GuessKind = keyof typeof KINDS

export interface GuessLimitOptions {
  /** Real time, in milliseconds. */
  readonly now: () => number
}

export class GuessLimit {
  /**
   * Times of the latest wrong values by guesser, oldest first. A lookup does not refresh an entry, so that a refused guess does not extend
   * the window.
   */
  private readonly wrong: Readonly<Record<GuessKind, LRUCache<string, number[]>>> = {
    api_key: new LRUCache({ max: MOST_REMEMBERED }),
    passkey: new LRUCache({ max: MOST_REMEMBERED }),
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

  /** Counts a wrong value from an address. Throws `rate_limited` (429, with Retry-After) if there were already too many. */
  failed(kind: Exclude<GuessKind, 'mfa_code'>, address: string): void {
    this.count(kind, clientNetwork(address))
  }

  /**
   * Counts a code as wrong before it is tried, so that concurrent attempts cannot avoid the limit. Returns a function that undoes the
   * count. Throws `rate_limited` if the link token has had too many wrong codes.
   */
  tryCode(linkToken: string): () => void {
    // the token itself is never stored
    const who = hashSecret(linkToken)
    const at = this.count('mfa_code', who)
    return () => {
      const times = this.wrong.mfa_code.peek(who)
      const index = times?.indexOf(at) ?? -1
      if (index >= 0) times?.splice(index, 1)
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
