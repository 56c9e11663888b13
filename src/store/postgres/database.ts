/** Runs the logic's transactions on PostgreSQL, each on a connection from the pool, and repeats transactions that conflict with others. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import type { Database } from '../logic/database.ts'
import type { ChunkData } from '../logic/rows/chunk-data.ts'
import { isDamageError } from '../logic/rows/damage.ts'
import type { Step, Steps, StoreFacts } from '../logic/steps.ts'
import type { Count } from '../team.ts'
import type { ChunkScans } from './chunk-scan.ts'
import { lostMachine } from './cluster/machine-down.ts'
import type { Machines } from './cluster/machines.ts'
import type { NewFlight } from './flight.ts'
import { isConnectionLost, wasInTheWay } from './retries.ts'
import { type LastEvent, Transaction, type WireCounts } from './transaction.ts'

export interface PostgresDatabaseOptions {
  readonly pool: Pool
  readonly newFlight: NewFlight
  /** Different for each store that is open in one process. */
  readonly name: string
  readonly realNow: () => number
  /** Translates driver errors. */
  readonly errorOf: (error: unknown) => unknown
  /** Called after a commit with the users whose events were written, and the last of these. */
  readonly onEvents: (written: ReadonlyMap<string, LastEvent>) => void
  /** Receives what a transaction did, after its commit. */
  readonly onCount?: ((count: Count) => void) | undefined
  readonly scans: ChunkScans
  /** Returns the error if the server is known to be unavailable, or null. */
  readonly gone: () => unknown
  /** Absent for plain PostgreSQL. */
  readonly machines?: Machines | null
}

/** Maximum number of times that a transaction is repeated because of conflicts. */
const MOST_TRIES = 12
/** Maximum number of times that a write rereads rows that appear to be damaged. */
const MOST_LOOKS = 4
/** How long calls wait for the server to return after connections started to fail. After that, calls fail immediately. */
const LOST_MS = 5_000
/**
 * The same for one machine of a cluster, so that calls fail within a second. Shorter, because clients can still work with the users on the
 * other machines.
 */
const MACHINE_LOST_MS = 700
/** If a connection fails within this time, it may merely have been an old one, so the next connection is always tried. */
const QUICK_MS = 1_000
const FIRST_PAUSE_MS = 2
const LONGEST_PAUSE_MS = 250

const BEGIN_WRITE = 'BEGIN ISOLATION LEVEL READ COMMITTED'
/** Writes that are not about a single user run one at a time. */
const LOCK_STORE = 'SELECT id FROM store_lock WHERE id=1 FOR UPDATE'
const BEGIN_READ = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** The store's counters, for metrics. */
export interface DatabaseCounts extends WireCounts {
  /** Number of repeated transactions. */
  retries: number
}

export class PostgresDatabase implements Database {
  readonly counts: DatabaseCounts = { roundTrips: 0, statements: 0, retries: 0 }
  private readonly options: PostgresDatabaseOptions
  private readonly running = new Set<Promise<unknown>>()
  /** When connections started to fail, or null if the last transaction had a working connection. */
  private lostSince: number | null = null

  constructor(options: PostgresDatabaseOptions) {
    this.options = options
  }

  write<T>(generator: () => Steps<T>): Promise<T> {
    const under = this.run(BEGIN_WRITE, () => lockingStore(generator()))
    const ended = (): boolean => this.running.delete(under)
    this.running.add(under)
    under.then(ended, ended)
    return under
  }

  writeAside<T>(generator: () => Steps<T>): Promise<T> {
    return this.write(generator)
  }

  read<T>(generator: () => Steps<T>): Promise<T> {
    return this.run(BEGIN_READ, generator)
  }

  expectScan(): void {
    // the scan has its own connections
  }

  async *chunks(userId: string, seriesId: number, from: number, to: number): AsyncGenerator<readonly ChunkData[]> {
    try {
      yield* this.options.scans.chunks(userId, seriesId, from, to)
    } catch (error) {
      throw this.options.errorOf(error)
    }
  }

  changes(): number | null {
    return null
  }

  get pool(): Pool {
    return this.options.pool
  }

