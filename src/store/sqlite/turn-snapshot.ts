/**
 * One transaction for the reads that follow each other without a pause: taking the locks for a snapshot costs more than most of
 * what is read from it. It begins after whatever woke the process (a request, say) and ends before anything else can, so that
 * nobody who asks sees an older state than the one that was there when they asked.
 */

export interface SnapshotDatabase {
  exec(sql: string): void
  /** Whether a transaction is open. */
  isOpen(): boolean
}

const RESOLVED = Promise.resolve()

export class TurnSnapshot {
  /** How many there were, this one included. */
  private count = 0
  private isBegun = false
  private isReading = false
  private readonly db: SnapshotDatabase
  private readonly leaveNow = (): void => this.leave()
  private readonly leaveLater = (): void => process.nextTick(this.leaveNow)

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
    if (this.db.isOpen()) this.db.exec(how)
  }
}
