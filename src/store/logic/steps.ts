/**
 * Defines transactions as steps. A transaction is a generator function that yields statements and receives their results, but never
 * accesses a database itself. A runner executes the steps: SQLite performs each step in place of the yield, inside one database
 * transaction, whereas other stores receive it and may wait. See docs/storage.md.
 */
import type { Count } from '../team.ts'
import type { Dialect } from './dialect.ts'

export type SqlValue = string | number | bigint | null | Uint8Array
export type SqlValues = readonly SqlValue[]

/** A statement's text, with `?` for each value, or a function that returns the text if it differs between databases. */
export type SqlText = string | ((dialect: Dialect) => string)

/** A statement that changes rows. */
export interface Command {
  readonly text: SqlText
}

/** A statement that returns rows. */
export interface Query<Row> {
  readonly text: SqlText
  /** Verifies a row and returns it. Absent for rows without a checksum. */
  verify?(row: Row): Row | Steps<Row>
  /** Returns the error for rows that the database cannot read. */
  unreadable?(values: SqlValues): Error
}

/** A request from a transaction. The result of each kind is given in brackets. */
export type Step =
  /** Returns the first row [the row, or undefined] or all rows [an array]. */
  | { readonly kind: 'one' | 'many'; readonly statement: Query<unknown>; readonly values: SqlValues }
  /** Makes a change [the number of changed rows]. */
  | { readonly kind: 'run'; readonly statement: Command; readonly values: SqlValues }
  /** Makes a change whose row count is not needed [the count, or undefined]. */
  | { readonly kind: 'send'; readonly statement: Command; readonly values: SqlValues }
  /** Announces queries that the transaction is about to run, so that a remote database can run them together [nothing]. */
  | { readonly kind: 'expect'; readonly queries: () => readonly Expected[] }
  /** Runs a SELECT whose rows no other transaction can change until this one ends [nothing]. */
  | { readonly kind: 'lock'; readonly statement: Query<unknown>; readonly values: SqlValues }
  /** Reads `changes` [the value that the database's `changes` will have after this transaction, as long as nothing else changes]. */
  | { readonly kind: 'changes' }
  /** Reads facts about the store [StoreFacts]. */
  | { readonly kind: 'facts' }
  /** Runs a generator, or reuses its earlier result if nothing has been committed since [the result]. */
  | Remembering
  /** Informs the store that the user's events after this number were written [nothing]. */
  | { readonly kind: 'events'; readonly userId: string; readonly written: EventsWritten }
  /** Reports what the transaction did, after its commit [nothing]. */
  | { readonly kind: 'count'; readonly count: Count }
  /** Runs several independent steps [an array of their results]. */
  | { readonly kind: 'together'; readonly steps: readonly Step[] }

/** Events that a transaction wrote for a user: those whose numbers are greater than `after`, up to `last`. */
export interface EventsWritten {
  readonly teamId: string
  readonly after: number
  readonly last: number
}

/** A query that a transaction is about to run. */
export interface Expected {
  readonly statement: Query<unknown>
  readonly values: SqlValues
}

export interface Remembering {
  readonly kind: 'remember'
  readonly name: string
  readonly transaction: () => Steps<unknown>
  /** Returns the size of a large value in bytes. Absent for small values. */
  readonly bytes?: ((value: never) => number) | undefined
}

/** A running transaction that returns a T. */
export type Steps<T> = Generator<Step, T, unknown>

/** Facts that a transaction may use about the store in which it runs. */
export interface StoreFacts {
  /** Real time, which determines the order in which events arrive. */
  readonly realNow: number
  /** Different for each store that is open in one process. */
  readonly storeName: string
  /** When an event is given its position in its team's order: with its row, or shortly after the commit (events/positions.ts). */
  readonly eventPositions: 'in the row' | 'afterwards'
  /** Whether the database is on another machine, where a round trip costs more than the query itself. */
  readonly isRemote: boolean
}

/** A function that performs a step and returns its result. */
type Performer = (step: Step) => unknown

