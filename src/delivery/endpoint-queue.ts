/**
 * The deliveries of one endpoint that a process has leased. Users take turns, and each user's first attempts are sent one after the other.
 */
import type { UserId } from '../core/ids.ts'
import type { ClaimedDelivery, ClaimRequest, DeliveryClaim } from '../store/delivery.ts'
import type { EndpointRecord } from '../store/webhook.ts'
import { RateLimiter } from './rate-limiter.ts'

/** Most first attempts of one user that are leased ahead. */
const MOST_OF_USER = 32
const OF_USER_AT_ONCE = 8
/** Bounds on the deliveries leased ahead for an endpoint: about as many as it completes in a few turns. */
const LEAST_TURNS_OF_CONCURRENCY = 2
const MOST_AHEAD = 1_000
const AHEAD_TURNS = 8
/** When the bodies under way exceed this many bytes, the endpoint gets no further delivery: a slow endpoint must not fill the memory. */
const MOST_BYTES = 4 << 20

/** Deliveries that are sent one after the other. A retry forms a line of its own. */
interface Line {
  readonly userId: UserId | null
  readonly items: ClaimedDelivery[]
}

export interface Started {
  readonly item: ClaimedDelivery
  /** Records the size of the body, once it is known. */
  weigh(bytes: number): void
  /** Ends the attempt: the next delivery in the line may start. */
  end(): void
  /** Puts back a delivery that was not sent, at the front of its line. */
  putBack(): void
}

export class EndpointQueue {
  endpoint: EndpointRecord
  /** Whether there is nothing more to lease. */
  isExhausted = true
  /** No delivery starts before this real time, because of a failure that the endpoint did not cause. */
  restUntil = 0
  /** Whether a timer waits until the rate limit allows the next delivery. */
  isPausing = false
  private trouble: string | null = null
  private lines: Line[] = []
  private readonly ofUser = new Map<UserId, Line>()
  private readonly active = new Set<ClaimedDelivery>()
  private waiting = 0
  private bytes = 0
  private afterUser = ''
  private ended = 0
  /** Recent number of deliveries completed in a turn. */
  private pacePerTurn = 0
  private limiter: RateLimiter | null = null
  private waitMs = 0

  constructor(endpoint: EndpointRecord, now: number) {
    this.endpoint = endpoint
    this.update(endpoint, now)
  }

  /** Updates the endpoint. `now` counts milliseconds from any fixed moment. */
  update(endpoint: EndpointRecord, now: number): void {
    if (this.limiter === null || endpoint.rateLimit !== this.endpoint.rateLimit) {
      this.limiter = endpoint.rateLimit === null ? null : new RateLimiter(endpoint.rateLimit, now)
    }
    this.endpoint = endpoint
  }

  /** Reports what prevents deliveries to the endpoint, once until the reason changes. */
  tell(trouble: string, say: (line: string) => void): void {
    if (this.trouble !== trouble) say(trouble)
    this.trouble = trouble
  }

  /** Deliveries leased to this process: under way or waiting. */
  get held(): number {
    return this.active.size + this.waiting
  }

  get underWay(): number {
    return this.active.size
  }

  get items(): ClaimedDelivery[] {
    const waiting = [...this.lines, ...this.ofUser.values()].flatMap(line => line.items)
    return [...new Set([...this.active, ...waiting])]
  }

  /** Milliseconds until the rate limit allows the next delivery; 0 if nothing waits for it. */
  get pauseMs(): number {
    return this.waiting > 0 ? this.waitMs : 0
  }

  /** Returns a request for what the queue can lease now, or null. Called once a turn. */
  claimRequest(): ClaimRequest | null {
    this.pacePerTurn = Math.max(this.ended, this.pacePerTurn * 0.75)
    this.ended = 0
    if (this.isExhausted) return null
    const { concurrency, rateLimit, teamId, endpointId } = this.endpoint
    const ahead = Math.max(concurrency * LEAST_TURNS_OF_CONCURRENCY, this.pacePerTurn * AHEAD_TURNS)
    const target = Math.ceil(Math.min(ahead, MOST_AHEAD, Math.max(1, rateLimit ?? Number.POSITIVE_INFINITY)))
    const most = target - this.held
    if (most < Math.max(1, target / 3)) return null
    const inHand = new Map<UserId, number>()
    for (const [userId, { items }] of this.ofUser) inHand.set(userId, items.length)
    // enough users for every slot, and several deliveries of each, because each user costs the store a statement
    const users = Math.min(most, Math.max(concurrency * 2, Math.ceil(most / OF_USER_AT_ONCE)))
    return { teamId, endpointId, most, users, afterUser: this.afterUser, mostOfUser: MOST_OF_USER, inHand }
  }

  add(claimed: DeliveryClaim): void {
    this.afterUser = claimed.afterUser
    this.isExhausted = claimed.isExhausted
    for (const item of claimed.again) this.lines.push({ userId: null, items: [item] })
    for (const item of claimed.first) {
      const line = this.ofUser.get(item.userId)
      if (line) line.items.push(item)
      else {
        const fresh = { userId: item.userId, items: [item] }
        this.ofUser.set(item.userId, fresh)
        this.lines.push(fresh)
      }
    }
    this.waiting += claimed.again.length + claimed.first.length
  }

  /** Returns the next delivery to send, or undefined if nothing waits or the endpoint is busy. */
  start(now: number): Started | undefined {
    this.waitMs = 0
    const [line] = this.lines
    const item = line?.items[0]
    if (!line || !item || this.active.size >= this.endpoint.concurrency || now < this.restUntil) return
    if (this.bytes > MOST_BYTES && this.active.size > 0) return
    this.waitMs = this.limiter?.take(now) ?? 0
    if (this.waitMs > 0) return
    this.lines.shift()
    this.active.add(item)
    this.waiting--
    let weight = 0
    const leave = (): void => {
      this.active.delete(item)
      this.bytes -= weight
    }
    return {
      item,
      weigh: bytes => {
        weight = bytes
        this.bytes += bytes
      },
      end: () => {
        leave()
        this.ended++
        if (line.items[0] === item) line.items.shift()
        // the line goes to the back, so that every user gets a turn
        if (line.items.length > 0) this.lines.push(line)
        else if (line.userId !== null && this.ofUser.get(line.userId) === line) this.ofUser.delete(line.userId)
      },
      putBack: () => {
        leave()
        if (line.items[0] !== item) return
        this.waiting++
        this.lines.unshift(line)
      },
    }
  }

  /** Forgets the waiting deliveries: this process no longer holds them. */
  drop(): void {
    for (const line of this.ofUser.values()) line.items.length = 0
    for (const line of this.lines) line.items.length = 0
    this.ofUser.clear()
    this.lines = []
    this.waiting = 0
  }
}
