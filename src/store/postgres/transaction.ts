/**
 * Runs one transaction on one connection. Statements whose results are not awaited are sent together with the next awaited one, so that a
 * transaction takes as few round trips as possible.
 */
import type { PoolClient } from 'pg'
import { ChangeCounts } from '../logic/rows/counted-bytes.ts'
import type { EventsWritten, Expected, SqlText, SqlValue, SqlValues, Step, Steps, StoreFacts } from '../logic/steps.ts'
import type { Count } from '../team.ts'
import { POSTGRES } from './dialect.ts'
import type { Flight, NewFlight, StatementResult } from './flight.ts'
import { preparedText, sentValue } from './statement-texts.ts'

/** Counts network traffic, for metrics. */
export interface WireCounts {
  /** Number of round trips. Each one includes everything that was sent since the previous one. */
  roundTrips: number
  statements: number
}

/** A user's team, and the number of the last of some events. */
export type LastEvent = Pick<EventsWritten, 'teamId' | 'last'>

/** Callbacks through which a transaction reports to its store. */
export interface TransactionContext {
  readonly facts: StoreFacts
  readonly counts: WireCounts
  readonly newFlight: NewFlight
  /** Called before a statement is sent. Throws if it must not be sent. Returns a statement to send first, or null. */
  readonly onStatement?: (text: SqlText, values: SqlValues) => Expected | null
}

/** A statement that was sent, and the number of its round trip. */
interface Sent {
  readonly result: Promise<StatementResult>
  readonly trip: number
}

type Change = Extract<Step, { readonly kind: 'run' | 'send' }>

/** A query that was sent before the transaction requested it. */
interface Ahead {
  readonly statement: Expected['statement']
  readonly key: string
  readonly sent: Sent
}

const COUNTS = new ChangeCounts(POSTGRES)

/** Marks a result that must come from the server. */
const FROM_SERVER = Symbol('from the server')

export class Transaction {
  private readonly client: PoolClient
  private readonly context: TransactionContext
  private readonly mayAsk: boolean
  private ahead: Ahead[] = []
  /** Statements that have not been sent yet. */
  private flight: Flight | null = null
  /** Whether statements are only collected, even if one of them is awaited. */
  private isHolding = false
  /** Number of the round trip in which the next statement will be sent. */
  private trip = 1
  /** Error from a statement whose result is not awaited. */
  private failure: { readonly error: unknown } | null = null
  /** Locked users, except those whose bytes are known not to be counted. */
  private readonly counted = new Set<SqlValue | undefined>()
  /** Users whose events were written, with the last of these. */
  readonly eventsOf = new Map<string, LastEvent>()
  /** What the transaction did, to be counted after its commit. */
  readonly unreported: Count[] = []

  /** `asksAhead` determines whether announced queries are sent before the transaction requests them. */
  constructor(client: PoolClient, context: TransactionContext, asksAhead: boolean) {
    this.client = client
    this.context = context
    this.mayAsk = asksAhead
  }

  /** Sends a statement without values and does not wait for its result. */
  send(text: string): void {
    this.forget(this.gather(text, []))
  }

  /** Sends the collected statements. */
  leave(): void {
    if (this.flight === null) return
    const flight = this.flight
    this.flight = null
    this.client.query(flight)
  }

  /** Runs a transaction to its end. */
  async drive<T>(steps: Steps<T>): Promise<T> {
    let next = steps.next()
    while (!next.done) {
      let stepResult: unknown
      try {
        stepResult = this.atOnce(next.value)
        if (stepResult === FROM_SERVER) stepResult = await this.runStep(next.value)
      } catch (error) {
        next = steps.throw(this.failure?.error ?? error)
        continue
      }
      next = steps.next(stepResult)
    }
    return next.value
  }

  /** Ends the transaction. If there was an error, undoes all changes and throws the error. */
  async commit(): Promise<void> {
    const { command } = await this.awaited({ result: this.gather('COMMIT', []), trip: this.trip })
    if (this.failure) throw this.failure.error
    if (command !== 'COMMIT') throw new Error(`the transaction ended with ${command}`)
  }

  /** Ends a transaction that has changed nothing. Does not wait for the response unless a query sent in advance is still unread. */
  async endRead(): Promise<void> {
    if (this.ahead.length > 0 || this.failure) return this.commit()
    this.send('COMMIT')
    this.leave()
  }

