/** Watches the steps of every write of this process: whether each user is locked before anything else happens to it. */

import { isSteps, perform, type Step, type Steps, through } from '../../../src/store/logic/steps.ts'
import { SqliteDatabase } from '../../../src/store/sqlite/database.ts'
import { SQLITE } from '../../../src/store/sqlite/dialect.ts'
import { USER_TABLES } from '../../../src/store/tables/catalogue.ts'

const TABLES: ReadonlySet<string> = new Set([...USER_TABLES.map(({ name }) => name), 'job'])
const CREATION = 'INSERT INTO user ('
const CHANGED_TABLE = /^\s*(?:INSERT INTO|UPDATE|DELETE FROM) "?(\w+)/
/** A lease records which process delivers, and nothing about the user. */
const LEASE = /^UPDATE delivery (?:INDEXED BY \w+ )?SET leased_by=/

export interface Watch {
  /** For each change of a user that was not locked first: the first statement about the user, and the change. */
  readonly unlocked: readonly string[]
  /** Tables with rows of users that were changed under the lock. */
  readonly tables: ReadonlySet<string>
  stop(): void
}

/** Tracks the users that are created from now on. */
export function watchUserLocks(): Watch {
  const findings = { users: new Set<string>(), unlocked: [] as string[], tables: new Set<string>() }
  const { write } = SqliteDatabase.prototype
  SqliteDatabase.prototype.write = function <T>(this: SqliteDatabase, body: () => Steps<T> | T): Promise<T> {
    return write.call(this, () => {
      const value = body()
      return isSteps(value) ? judged(value, findings) : value
    }) as Promise<T>
  }
  return {
    ...findings,
    stop() {
      SqliteDatabase.prototype.write = write
    },
  }
}

interface Findings {
  readonly users: Set<string>
  readonly unlocked: string[]
  readonly tables: Set<string>
}

function judged<T>(body: Steps<T>, { users, unlocked, tables }: Findings): Steps<T> {
  /** The first statement about each user. */
  const first = new Map<string, string>()
  const note = (step: Step): void => {
    if (step.kind === 'together') for (const each of step.steps) note(each)
    if (!('statement' in step)) return
    const { text } = step.statement
    const sql = step.kind === 'lock' ? 'lock' : typeof text === 'string' ? text : text(SQLITE)
    if (LEASE.test(sql)) return
    if (sql.startsWith(CREATION)) {
      // no other process knows the user yet
      users.add(`${step.values[0]}`)
      first.set(`${step.values[0]}`, 'lock')
    }
    const table = CHANGED_TABLE.exec(sql)?.[1] ?? ''
    for (const value of new Set(step.values)) {
      if (typeof value !== 'string' || !users.has(value)) continue
      if (!first.has(value)) first.set(value, sql)
      if (!TABLES.has(table)) continue
      if (first.get(value) === 'lock') tables.add(table)
      else unlocked.push(`${first.get(value)} … ${sql}`)
    }
  }
  return through(body, function* (step) {
    note(step)
    return yield* perform(step)
  })
}
