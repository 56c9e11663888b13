/** The deliveries that a process has leased for one endpoint, and the number that it requests next. */
import type { UserId } from '../core/ids.ts'
import type { ClaimedDelivery, ClaimRequest, DeliveryClaim } from '../store/delivery.ts'
import type { EndpointRecord } from '../store/webhook.ts'
import { SendQueue } from './send-queue.ts'

/** Maximum number of first attempts per user that are leased ahead. */
const MOST_OF_USER = 32
const OF_USER_AT_ONCE = 8
/** Limits on the deliveries leased ahead for an endpoint: about as many as it completes in a few passes. */
const LEAST_TICKS_OF_CONCURRENCY = 2
const MOST_AHEAD = 1_000
const AHEAD_TICKS = 8

export class EndpointQueue extends SendQueue<ClaimedDelivery> {
  endpoint: EndpointRecord
  /** Whether there is nothing more to lease. */
  isExhausted = true
  /** Whether a timer is waiting until the rate limit allows the next delivery. */
  isPausing = false
  private trouble: string | null = null
  private afterUser = ''
  /** Recent number of deliveries completed in a pass. */
  private pacePerTick = 0

  constructor(endpoint: EndpointRecord, now: number) {
    super(endpoint, now)
    this.endpoint = endpoint
  }

  /** Updates the endpoint. `now` is in milliseconds from any fixed moment. */
  update(endpoint: EndpointRecord, now: number): void {
    this.limit(endpoint, now)
    this.endpoint = endpoint
  }

  /** Reports why the endpoint's deliveries are blocked, once until the reason changes. */
  tell(trouble: string, say: (line: string) => void): void {
    if (this.trouble !== trouble) say(trouble)
    this.trouble = trouble
  }

  /** Returns a request for the deliveries that the queue can lease now; null if there are none. Called once per pass. */
  claimRequest(): ClaimRequest | null {
    this.pacePerTick = Math.max(this.ended, this.pacePerTick * 0.75)
    this.ended = 0
    if (this.isExhausted) return null
    const { concurrency, rateLimit, teamId, endpointId } = this.endpoint
    const ahead = Math.max(concurrency * LEAST_TICKS_OF_CONCURRENCY, this.pacePerTick * AHEAD_TICKS)
    const target = Math.ceil(Math.min(ahead, MOST_AHEAD, Math.max(1, rateLimit ?? Number.POSITIVE_INFINITY)))
    const most = target - this.held
    if (most < Math.max(1, target / 3)) return null
    const inHand = new Map<UserId, number>()
    for (const [userId, { items }] of this.ofUser) inHand.set(userId, items.length)
    // enough users for every slot, with several deliveries per user, because the store runs one statement per user
    const users = Math.min(most, Math.max(concurrency * 2, Math.ceil(most / OF_USER_AT_ONCE)))
    return { teamId, endpointId, most, users, afterUser: this.afterUser, mostOfUser: MOST_OF_USER, inHand }
  }

  add({ afterUser, isExhausted, again, first }: DeliveryClaim): void {
    this.afterUser = afterUser
    this.isExhausted = isExhausted
    for (const item of again) this.addAgain(item)
    for (const item of first) this.addFirst(item)
  }
}