  /** Completes a step that does not need a result from the server. */
  private atOnce(step: Step): unknown {
    switch (step.kind) {
      case 'facts':
        return this.context.facts
      case 'lock':
        this.forget(this.locked(step))
        return undefined
      case 'send':
        this.forget(this.change(step).result)
        return undefined
      case 'expect':
        if (this.mayAsk) this.askAhead(step.queries())
        return undefined
      case 'events':
        this.eventsOf.set(step.userId, step.written)
        return undefined
      case 'count':
        this.unreported.push(step.count)
        return undefined
      case 'changes':
        return null
      default:
        return FROM_SERVER
    }
  }

  private async runStep(step: Step): Promise<unknown> {
    switch (step.kind) {
      case 'one':
        return (await this.awaited(this.rows(step))).rows[0]
      case 'many':
        return (await this.awaited(this.rows(step))).rows
      case 'run':
        return (await this.awaited(this.change(step))).rowCount ?? 0
      case 'remember':
        return this.drive(step.transaction())
      case 'together':
        return this.runSteps(step.steps)
      default:
        return this.atOnce(step)
    }
  }

  /** Sends everything that needs the server before awaiting the first response. */
  private async runSteps(steps: readonly Step[]): Promise<unknown[]> {
    this.isHolding = true
    const under = steps.map(step => this.runStep(step))
    this.isHolding = false
    if (this.flight !== null) this.endTrip()
    // await every step, so that no failure is missed
    const settled = await Promise.allSettled(under)
    return settled.map(each => {
      if (each.status === 'rejected') throw each.reason
      return each.value
    })
  }

  /** Locks rows. For a user, the result tells whether the user's bytes are counted. Until it arrives, they are counted in case. */
  private async locked({ statement, values }: Expected): Promise<void> {
    const [id] = values
    if (typeof id === 'string') this.counted.add(id)
    const { rows } = await this.query(statement.text, values).result
    if (rows.every(({ stored_bytes = null }) => stored_bytes === null)) this.counted.delete(id)
  }

  /** Makes a change, after the change to the number of bytes that its user stores. */
  private change({ statement, values }: Change): Sent {
    const count = this.counted.size === 0 ? null : COUNTS.of(statement.text)
    const counted = count?.valuesFor(values)
    if (count && counted && this.counted.has(counted.at(-1))) this.forget(this.query(count.text, counted).result)
    return this.query(statement.text, values)
  }

  private rows({ statement, values }: Expected): Sent {
    const key = this.ahead.length === 0 ? '' : valuesKey(values)
    const at = this.ahead.findIndex(each => each.statement === statement && each.key === key)
    if (at === -1) return this.query(statement.text, values)
    const [{ sent }] = this.ahead.splice(at, 1) as [Ahead] // there is a query at this position
    return sent
  }

  private askAhead(queries: readonly Expected[]): void {
    for (const { statement, values } of queries) {
      const key = valuesKey(values)
      if (this.ahead.some(each => each.statement === statement && each.key === key)) continue
      const sent = this.query(statement.text, values)
      this.forget(sent.result)
      this.ahead.push({ statement, key, sent })
    }
  }

  private query(text: SqlText, values: SqlValues): Sent {
    const first = this.context.onStatement?.(text, values) ?? null
    if (first !== null) this.forget(this.gather(first.statement.text, first.values))
    this.context.counts.statements++
    return { result: this.gather(text, values), trip: this.trip }
  }

  /** Waits for the result of a query that was sent. Results from the same round trip arrive together. */
  private awaited({ result, trip }: Sent): Promise<StatementResult> {
    // the result of an earlier round trip arrives even if the statements collected since then are not sent
    if (trip === this.trip && !this.isHolding) this.endTrip()
    return result
  }

  private endTrip(): void {
    this.leave()
    this.trip++
    this.context.counts.roundTrips++
  }

  /** Adds a statement to those that are sent together. */
  private gather(text: SqlText, values: SqlValues): Promise<StatementResult> {
    if (this.flight === null) {
      this.flight = this.context.newFlight(this.client)
      // leave nothing unsent in any case
      process.nextTick(() => this.leave())
    }
    const prepared = preparedText(text)
    return this.flight.add(prepared, values.slice(0, prepared.count).map(sentValue))
  }

  /** Records the first failure, which makes all later statements in the transaction fail. */
  private forget(result: Promise<unknown>): void {
    result.catch(error => {
      this.failure ??= { error }
    })
  }
}

function valuesKey(values: SqlValues): string {
  return JSON.stringify(values)
}