  /** Waits until every write requested so far has been committed or rejected. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.running)
  }

  private async run<T>(begin: string, generator: () => Steps<T>): Promise<T> {
    // counted for this call only, because other calls may succeed while this call breaks its connections
    let lostUntil = Number.POSITIVE_INFINITY
    for (let tries = 1; ; tries++) {
      const gone = this.options.gone()
      if (gone !== null) throw gone
      const began = performance.now()
      try {
        return await this.once(begin, generator, tries)
      } catch (error) {
        const until = this.waitUntil(error, began)
        if (until !== null) lostUntil = Math.min(lostUntil, until)
        const mayRepeat =
          until !== null
            ? mayReturn(lostUntil, began, tries)
            : (wasInTheWay(error) && tries < MOST_TRIES) || (mayHaveMet(error, begin) && tries < MOST_LOOKS)
        if (!mayRepeat) throw this.options.errorOf(error)
      }
      this.counts.retries++
      const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** tries)
      await wait(pause * Math.random())
    }
  }

  /**
   * Returns the time until which calls wait after an attempt that began at `began` and failed with this error. Returns null if the attempt
   * did not lose its connection.
   */
  private waitUntil(error: unknown, began: number): number | null {
    // success for a user of another machine says nothing about this one
    const failing = this.options.machines?.failingSince(error) ?? null
    if (failing !== null) return failing + MACHINE_LOST_MS
    if (!isConnectionLost(error)) return null
    this.lostSince ??= began
    return this.lostSince + LOST_MS
  }

  /**
   * Runs the transaction once. The results of queries sent ahead are read before the transaction has written anything. A second attempt
   * therefore runs each query only when the transaction yields it. If an error occurs during the commit, the outcome is unknown, and the
   * write is repeated with the same IDs.
   */
  private async once<T>(begin: string, generator: () => Steps<T>, tries: number): Promise<T> {
    const { pool, newFlight, machines } = this.options
    // before the connection is taken, because reading the time may fail
    const context = { facts: this.facts(), counts: this.counts, newFlight }
    const direct = machines && tries === 1 ? await machines.connectTo(generator, context.facts) : null
    const client = direct ?? (await pool.connect())
    const watched = machines && { onStatement: machines.watching(client, begin === BEGIN_WRITE) }
    const transaction = new Transaction(client, { ...context, ...watched }, tries === 1)
    let result: T
    try {
      transaction.send(begin)
      result = await transaction.drive(generator())
      await (begin === BEGIN_READ ? transaction.endRead() : transaction.commit())
    } catch (error) {
      // otherwise, the statements collected so far, such as BEGIN, would follow the rollback
      transaction.leave()
      await giveBack(client, error)
      throw machines?.errorOf(error, client) ?? error
    } finally {
      machines?.ended(client)
    }
    client.release()
    if (direct === null) this.lostSince = null
    if (transaction.eventsOf.size > 0) this.options.onEvents(transaction.eventsOf)
    for (const count of transaction.unreported) this.options.onCount?.(count)
    return result
  }

  private facts(): StoreFacts {
    return {
      realNow: this.options.realNow(),
      storeName: this.options.name,
      eventPositions: 'afterwards',
      isRemote: true,
    }
  }
}

/**
 * Returns whether the damage may be a conflict. A write reads the current state of each row, so two reads may disagree because another
 * transaction was committed in between. Real damage is still there at the next read. A read uses a single snapshot, so it has no such
 * conflicts.
 */
function mayHaveMet(error: unknown, begin: string): boolean {
  return begin === BEGIN_WRITE && isDamageError(error)
}

/** Returns whether to repeat an attempt that began at this time and lost its connection. */
function mayReturn(lostUntil: number, began: number, tries: number): boolean {
  const now = performance.now()
  return now < lostUntil || (tries === 1 && now - began < QUICK_MS)
}

/**
 * Runs a transaction after taking the store's lock. The lock is not taken if the transaction starts by locking a user, which every
 * transaction about one user does.
 */
function* lockingStore<T>(generator: Steps<T>): Steps<T> {
  let isLocked = false
  let next = generator.next()
  while (!next.done) {
    const step: Step = next.value
    if (!isLocked && asksDatabase(step)) {
      if (step.kind !== 'lock') yield { kind: 'lock', statement: { text: LOCK_STORE }, values: [] }
      isLocked = true
    }
    let stepResult: unknown
    try {
      stepResult = yield step
    } catch (error) {
      next = generator.throw(error)
      continue
    }
    next = generator.next(stepResult)
  }
  return next.value
}

function asksDatabase({ kind }: Step): boolean {
  return kind !== 'facts' && kind !== 'expect' && kind !== 'changes'
}

/** Rolls back an unfinished transaction, and closes the connection if the rollback fails. */
async function giveBack(client: PoolClient, error: unknown): Promise<void> {
  // the connection to another machine was lost, not this one
  if (isConnectionLost(error) && lostMachine(error) === null) return client.release(true)
  try {
    await client.query('ROLLBACK')
    client.release()
  } catch {
    client.release(true)
  }
}
