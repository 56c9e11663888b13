/** Gathers writes that are asked for at the same time into one transaction: a sync of the disk costs the same for one and for many. */

export interface TransactionRunner {
  /** Runs the body in one transaction and commits it. */
  transact<T>(body: () => T): Promise<T>
  /** Runs the body inside the open transaction; what it did is undone when it throws. */
  savepoint<T>(body: () => T): T
  /** Whether a transaction is open. */
  isOpen(): boolean
}

interface Waiting {
  readonly body: () => unknown
  readonly resolve: (value: unknown) => void
  readonly reject: (error: unknown) => void
}

type Outcome = { readonly value: unknown } | { readonly error: unknown }

/** Bounds how long the first of a group waits for the others. */
const MOST_IN_GROUP = 64

/** A write is acknowledged when the transaction that holds it is on the disk, and refused alone when it fails alone. */
export class CommitGroup {
  private waiting: Waiting[] = []
  private running: Promise<void> | null = null
  private readonly runner: TransactionRunner

  constructor(runner: TransactionRunner) {
    this.runner = runner
  }

  add<T>(body: () => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.waiting.push({ body, resolve: resolve as (value: unknown) => void, reject })
      this.running ??= this.drain()
    })
  }

  get isRunning(): boolean {
    return this.running !== null
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    await this.running
  }

  private async drain(): Promise<void> {
    while (this.waiting.length > 0) {
      // whatever else this turn of the event loop brings comes along
      await new Promise(setImmediate)
      const some = this.waiting.splice(0, MOST_IN_GROUP)
      if (some.length === 1) await this.alone(some[0] as Waiting)
      else await this.together(some)
    }
    this.running = null
  }

  private async alone({ body, resolve, reject }: Waiting): Promise<void> {
    await this.runner.transact(body).then(resolve, reject)
  }

  private async together(some: readonly Waiting[]): Promise<void> {
    let outcomes: Outcome[]
    let hasBegun = false
    try {
      outcomes = await this.runner.transact(() => {
        hasBegun = true
        return some.map(each => this.outcomeOf(each))
      })
    } catch (error) {
      // who waited for a lock in vain has waited for all of them
      if (!hasBegun) for (const { reject } of some) reject(error)
      // nothing of the group is there: each has its own try, and its own error
      else for (const each of some) await this.alone(each)
      return
    }
    some.forEach(({ resolve, reject }, i) => {
      const outcome = outcomes[i] as Outcome
      if ('error' in outcome) reject(outcome.error)
      else resolve(outcome.value)
    })
  }

  /** Throws only when the transaction around it is gone. */
  private outcomeOf({ body }: Waiting): Outcome {
    try {
      return { value: this.runner.savepoint(body) }
    } catch (error) {
      if (!this.runner.isOpen()) throw error
      return { error }
    }
  }
}
