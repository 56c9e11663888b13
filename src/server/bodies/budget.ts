/**
 * Limits the total size of all request bodies in memory. When the limit is exceeded, the newest body is refused or a slow one is dropped.
 */
import { getHeapStatistics } from 'node:v8'
import { ServiceError } from '../../core/errors.ts'

/** A body of at most this size is never refused to make room for larger ones. */
export const SMALL_BODY_BYTES = 64 * 1024
/** The fraction of the budget that is reserved for small bodies. */
const SMALL_SHARE = 1 / 8
/** Time after which a body that is still arriving may be dropped to make room for another one. */
export const SLOW_BODY_MS = 30_000
const RETRY_AFTER_SECONDS = '2'

/** Returns a quarter of the heap limit, which `--max-old-space-size` changes. */
export function defaultBudgetBytes(): number {
  return Math.floor(getHeapStatistics().heap_size_limit / 4)
}

/**
 * Bytes count as they arrive, and as they are inflated, until the call is over. If a body is parsed on the event loop's heap, the memory
 * for parsing also counts (`Hold.weigh`). If a thread parses it, only its bytes count, because the thread parses one large body at a time,
 * in its own heap.
 */
export class BodyBudget {
  readonly mostBytes: number
  private readonly now: () => number
  private held = 0
  /** The part of `held` used by bodies that are not small. */
  private heldLarge = 0
  /** Bodies that are still arriving, oldest first. */
  private readonly arriving = new Set<Hold>()

  constructor(mostBytes = defaultBudgetBytes(), now: () => number = () => performance.now()) {
    this.mostBytes = mostBytes
    this.now = now
  }

  /** Number of bytes held now. */
  get heldBytes(): number {
    return this.held
  }

  /**
   * Starts a hold for a body that is about to arrive. `giveWay` is called at most once, if the body must be dropped to make room for
   * another.
   */
  hold(giveWay: (error: ServiceError) => void): Hold {
    const hold = new Hold(this, this.now(), giveWay)
    this.arriving.add(hold)
    return hold
  }

  /** Reserves bytes for a hold. Throws ServiceError `overloaded` if it does not fit. */
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
    // a single large body always fits: other limits apply to its size, and waiting would not help
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

/** One request's bytes in memory. */
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

  /** Counts bytes that have arrived. Throws ServiceError `overloaded`. */
  add(bytes: number): void {
    this.take(bytes, this.isLarge || this.bytes + bytes > SMALL_BODY_BYTES)
  }

  /** Counts the memory needed to parse the bytes. A small body stays small. Throws ServiceError `overloaded`. */
  weigh(bytes: number): void {
    this.take(bytes, this.isLarge)
  }

  /** Marks the body as complete. A complete body is not dropped to make room for another. */
  arrived(): void {
    this.budget.arrived(this)
  }

  /** Releases all bytes. Safe to call again. */
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
  message = 'The server has no memory left for request bodies. Nothing was stored. Send the request again in a moment.',
): ServiceError {
  return new ServiceError('overloaded', message, { headers: { 'retry-after': RETRY_AFTER_SECONDS } })
}