/** Performs the steps of the transaction that is running, in a store that never waits. If undefined, the steps are yielded. */
let performer: Performer | undefined

/**
 * Runs a callback that must not await. Transactions in it pass each step to `next`, or yield it if `next` is undefined. Passing is faster,
 * because a yielded step travels through every generator between it and the runner.
 */
export function withPerformer<T>(next: Performer | undefined, callback: () => T): T {
  const previous = performer
  performer = next
  try {
    return callback()
  } finally {
    performer = previous
  }
}

/** Performs a step, or yields it to the runner, and returns its result. */
export function* perform(step: Step): Steps<unknown> {
  return performer ? performer(step) : yield step
}

/** Thrown into a transaction by a step whose rows the database cannot read because the data is damaged. */
export class UnreadableRows extends Error {}

/** Defines a query. The row type is declared by the caller and is not checked. */
export function query<Row>(text: SqlText): Query<Row> {
  return { text }
}

/** Defines a statement that changes rows. */
export function command(text: SqlText): Command {
  return { text }
}

/** Returns the first row, or undefined. Throws ServiceError `data_damaged`. */
export function* one<Row>(statement: Query<Row>, values: SqlValues = []): Steps<Row | undefined> {
  let row: Row | undefined
  try {
    row = (yield* perform({ kind: 'one', statement, values })) as Row | undefined // the row type is declared where the query is defined
  } catch (error) {
    throw readingError(error, statement, values)
  }
  if (row === undefined || !statement.verify) return row
  const verified = statement.verify(row)
  return isSteps(verified) ? yield* verified : verified
}

/** Returns all rows. Throws ServiceError `data_damaged`. */
export function* many<Row>(statement: Query<Row>, values: SqlValues = []): Steps<Row[]> {
  let rows: Row[]
  try {
    rows = (yield* perform({ kind: 'many', statement, values })) as Row[] // as in `one`
  } catch (error) {
    throw readingError(error, statement, values)
  }
  if (!statement.verify) return rows
  for (const row of rows) {
    const verified = statement.verify(row)
    if (isSteps(verified)) yield* verified
  }
  return rows
}

/**
 * Returns all rows of these users. The query for a single user names the user, so that a store on several machines sends it only to the
 * user's machine.
 */
export function manyOfUsers<Row>(
  ofOne: Query<Row>,
  ofListed: Query<Row>,
  userIds: readonly string[],
): Steps<readonly Row[]> {
  return userIds.length === 1 ? many(ofOne, userIds) : many(ofListed, [JSON.stringify(userIds)])
}

/** Returns whether the query finds a row. */
export function* exists(statement: Query<unknown>, values: SqlValues = []): Steps<boolean> {
  return (yield* one(statement, values)) !== undefined
}

/** Returns the number of rows that were changed. */
export function* run(statement: Command, values: SqlValues = []): Steps<number> {
  return (yield* perform({ kind: 'run', statement, values })) as number // the result type for this kind of step
}

/**
 * Makes a change whose row count is not needed. It is counted as a change to one row. The transaction may continue before the change is
 * made. If the change fails, the transaction fails too.
 */
export function* send(statement: Command, values: SqlValues): Steps<void> {
  yield* perform({ kind: 'send', statement, values })
}

/** Makes the same kind of change, and returns the number of changed rows if the store already knows it. */
export function* sendCounted(statement: Command, values: SqlValues): Steps<number | undefined> {
  return (yield* perform({ kind: 'send', statement, values })) as number | undefined // the result type for this kind of step
}

/**
 * Announces queries that the transaction is about to run. It must not have changed anything that they read. A store may send them all at
 * once.
 */
export function* expect(queries: () => readonly Expected[]): Steps<void> {
  yield* perform({ kind: 'expect', queries })
}

/** Locks the rows found by the query until the transaction ends. */
export function* lock(statement: Query<unknown>, values: SqlValues): Steps<void> {
  yield* perform({ kind: 'lock', statement, values })
}

