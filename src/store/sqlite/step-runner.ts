/** Runs the logic's transactions. Executes each step immediately, inside the open database transaction or snapshot. */

import { ChangeCounts, COUNTING } from '../logic/rows/counted-bytes.ts'
import {
  type SqlText,
  type SqlValue,
  type SqlValues,
  type Step,
  type Steps,
  UnreadableRows,
  withPerformer,
} from '../logic/steps.ts'
import type { Count } from '../team.ts'
import { isDamage } from './damage-codes.ts'
import { SQLITE } from './dialect.ts'
import type { OtherCommits } from './other-commits.ts'
import { recordEvents } from './recordings/events.ts'
import type { Remembered } from './remembered.ts'

/** The database methods that the runner uses. */
interface Handle {
  readonly path: string
  realNow(): number
  get(sql: string, ...values: readonly SqlValue[]): unknown
  all(sql: string, ...values: readonly SqlValue[]): unknown[]
  run(sql: string, ...values: readonly SqlValue[]): number
}

export class StepRunner {
  private readonly db: Handle
  private readonly memory: Remembered
  private readonly others: OtherCommits
  /** Texts of statements that differ between databases. */
  private readonly texts = new Map<SqlText, string>()
  private readonly counts = new ChangeCounts(SQLITE)
  /** What the open transaction did, to be counted after its commit. */
  readonly unreported: Count[] = []
  /** Whether the running transaction counts the bytes that users store. Undefined before its first change. */
  private isCounting: boolean | undefined

  constructor(db: Handle, memory: Remembered, others: OtherCommits) {
    this.db = db
    this.memory = memory
    this.others = others
  }

  /** Runs a transaction to its end. */
  drive<T>(steps: Steps<T>): T {
    this.isCounting = undefined
    return withPerformer(this.perform, () => {
      const { done, value } = steps.next()
      if (!done) throw new Error(`a transaction yielded a step (${value.kind}) instead of having it performed`)
      return value
    })
  }

  private readonly perform = (step: Step): unknown => {
    try {
      return this.runStep(step)
    } catch (error) {
      throw isDamage(error) ? new UnreadableRows('', { cause: error }) : error
    }
  }

  private runStep(step: Step): unknown {
    switch (step.kind) {
      case 'one':
        return this.db.get(this.sqlText(step.statement.text), ...step.values)
      case 'many':
        return this.db.all(this.sqlText(step.statement.text), ...step.values)
      case 'run':
      case 'send':
        this.countChange(step.statement.text, step.values)
        return this.db.run(this.sqlText(step.statement.text), ...step.values)
      case 'lock':
      case 'expect':
        // nothing to do, because only one transaction writes at a time, and no query needs a round trip
        return undefined
      case 'remember': {
        const read = (): never => this.drive(step.transaction()) as never // `bytes` refers to the generator's result
        return step.bytes ? this.memory.bytes(step.name, read, step.bytes) : this.memory.value(step.name, read)
      }
      case 'changes':
        return this.others.look()
      case 'facts':
        return { realNow: this.db.realNow(), storeName: this.db.path, eventPositions: 'in the row', isRemote: false }
      case 'events':
        return this.drive(recordEvents(step.userId, step.written.after))
      case 'count':
        this.unreported.push(step.count)
        return undefined
      case 'together':
        return step.steps.map(each => this.runStep(each))
    }
  }

  private countChange(text: SqlText, values: SqlValues): void {
    this.isCounting ??= this.db.get('SELECT 1 FROM setting WHERE name=?', COUNTING) !== undefined
    const count = this.isCounting ? this.counts.of(text) : null
    if (count) this.db.run(count.text, ...count.valuesFor(values))
  }

  private sqlText(text: SqlText): string {
    if (typeof text === 'string') return text
    let known = this.texts.get(text)
    if (known === undefined) {
      known = text(SQLITE)
      this.texts.set(text, known)
    }
    return known
  }
}
