/** Outcomes of attempts that are not yet stored. A user whose outcomes cannot be stored does not block others. */
import { errorText } from '../core/error-text.ts'
import { ServiceError } from '../core/errors.ts'
import type { AttemptOutcome, KeptOutcomes } from '../store/delivery.ts'

/** How long to wait before retrying a user's outcomes that could not be stored. */
const REST_MS = 5_000

export class UnstoredOutcomes {
  private fresh: AttemptOutcome[] = []
  private taken: readonly AttemptOutcome[] = []
  private stuck: AttemptOutcome[] = []
  private stuckUntil = 0

  push(outcome: AttemptOutcome): void {
    this.fresh.push(outcome)
  }

  /** Number of outcomes that are waiting for the next pass. */
  get size(): number {
    return this.fresh.length + this.taken.length
  }

  /** Number of outcomes that the next pass does not try to store. */
  get resting(): number {
    return this.stuck.length
  }

  get all(): readonly AttemptOutcome[] {
    return [...this.stuck, ...this.taken, ...this.fresh]
  }

  /** Returns whether there is something to store now. `now` is in milliseconds from any fixed moment. */
  isDue(now: number): boolean {
    return this.size > 0 || (this.stuck.length > 0 && now >= this.stuckUntil)
  }

  /** Returns the outcomes to store now. `settle` must follow. */
  take(now: number): readonly AttemptOutcome[] {
    const rested = now >= this.stuckUntil ? this.stuck.splice(0) : []
    this.taken = [...rested, ...this.taken, ...this.fresh.splice(0)]
    return this.taken
  }

  /**
   * Puts back the outcomes that could not be stored, and returns the stored ones. If the store otherwise works, the outcomes that were put
   * back wait before the next try.
   */
  settle(kept: readonly KeptOutcomes[], isWorking: boolean, now: number): AttemptOutcome[] {
    const failed = kept.flatMap(({ outcomes, result }) => (result.kind === 'failed' ? outcomes : []))
    this.taken = []
    if (!isWorking) this.fresh.unshift(...failed)
    else if (failed.length > 0) {
      this.stuck.push(...failed)
      this.stuckUntil = now + REST_MS
    }
    return storedOutcomes(kept)
  }

  clear(): void {
    this.fresh = []
    this.taken = []
    this.stuck = []
  }
}

/** Returns the stored outcomes. */
export function storedOutcomes(kept: readonly KeptOutcomes[]): AttemptOutcome[] {
  return kept.flatMap(({ outcomes, result }) => (result.kind === 'stored' ? outcomes : []))
}

/** Returns the reason why outcomes cannot be stored, without a damaged row's name, which contains a user ID. */
export function storeFailureReason(error: unknown): string {
  const isDamage = error instanceof ServiceError && error.code === 'data_damaged'
  return isDamage ? 'run `svc engine check` to see what is damaged' : errorText(error)
}
