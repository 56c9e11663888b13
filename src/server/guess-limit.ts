/**
 * Slows guessing of API keys, link tokens and codes: after 20 wrong ones within a minute an address is refused for a while, and so
 * is a link token whose codes are guessed. It counts in this process and by real time; a right one is never held against anybody.
 */
import { isIPv6 } from 'node:net'
import { ServiceError } from '../core/errors.ts'
import { hashSecret } from '../core/ids.ts'

/** Wrong ones within the window. */
export const MOST_WRONG = 20
export const WINDOW_MS = 60_000
/** Who is remembered at once: beyond it those who were wrong longest ago are forgotten. */
const MOST_REMEMBERED = 10_000

export interface GuessLimitOptions {
  /** Real time, in milliseconds. */
  readonly now: () => number
}

export class GuessLimit {
  /** Times of the last wrong ones, oldest first, by who they came from; who was wrong last stands last. */
  private readonly wrong = new Map<string, number[]>()
  private readonly now: () => number

  constructor({ now }: GuessLimitOptions) {
    this.now = now
  }

  /** Throws `rate_limited` (429, with Retry-After) for an address, or a link token, that was wrong too often. */
  check(address: string, linkToken: string | null = null): void {
    // nearly always: to tell an address costs more than to look it up
    if (this.wrong.size === 0) return
    this.refuseOver(ofAddress(address))
    if (linkToken !== null) this.refuseOver(ofToken(linkToken))
  }

  /** Counts a wrong API key, link token or code that came from the address. */
  failed(address: string): void {
    this.count(ofAddress(address))
  }

  /** Counts what the body of an answer says: a link result may be that a token or a code was wrong. */
  judge(address: string, linkToken: string | null, body: unknown): void {
    const errorType = (body as { error_type?: unknown } | null | undefined)?.error_type
    if (errorType !== 'invalid_token' && errorType !== 'incorrect_mfa_code') return
    this.failed(address)
    if (errorType === 'incorrect_mfa_code' && linkToken !== null) this.count(ofToken(linkToken))
  }

  private refuseOver(who: string): void {
    const times = this.wrong.get(who)
    if (times === undefined || times.length < MOST_WRONG) return
    const leftMs = (times[0] as number) + WINDOW_MS - this.now()
    if (leftMs <= 0) return
    const seconds = Math.ceil(leftMs / 1000)
    throw new ServiceError('rate_limited', `Too many wrong keys, tokens or codes: try again in ${seconds} seconds.`, {
      headers: { 'retry-after': `${seconds}` },
    })
  }

  private count(who: string): void {
    const times = this.wrong.get(who) ?? []
    this.wrong.delete(who)
    times.push(this.now())
    if (times.length > MOST_WRONG) times.shift()
    this.wrong.set(who, times)
    const oldest = this.wrong.size > MOST_REMEMBERED ? this.wrong.keys().next() : undefined
    if (oldest && !oldest.done) this.wrong.delete(oldest.value)
  }
}

/** One network that a subscriber has is one address: of IPv6 that is a /64. */
function ofAddress(address: string): string {
  const plain = address.replace(/%.*$/, '').toLowerCase()
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/.exec(plain)
  if (mapped) return `address ${mapped[1]}`
  return `address ${isIPv6(plain) ? networkOf(plain) : plain}`
}

/** The first four groups. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::')
  const groups = head === '' ? [] : head.split(':')
  if (tail !== undefined) {
    const after = tail === '' ? [] : tail.split(':')
    while (groups.length + after.length < 8) groups.push('0')
    groups.push(...after)
  }
  return groups
    .slice(0, 4)
    .map(group => Number.parseInt(group, 16).toString(16))
    .join(':')
}

/** The token itself is kept nowhere. */
function ofToken(linkToken: string): string {
  return `token ${hashSecret(linkToken)}`
}
