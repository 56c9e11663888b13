/**
 * Collects writes that are requested at the same time into one transaction, because a disk sync costs the same for one write as for many.
 */

import { type LockWait, pauseBetweenTries } from './lock-wait.ts'
import { isBusy } from './result-codes.ts'
import { busyError } from './service-error.ts'

export interface TransactionRunner {
  /** Runs the callback in one transaction and commits it. While another handle has the lock, throws an error that `isBusy` recognizes. */
  transact<T>(callback: () => T): T
  /** Runs the callback inside the open transaction. If it throws, its changes are undone. */
  savepoint<T>(callback: () => T): T
  /** Whether a transaction is open. */
  isOpen(): boolean
}

interface Waiting {
  readonly askedAt: number
  readonly callback: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type SettledWrite = { readonly value: unknown } | { readonly error: unknown }

/** Maximum number of writes in a group, which limits how long the first write waits for the others. */
const MOST_IN_GROUP = 128
/** Time after which a group accepts no more writes, because reads are waiting during this time. */
const MOST_MS = 8

/** Groups writes. Acknowledges a write when its transaction is on disk. If a write fails, only that write is rejected. */
export class CommitGroup {
  private waiting: Waiting[] = []
  private running: Promise<void> | null = null
  private readonly runner: TransactionRunner
  private readonly lock: LockWait

  constructor(runner: TransactionRunner, lock: LockWait) {
    this.runner = runner
    this.lock = lock
  }

  add<T>(callback: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ askedAt: performance.now(), callback, resolve: resolve as (value: unknown) => void, reject })
      this.running ??= this.drain()
    })
  }

  get isRunning(): boolean {
    return this.running !== null
  }

  /** Waits until there are no more waiting writes. */
  async settled(): Promise<void> {
    await this.running
  }

  private async drain(): Promise<void> {
    let tried = 0
    while (this.waiting.length > 0) {
      // all other requests in this event loop tick join the group
      await new Promise(setImmediate)
      const some = this.waiting.splice(0, MOST_IN_GROUP)
      const [first, second] = some
      const locked = first && !second ? this.alone(first) : await this.together(some)
      if (locked.length > 0) await this.wait(locked, tried++)
      else {
        this.lock.isOver()
        tried = 0
      }
    }
    this.running = null
  }

  /**
   * Rejects writes that have waited long enough. The others are retried first, together with writes that were requested in the meantime.
   */
  private async wait(locked: readonly Waiting[], tried: number): Promise<void> {
    const patient = locked.filter(({ askedAt, reject }) => {
      const isSpent = this.lock.isSpent(askedAt)
      if (isSpent) reject(busyError())
      return !isSpent
    })
    this.waiting.unshift(...patient)
    if (this.waiting.length > 0) await pauseBetweenTries(tried)
  }

  /** Runs one write. If another handle has the lock, does nothing and returns the write. */
  private alone(one: Waiting): readonly Waiting[] {
    try {
      one.resolve(this.runner.transact(one.callback))
    } catch (error) {
      if (isBusy(error)) return [one]
      one.reject(error)
    }
    return []
  }

  /** Runs several writes in the same way. */
  private async together(some: readonly Waiting[]): Promise<readonly Waiting[]> {
    const outcomes: { readonly one: Waiting; readonly outcome: SettledWrite }[] = []
    let hasBegun = false
    try {
      this.runner.transact(() => {
        hasBegun = true
        const endsAt = performance.now() + MOST_MS
        for (const one of some) {
          outcomes.push({ one, outcome: this.settle(one) })
          if (performance.now() > endsAt) break
        }
      })
    } catch (error) {
      if (isBusy(error)) return some
      if (hasBegun) return this.oneByOne(some)
      for (const { reject } of some) reject(error)
      return []
    }
    this.waiting.unshift(...some.slice(outcomes.length))
    for (const { one, outcome } of outcomes) {
      if ('error' in outcome) one.reject(outcome.error)
      else one.resolve(outcome.value)
    }
    return []
  }

  /** Retries each write separately after the group was rolled back, so that each gets its own error. */
  private async oneByOne(some: readonly Waiting[]): Promise<readonly Waiting[]> {
    const locked: Waiting[] = []
    for (const each of some) {
      locked.push(...this.alone(each))
      await new Promise(setImmediate)
    }
    return locked
  }

  /** Runs one write in a group. Throws only if the surrounding transaction no longer exists. */
  private settle({ callback }: Waiting): SettledWrite {
    try {
      return { value: this.runner.savepoint(callback) }
    } catch (error) {
      if (!this.runner.isOpen()) throw error
      return { error }
    }
  }
}