export function* facts(): Steps<StoreFacts> {
  return (yield* perform({ kind: 'facts' })) as StoreFacts // the result type for this kind of step
}

/**
 * Returns the value that the database's `changes` will have after this transaction, as long as nothing else changes, or null if the store
 * does not know it.
 */
export function* changesAfter(): Steps<number | null> {
  return (yield* perform({ kind: 'changes' })) as number | null // the result type for this kind of step
}

/** Returns the generator's result, or its earlier result under this name if nothing has been committed since. Must run inside a read. */
export function* remembered<T>(name: string, transaction: () => Steps<T>, bytes?: (value: T) => number): Steps<T> {
  return (yield* perform({ kind: 'remember', name, transaction, bytes })) as T // the generator's result
}

/** Informs the store that this transaction wrote events for a user. */
export function* eventsWritten(userId: string, written: EventsWritten): Steps<void> {
  yield* perform({ kind: 'events', userId, written })
}

/** Adds to one of the team's counters after the commit. */
export function* addCount(count: Count): Steps<void> {
  yield* perform({ kind: 'count', count })
}

type Results<Bodies extends readonly Steps<unknown>[]> = {
  -readonly [Index in keyof Bodies]: Bodies[Index] extends Steps<infer T> ? T : never
}

/** Runs generators that do not depend on each other. Steps that they yield at the same time are sent to the store together. */
export function* together<const Bodies extends readonly Steps<unknown>[]>(
  ...transactions: Bodies
): Steps<Results<Bodies>> {
  const states = transactions.map(transaction => ({ body: transaction, next: transaction.next() }))
  for (;;) {
    const waiting = states.flatMap(state => (state.next.done ? [] : [{ state, step: state.next.value }]))
    if (waiting.length === 0) break
    const stepResults = (yield* perform({ kind: 'together', steps: waiting.map(({ step }) => step) })) as unknown[]
    for (const [i, { state }] of waiting.entries()) state.next = state.body.next(stepResults[i])
  }
  return states.map(({ next }) => next.value) as Results<Bodies> // every generator is done, and its value is its result
}

/** A transaction's result, and the number of rows that it changed. */
export interface Counted<T> {
  readonly result: T
  readonly changes: number
}

/** Runs a callback whose transactions yield their steps, even if a performer is set. */
const yielding = <T>(callback: () => T): T => withPerformer(undefined, callback)

/** Runs a generator and passes each of its steps to another generator, which returns the result. */
export function* through<T>(transaction: Steps<T>, pass: (step: Step) => Steps<unknown>): Steps<T> {
  let next = yielding(() => transaction.next())
  while (!next.done) {
    let stepResult: unknown
    try {
      stepResult = yield* pass(next.value)
    } catch (error) {
      next = yielding(() => transaction.throw(error))
      continue
    }
    next = yielding(() => transaction.next(stepResult))
  }
  return next.value
}

/** Runs a generator and counts the rows that it changes. */
export function* counting<T>(transaction: Steps<T>): Steps<Counted<T>> {
  let changes = 0
  const result = yield* through(transaction, function* (step) {
    const stepResult = yield* perform(step)
    changes += countChanges(step, stepResult)
    return stepResult
  })
  return { result, changes }
}

function countChanges(step: Step, stepResult: unknown): number {
  if (step.kind === 'send') return 1
  if (step.kind === 'run') return stepResult as number // the result type for this kind of step
  if (step.kind !== 'together') return 0
  const stepResults = stepResult as readonly unknown[] // the result type for this kind of step
  return step.steps.reduce((sum, each, i) => sum + countChanges(each, stepResults[i]), 0)
}

/** Returns whether a value is a running generator. */
export function isSteps<T>(value: T | Steps<T>): value is Steps<T> {
  return typeof value === 'object' && value !== null && 'throw' in value && Symbol.iterator in value
}

function readingError<Row>(error: unknown, statement: Query<Row>, values: SqlValues): unknown {
  return error instanceof UnreadableRows ? (statement.unreadable?.(values) ?? error) : error
}
