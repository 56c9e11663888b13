/**
 * The deliveries waiting to be sent to one target. Users are served in rotation, and each user's first attempts are sent one after the
 * other.
 */
import { RateLimiter } from './rate-limiter.ts'

/** Maximum total size of bodies in progress. Above it, no more items are started, so that a slow target cannot fill the memory. */
const MOST_BYTES = 4 << 20

/** Items that are sent one after the other. A retry forms a separate line. */
interface Line<Item> {
  readonly userId: string | null
  readonly items: Item[]
}

/** Maximum number of items sent at the same time, and per second. */
export interface SendLimits {
  readonly concurrency: number
  readonly rateLimit: number | null
}

export interface Started<Item> {
  readonly item: Item
  /** Records the body's size, once it is known. */
  weigh(bytes: number): void
  /** Ends the attempt, so that the line's next item may start. */
  end(): void
  /** Puts back an item that was not sent, at the front of its line. */
  putBack(): void
}

export class SendQueue<Item extends { readonly userId: string }> {
  /** No item starts before this time. Set after a failure that the target did not cause. */
  restUntil = 0
  /** Number of attempts that ended since this counter was last set to 0. */
  protected ended = 0
  protected readonly ofUser = new Map<Item['userId'], Line<Item>>()
  private lines: Line<Item>[] = []
  private readonly active = new Set<Item>()
  private waiting = 0
  private bytes = 0
  private limits: SendLimits
  private limiter: RateLimiter | null = null
  private waitMs = 0

  /** `now` is in milliseconds from any fixed moment. */
  constructor(limits: SendLimits, now: number) {
    this.limits = { ...limits, rateLimit: null }
    this.limit(limits, now)
  }

  limit(limits: SendLimits, now: number): void {
    const { rateLimit } = limits
    if (rateLimit !== this.limits.rateLimit) this.limiter = rateLimit === null ? null : new RateLimiter(rateLimit, now)
    this.limits = limits
  }

  /** Number of items in progress or waiting. */
  get held(): number {
    return this.active.size + this.waiting
  }

  get underWay(): number {
    return this.active.size
  }

  get items(): Item[] {
    const waiting = [...this.lines, ...this.ofUser.values()].flatMap(line => line.items)
    return [...new Set([...this.active, ...waiting])]
  }

  /** Milliseconds until the rate limit allows the next item; 0 if no item is waiting for it. */
  get pauseMs(): number {
    return this.waiting > 0 ? this.waitMs : 0
  }

  /** Adds an item's first attempt after the user's other items. */
  addFirst(item: Item): void {
    this.waiting++
    const line = this.ofUser.get(item.userId)
    if (line) line.items.push(item)
    else {
      const fresh = { userId: item.userId, items: [item] }
      this.ofUser.set(item.userId, fresh)
      this.lines.push(fresh)
    }
  }

  /** Adds another attempt for an item. It does not wait for other items. */
  addAgain(item: Item): void {
    this.waiting++
    this.lines.push({ userId: null, items: [item] })
  }

  /** Returns the next item to send, or undefined if no item is waiting or the target is busy. */
  start(now: number): Started<Item> | undefined {
    this.waitMs = 0
    const [line] = this.lines
    const item = line?.items[0]
    if (!line || !item || this.active.size >= this.limits.concurrency || now < this.restUntil) return
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
        // the line goes to the back of the queue, so that every user is served
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

  /** Drops the waiting items. */
  drop(): void {
    for (const line of this.ofUser.values()) line.items.length = 0
    for (const line of this.lines) line.items.length = 0
    this.ofUser.clear()
    this.lines = []
    this.waiting = 0
  }
}
