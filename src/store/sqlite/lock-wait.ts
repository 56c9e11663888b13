/** How long the lock of another process is waited for. */

/** How long a lock is waited for, and the pause between two tries. */
export const LOCK_WAIT_MS = 10_000
export const RETRY_MS = 15

/** The patience of those who wait for one kind of lock on one connection. */
export class LockWait {
  private readonly isOfOneCommand: boolean
  /** When the first of those who met the lock that is still in the way asked. */
  private metAt = 0
  private triedAt = Number.NEGATIVE_INFINITY

  /** `isOfOneCommand`: all who wait are steps of one command, which waits 10 s for one lock and not 10 s a step. */
  constructor(isOfOneCommand: boolean) {
    this.isOfOneCommand = isOfOneCommand
  }

  /** Whether somebody who asked at this time has waited long enough. To be asked after a try that met the lock. */
  isSpent(askedAt: number): boolean {
    const now = performance.now()
    if (now - this.triedAt > LOCK_WAIT_MS) this.metAt = askedAt
    this.triedAt = now
    return now - (this.isOfOneCommand ? this.metAt : askedAt) > LOCK_WAIT_MS
  }

  /** To be told of a try that met no lock. */
  isOver(): void {
    this.triedAt = Number.NEGATIVE_INFINITY
  }
}

/** The time between two tries. */
export function pauseBetweenTries(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, RETRY_MS))
}
