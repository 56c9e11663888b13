/** What a process has leased of one endpoint: users take turns, each user's first attempts go out one after the other. */
import type { UserId } from '../core/ids.ts'
import type { ClaimedDelivery, ClaimRequest, DeliveryClaim } from '../store/delivery.ts'
import type { EndpointRecord } from '../store/webhook.ts'
import { RateLimiter } from './rate-limiter.ts'

/** First attempts of one user that are leased ahead. */
const MOST_OF_USER = 32
const OF_USER_AT_ONCE = 8
/** Leased ahead of an endpoint: what it takes in a few turns, within these bounds. */
const LEAST_TURNS_OF_CONCURRENCY = 2
const MOST_AHEAD = 1_000
const AHEAD_TURNS = 8
/** Bytes of bodies under way, beyond which an endpoint gets no further one: a slow one must not fill the memory. */
const MOST_BYTES = 4 << 20

/** Deliveries that go out one after the other; one that failed before stands alone. */
interface Line {
  readonly userId: UserId | null
  readonly items: ClaimedDelivery[]
}

export interface Started {
  readonly item: ClaimedDelivery
  /** Says how large its body is, once that is known. */
  weigh(bytes: number): void
  /** It is over: what comes after it in its line may start. */
  end(): void
  /** It was not sent: it is the next of its line again. */
  putBack(): void
}

export class EndpointQueue {
  endpoint: EndpointRecord
  /** Whether there may be more to lease. */
  isExhausted = true
  /** Real time before which nothing starts: what failed was not the endpoint. */
  restUntil = 0
  /** Whether a timer waits for what its rate lets out next. */
  isPausing = false
  private trouble: string | null = null
  private lines: Line[] = []
  private readonly ofUser = new Map<UserId, Line>()
  private active = 0
  private waiting = 0
  private bytes = 0
  private afterUser = ''
  private ended = 0
  /** Deliveries that were over in a turn lately. */
  private pacePerTurn = 0
  private limiter: RateLimiter | null = null
  private waitMs = 0

  constructor(endpoint: EndpointRecord, now: number) {
    this.endpoint = endpoint
    this.update(endpoint, now)
  }

  /** Takes on what was changed of the endpoint. `now` in milliseconds since any moment. */
  update(endpoint: EndpointRecord, now: number): void {
    if (this.limiter === null || endpoint.rateLimit !== this.endpoint.rateLimit) {
      this.limiter = endpoint.rateLimit === null ? null : new RateLimiter(endpoint.rateLimit, now)
    }
    this.endpoint = endpoint
  }

  /** Says what keeps the endpoint from getting anything, once as long as it stays the same. */
  tell(trouble: string, say: (line: string) => void): void {
    if (this.trouble !== trouble) say(trouble)
    this.trouble = trouble
  }

  /** Leased to this process: under way, and waiting for it. */
  get held(): number {
    return this.active + this.waiting
  }

  get underWay(): number {
    return this.active
  }

  /** How long until the endpoint's rate lets the next one out, as far as that is all that is waited for. */
  get pauseMs(): number {
    return this.waiting > 0 ? this.waitMs : 0
  }

  /** What it would take on now, or null; asked once a turn. */
  claimRequest(): ClaimRequest | null {
    this.pacePerTurn = Math.max(this.ended, this.pacePerTurn * 0.75)
    this.ended = 0
    if (this.isExhausted) return null
    const { concurrency, rateLimit, teamId, endpointId } = this.endpoint
    const ahead = Math.max(concurrency * LEAST_TURNS_OF_CONCURRENCY, this.pacePerTurn * AHEAD_TURNS)
    const target = Math.ceil(Math.min(ahead, MOST_AHEAD, Math.max(1, rateLimit ?? Number.POSITIVE_INFINITY)))
    const most = target - this.held
    if (most < Math.max(1, target / 3)) return null
    const room = (userId: UserId): number => MOST_OF_USER - (this.ofUser.get(userId)?.items.length ?? 0)
    // enough users for every place, and several deliveries of each: a user costs the store a statement
    const users = Math.min(most, Math.max(concurrency * 2, Math.ceil(most / OF_USER_AT_ONCE)))
    return { teamId, endpointId, most, users, afterUser: this.afterUser, room }
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

  /** The next one to send, or undefined: nothing waits, or the endpoint has enough to do. */
  start(now: number): Started | undefined {
    this.waitMs = 0
    if (this.lines.length === 0 || this.active >= this.endpoint.concurrency || now < this.restUntil) return
    if (this.bytes > MOST_BYTES && this.active > 0) return
    this.waitMs = this.limiter?.take(now) ?? 0
    if (this.waitMs > 0) return
    const line = this.lines.shift() as Line
    const item = line.items[0] as ClaimedDelivery
    this.active++
    this.waiting--
    let weight = 0
    const leave = (): void => {
      this.active--
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
        // others first: so every user has their turn
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

  /** Forgets what waits: it is not this process's any more. */
  drop(): void {
    for (const line of this.ofUser.values()) line.items.length = 0
    for (const line of this.lines) line.items.length = 0
    this.ofUser.clear()
    this.lines = []
    this.waiting = 0
  }
}
