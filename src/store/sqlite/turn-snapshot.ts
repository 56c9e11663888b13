/**
 * One transaction for the reads that follow each other without a pause: taking the locks for a snapshot costs more than most of
 * what is read from it. It begins after whatever woke the process and ends before anything else can, so that nobody who asks sees
 * an older state than the one that was there when they asked.
 *
 * Requests that one look at the sockets found all came before that look: they may share a snapshot that was taken after it, until
 * the sockets that it found are served. (Where more sockets are ready than one look finds, a few at the seam share one too.)
 */

export interface SnapshotDatabase {
  exec(sql: string): void
  /** Whether a transaction is open. */
  isOpen(): boolean
}

const RESOLVED = Promise.resolve()
/** Requests that share one: it bounds how many of the next look can. */
const MOST_SHARING = 64

/** What a request came over. */
export type Channel = object

export class TurnSnapshot {
  /** How many there were, this one included. */
  private count = 0
  private isBegun = false
  private isReading = false
  /** Of the requests that share what is open, or begins before they are served. */
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

  /** Runs the body, which must not await. After one that throws the next read begins anew. */
  read<T>(body: () => T): T {
    if (!this.isBegun) this.begin()
    this.isReading = true
    try {
      return body()
    } catch (error) {
      this.isReading = false
      this.end('ROLLBACK')
      throw error
    } finally {
      this.isReading = false
    }
  }

  /**
   * Called by what a socket brought, before it reads: it shares its snapshot with the others that the same look found. What follows
   * another over the same channel may have come after the look.
   */
  share(channel: Channel): void {
    if (!this.isSharing) {
      this.isSharing = true
      setImmediate(this.endSharing)
    }
    if (this.sharing.has(channel) || this.sharing.size === MOST_SHARING) this.leave()
    this.sharing.add(channel)
  }

  /** Which one is being read. */
  get number(): number {
    return this.count
  }

  /** Ends it before anything else is done with the connection; inside a read it does nothing. */
  leave(): void {
    if (this.isBegun && !this.isReading) this.end('COMMIT')
  }

  private begin(): void {
    this.db.exec('BEGIN')
    this.isBegun = true
    this.count++
    // runs when all promises that could go on have gone on: a tick asked for outside of one would come before them
    // (queueMicrotask would do the same, and keep a context for it)
    void RESOLVED.then(this.leaveLater)
  }

  private end(how: 'COMMIT' | 'ROLLBACK'): void {
    this.isBegun = false
    this.sharing.clear()
    if (!this.db.isOpen()) return
    try {
      this.db.exec(how)
    } catch {
      // of a damaged page that was read: there is nothing to keep, and nobody whom an end by itself could tell
      if (this.db.isOpen()) this.db.exec('ROLLBACK')
    }
  }
}
