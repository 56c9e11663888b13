/**
 * Runs consecutive reads in one transaction, because taking the locks for a snapshot costs more than most reads. The transaction begins
 * after the event that woke the process and ends before the next event, so that no caller sees a state older than its call.
 *
 * All requests found by one poll of the sockets arrived before that poll. They can use the same snapshot, taken after the poll, until those
 * sockets have been served. (If more sockets are ready than one poll returns, a few requests at the boundary use the same snapshot too.)
 */

export interface SnapshotDatabase {
  exec(sql: string): void
  /** Whether a transaction is open. */
  isOpen(): boolean
}

const RESOLVED = Promise.resolve()
/** Maximum number of requests that use the same snapshot, which limits how many requests from the next poll can use it. */
const MOST_SHARING = 64

/** The channel over which a request arrived. */
export type Channel = object

export class SharedSnapshot {
  /** Number of snapshots so far, including this one. */
  private count = 0
  private isBegun = false
  private isReading = false
  /** Channels of the requests that use the open snapshot, or a snapshot that begins before they are served. */
  private readonly sharing = new Set<Channel>()
  private isSharing = false
  private readonly db: SnapshotDatabase
  private readonly leaveNow = (): void => {
    if (!this.isSharing) this.leave()
  }
  private readonly leaveLater = (): void => {
    if (!this.isSharing) process.nextTick(this.leaveNow)
  }
  private readonly endSharing = (): void => {
    this.isSharing = false
    this.sharing.clear()
    this.leave()
  }

  constructor(db: SnapshotDatabase) {
    this.db = db
  }

  /** Runs the callback, which must not await. If it throws, the next read begins a new snapshot. */
  read<T>(callback: () => T): T {
    if (!this.isBegun) this.begin()
    this.isReading = true
    try {
      return callback()
    } catch (error) {
      this.isReading = false
      this.end('ROLLBACK')
      throw error
    } finally {
      this.isReading = false
    }
  }

  /**
   * Called when a request arrives over a socket, before the request reads. It uses the same snapshot as the others found by the same poll.
   * A second request over the same channel may have arrived after the poll.
   */
  share(channel: Channel): void {
    if (!this.isSharing) {
      this.isSharing = true
      setImmediate(this.endSharing)
    }
    if (this.sharing.has(channel) || this.sharing.size === MOST_SHARING) this.leave()
    this.sharing.add(channel)
  }

  /** Number of the snapshot that is being read. */
  get number(): number {
    return this.count
  }

  /** Ends the snapshot before the handle is used for anything else. Does nothing inside a read. */
  leave(): void {
    if (this.isBegun && !this.isReading) this.end('COMMIT')
  }

  private begin(): void {
    this.db.exec('BEGIN')
    this.isBegun = true
    this.count++
    // runs after all promises that can continue have continued: a tick requested outside a promise would come before them (queueMicrotask
    // would do the same, but keep a context for it)
    void RESOLVED.then(this.leaveLater)
  }

  private end(how: 'COMMIT' | 'ROLLBACK'): void {
    this.isBegun = false
    this.sharing.clear()
    if (!this.db.isOpen()) return
    try {
      this.db.exec(how)
    } catch {
      // a damaged page was read, so there is nothing to keep and no caller to report to
      if (this.db.isOpen()) this.db.exec('ROLLBACK')
    }
  }
}
