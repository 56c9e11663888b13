/** Determines how long to wait for another process's lock. */
import { isBusy } from './result-codes.ts'

/** Maximum wait for a lock, and the pause between two attempts, in milliseconds. */
export const LOCK_WAIT_MS = 10_000
export const RETRY_MS = 15

/** Tracks how long callers have been waiting for one kind of lock on one handle. */
export class LockWait {
  private readonly isOfOneCommand: boolean
  /** Request time of the first caller that encountered the current lock. */
  private metAt = 0
  private triedAt = Number.NEGATIVE_INFINITY

  /** `isOfOneCommand` means that all callers are steps of one command, which waits 10 s for a lock in total, not for each step. */
  constructor(isOfOneCommand: boolean) {
    this.isOfOneCommand = isOfOneCommand
  }

  /**
   * Returns whether a caller that made its request at this time has waited long enough. Call this after an attempt that encountered the
   * lock.
   */
  isSpent(askedAt: number): boolean {
    const now = performance.now()
    if (now - this.triedAt > LOCK_WAIT_MS) this.metAt = askedAt
    this.triedAt = now
    return now - (this.isOfOneCommand ? this.metAt : askedAt) > LOCK_WAIT_MS
  }

  /** Ends the wait. Call this after an attempt that did not encounter a lock. */
  isOver(): void {
    this.triedAt = Number.NEGATIVE_INFINITY
  }
}

/**
 * Waits between two attempts. `tried` is the number of attempts so far. The first pauses are shorter, because most locks last only as long
 * as one sync.
 */
export function pauseBetweenTries(tried = Number.POSITIVE_INFINITY): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, Math.min(RETRY_MS, 2 ** tried)))
}

/** Waits synchronously for locks while the database is being opened. */
export class OpeningWait {
  private waitedMs = 0

  /** Runs a step, and retries it while another handle has the lock. All steps together wait up to 10 s. */
  step<T>(step: () => T): T {
    for (;;) {
      try {
        return step()
      } catch (error) {
        if (!isBusy(error) || this.waitedMs > LOCK_WAIT_MS) throw error
        const since = performance.now()
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
        this.waitedMs += performance.now() - since
      }
    }
  }
}
