/** How much of the bodies of all requests may be in memory at once: beyond it the newest is refused, or a slow one gives way. */
import { getHeapStatistics } from 'node:v8'
import { ServiceError } from '../../core/errors.ts'

/** A body of at most so many bytes is not refused because of larger ones. */
export const SMALL_BODY_BYTES = 64 * 1024
/** The part of the budget that is kept free for them. */
const SMALL_SHARE = 1 / 8
/** A body that is arriving for longer gives way to one that finds no room. */
export const SLOW_BODY_MS = 30_000
const RETRY_AFTER_SECONDS = '2'

/** A quarter of what the heap may grow to; `--max-old-space-size` moves it. */
export function defaultBudgetBytes(): number {
  return Math.floor(getHeapStatistics().heap_size_limit / 4)
}

/**
 * Bytes count as they come, and as they are inflated, until the call is over. A body that is parsed on the event loop's heap counts
 * with what that makes of it as well (`Hold.weigh`); one that a thread parses does not, because a thread parses one large body at a
 * time, in a heap of its own: what all others hold meanwhile is their bytes.
 */
export class BodyBudget {
  readonly mostBytes: number
  private readonly now: () => number
  private held = 0
  /** Of these, what is held for bodies that are not small. */
  private heldLarge = 0
  /** Bodies that are still arriving, the one that began first in front. */
  private readonly arriving = new Set<Hold>()

  constructor(mostBytes = defaultBudgetBytes(), now: () => number = () => performance.now()) {
    this.mostBytes = mostBytes
    this.now = now
  }

  /** Bytes that are held now. */
  get heldBytes(): number {
    return this.held
  }

  /** For a body that begins to arrive. `giveWay` is called at most once, when it has to make room for another. */
  hold(giveWay: (error: ServiceError) => void): Hold {
    const hold = new Hold(this, this.now(), giveWay)
    this.arriving.add(hold)
    return hold
  }

  /** Throws ServiceError `overloaded` when there is no room for it. */
  take(hold: Hold, bytes: number, isLarge: boolean): void {
    while (!this.hasRoom(hold, bytes, isLarge)) this.makeRoom(hold)
    this.held += bytes
    if (isLarge) this.heldLarge += hold.isLarge ? bytes : hold.bytes + bytes
  }

  give(hold: Hold): void {
    this.arriving.delete(hold)
    this.held -= hold.bytes
    if (hold.isLarge) this.heldLarge -= hold.bytes
  }

  arrived(hold: Hold): void {
    this.arriving.delete(hold)
  }

  private hasRoom(hold: Hold, bytes: number, isLarge: boolean): boolean {
    if (!isLarge) return this.held + bytes <= this.mostBytes
    const others = this.heldLarge - (hold.isLarge ? hold.bytes : 0)
    // one by itself always fits: its size has limits of its own, and waiting would not help it
    if (others === 0) return true
    return others + hold.bytes + bytes <= this.mostBytes * (1 - SMALL_SHARE) && this.held + bytes <= this.mostBytes
  }

  private makeRoom(hold: Hold): void {
    const [oldest] = this.arriving
    if (oldest === undefined || oldest === hold || this.now() - oldest.since < SLOW_BODY_MS) throw overloaded()
    oldest.release()
    oldest.giveWay(overloaded())
  }
}

/** What one request holds. */
export class Hold {
  bytes = 0
  isLarge = false
  readonly since: number
  readonly giveWay: (error: ServiceError) => void
  private readonly budget: BodyBudget
  private isOver = false

  constructor(budget: BodyBudget, since: number, giveWay: (error: ServiceError) => void) {
    this.budget = budget
    this.since = since
    this.giveWay = giveWay
  }

  /** Bytes that are there now. Throws ServiceError `overloaded`. */
  add(bytes: number): void {
    this.take(bytes, this.isLarge || this.bytes + bytes > SMALL_BODY_BYTES)
  }

  /** What is made of the bytes. A small body stays a small one. Throws ServiceError `overloaded`. */
  weigh(bytes: number): void {
    this.take(bytes, this.isLarge)
  }

  /** All of it is there: it gives way to nobody any more. */
  arrived(): void {
    this.budget.arrived(this)
  }

  /** Nothing of it is held any more. Safe to call again. */
  release(): void {
    if (this.isOver) return
    this.isOver = true
    this.budget.give(this)
  }

  private take(bytes: number, isLarge: boolean): void {
    if (this.isOver) throw overloaded()
    this.budget.take(this, bytes, isLarge)
    this.bytes += bytes
    this.isLarge = isLarge
  }
}

export function overloaded(
  message = 'The server holds as much of request bodies as it may at once; nothing was stored. Send this one again in a moment.',
): ServiceError {
  return new ServiceError('overloaded', message, { headers: { 'retry-after': RETRY_AFTER_SECONDS } })
}
