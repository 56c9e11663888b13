/** Wraps one handle on the database file: pragmas, prepared statements, transactions, waiting for locks, and error translation. */
import { chmodSync, existsSync } from 'node:fs'
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite'
import { ServiceError } from '../../core/errors.ts'
import type { Database } from '../logic/database.ts'
import { isSteps, type SqlValue, type Steps, UnreadableRows } from '../logic/steps.ts'
import type { SnapshotSharing } from '../sharing.ts'
import type { Count } from '../team.ts'
import { CommitGroup } from './commit-group.ts'
import { DatabaseFiles, hasLog } from './database-files.ts'
import { leaveOpen } from './left-open.ts'
import { LockWait, OpeningWait, pauseBetweenTries } from './lock-wait.ts'
import { migrate, schemaVersion } from './migrations.ts'
import { OtherCommits } from './other-commits.ts'
import { PreparedStatement } from './prepared-statement.ts'
import { Remembered } from './remembered.ts'
import { isBusy } from './result-codes.ts'
import { busyError, toServiceError } from './service-error.ts'
import { type Channel, SharedSnapshot } from './shared-snapshot.ts'
import { hasSideThread } from './side-thread.ts'
import { StepRunner } from './step-runner.ts'

export interface DatabaseOptions {
  readonly path: string
  /** Determines what waits up to 10 s for a lock: all steps of a command together (`blocking`), or each of a server's calls (`async`). */
  readonly waitForLock: 'blocking' | 'async'
  /** False for a scratch file, which is deleted after a crash and therefore needs no durability. */
  readonly durable: boolean
  /** Real time. Defaults to the system's time. */
  readonly realNow?: (() => number) | undefined
  /** Receives what transactions did, after their commit. */
  readonly onCount?: ((count: Count) => void) | undefined
  /** Receives a line about a migration. */
  readonly note?: ((line: string) => void) | undefined
  /** Called with the schema version before anything is changed. Throws if the database must not be used. */
  readonly identify?: ((version: number, db: SqliteDatabase) => void) | undefined
}

export class SqliteDatabase implements Database, SnapshotSharing {
  readonly path: string
  /** Real time, which determines the order in which events arrive. */
  readonly realNow: () => number
  private readonly db: DatabaseSyncInstance
  private readonly statements = new Map<string, PreparedStatement>()
  private version: StatementSyncInstance | undefined
  private readonly readWait: LockWait
  private readonly opening = new OpeningWait()
  private readonly snapshot: SharedSnapshot
  private readonly memory: Remembered
  /** Absent if no other process uses the file. */
  readonly files: DatabaseFiles | undefined
  /** An object, so that a view of this handle uses the same count. */
  private readonly commits = { count: 0 }
  private readonly others: OtherCommits
  private readonly runner: StepRunner
  private readonly group: CommitGroup
  private readonly onCount: DatabaseOptions['onCount']

  /** Throws ServiceError `data_folder`, `data_too_new` or `data_damaged`. */
  constructor(options: DatabaseOptions) {
    this.path = options.path
    this.realNow = options.realNow ?? Date.now
    this.onCount = options.onCount
    const isOneCommand = options.waitForLock === 'blocking'
    this.readWait = new LockWait(isOneCommand)
    this.group = new CommitGroup(
      {
        transact: transaction => this.transact(transaction),
        savepoint: transaction => this.savepoint(transaction),
        isOpen: () => this.db.isTransaction,
      },
      new LockWait(isOneCommand),
    )
    const fresh = !existsSync(options.path)
    this.db = this.guard(() => new DatabaseSync(options.path))
    this.snapshot = new SharedSnapshot({
      // `run` would also count it as a change
      exec: sql => this.prepare(sql).get(),
      isOpen: () => this.db.isTransaction,
    })
    this.memory = new Remembered({
      snapshot: () => this.snapshot.number,
      dataVersion: () => this.dataVersion(),
      commits: () => this.commits.count,
    })
    this.others = new OtherCommits(() => this.dataVersion(), this.commits)
    this.runner = new StepRunner(this, this.memory, this.others)
    try {
      this.files = this.guard(() => {
        // SQLite's own wait starts again with every statement, and does not apply everywhere (for example, not when the journal mode is
        // changed)
        this.db.exec('PRAGMA busy_timeout=0; PRAGMA page_size=8192')
        if (fresh) chmodSync(options.path, 0o600)
        // check before changing any setting, because a file that is not ours must not be changed
        this.opening.step(() => {
          const version = schemaVersion(this)
          options.identify?.(version, this)
        })
        // OFF would be faster still, but this build of SQLite silently refuses it
        this.opening.step(() => this.db.exec(`PRAGMA journal_mode=${options.durable ? 'WAL' : 'MEMORY'}`))
        this.db.exec(
          `PRAGMA synchronous=${options.durable ? 'FULL' : 'OFF'}; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; PRAGMA cache_size=-16384`,
        )
        this.opening.step(() => migrate(this, { keepsCopy: options.durable, note: options.note }))
        return options.durable ? new DatabaseFiles(options.path, this) : undefined
      })
    } catch (error) {
      // the last handle to close writes the log to the database, but a refused database must not be changed
      const isRefused = options.durable && error instanceof ServiceError && error.code === 'data_damaged'
      if (isRefused && hasLog(options.path)) leaveOpen(this.db)
      else this.db.close()
      throw error
    }
  }

  exec(sql: string): void {
    this.snapshot.leave()
    this.commits.count++
    this.db.exec(sql)
  }

  run(sql: string, ...values: readonly SqlValue[]): number {
    this.snapshot.leave()
    this.commits.count++
    return this.prepare(sql).run(values)
  }

  get<T>(sql: string, ...values: readonly SqlValue[]): T | undefined {
    this.snapshot.leave()
    return this.prepare(sql).get(values) as T | undefined
  }

  all<T>(sql: string, ...values: readonly SqlValue[]): T[] {
    this.snapshot.leave()
    return this.prepare(sql).all(values) as T[]
  }

  /**
   * Runs the callback durably in a transaction. The callback must not await. If it throws, its changes are undone. Callbacks requested in
   * the same event loop tick use one transaction and one disk sync, each inside its own savepoint.
   */
  write<T>(transaction: () => Steps<T> | T): Promise<T> {
    return this.group.add(() => this.finish(transaction()))
  }

  writeAside<T>(transaction: () => Steps<T> | T): Promise<T> {
    return this.write(transaction)
  }

  /** Runs the callback on one snapshot, which is also used by reads that follow immediately. The callback must not await. */
  read<T>(transaction: () => Steps<T> | T): Promise<T> {
    const whole = (): T => this.finish(transaction())
    try {
      this.files?.refuse()
      // most reads are served from memory, so they should cost only one promise
      return Promise.resolve(this.snapshot.read(whole))
    } catch (error) {
      return isBusy(error) ? this.readLater(whole) : Promise.reject(toServiceError(error, this.path))
    }
  }

  /**
   * Called when a request arrives. The request reads the same state as the requests that arrived with it, unless a thread needs the log to
   * be free.
   */
  shareSnapshot(channel: Channel): void {
    if (!hasSideThread(this.path)) this.snapshot.share(channel)
  }

  /** Ends the shared snapshot, so that the next read sees the newest state. */
  leaveSnapshot(): void {
    this.snapshot.leave()
  }

  /** Whether a requested write is not yet on disk. */
  get isWriting(): boolean {
    return this.group.isRunning
  }

  /** Runs a transaction to its end inside the open database transaction or snapshot. */
  drive<T>(steps: Steps<T>): T {
    try {
      return this.runner.drive(steps)
    } catch (error) {
      throw error instanceof UnreadableRows ? error.cause : error
    }
  }

  expectScan(): void {
    // a scan reads a lot of data, so do not copy pages that are already in memory
    this.exec('PRAGMA mmap_size=1073741824')
  }

  changes(): number | null {
    return this.others.changes()
  }

  /** Waits until every write requested so far is either on disk or rejected. */
  settled(): Promise<void> {
    return this.group.settled()
  }

  /** Closes the handle. Writes that are still waiting are rejected. */
  close(): void {
    this.snapshot.leave()
    this.statements.clear()
    this.version = undefined
    if (this.files?.mayClose() ?? true) this.db.close()
    else leaveOpen(this.db)
  }

  /** Writes without a promise, while opening the store. Must be called before anything else runs. */
  transactNow<T>(transaction: () => T): T {
    this.snapshot.leave()
    this.files?.look()
    this.opening.step(() => this.db.exec('BEGIN IMMEDIATE'))
    return this.inside(transaction)
  }

  private finish<T>(value: Steps<T> | T): T {
    return isSteps(value) ? this.drive(value) : value
  }

  private transact<T>(transaction: () => T): T {
    this.snapshot.leave()
    try {
      // a write to files that other processes do not see would be lost, or would overwrite their writes
      this.files?.look()
      this.db.exec('BEGIN IMMEDIATE')
      return this.inside(transaction)
    } catch (error) {
      throw isBusy(error) ? error : toServiceError(error, this.path)
    }
  }

  /** Reads after the other handle has released the lock. */
  private async readLater<T>(transaction: () => T): Promise<T> {
    const askedAt = performance.now()
    while (!this.readWait.isSpent(askedAt)) {
      await pauseBetweenTries()
      try {
        const result = this.snapshot.read(transaction)
        this.readWait.isOver()
        return result
      } catch (error) {
        if (!isBusy(error)) throw toServiceError(error, this.path)
      }
    }
    throw busyError()
  }

  private inside<T>(transaction: () => T): T {
    // count the commit before it happens, so that the transaction knows its number
    this.commits.count++
    try {
      const result = transaction()
      this.db.exec('COMMIT')
      for (const count of this.runner.unreported) this.onCount?.(count)
      return result
    } catch (error) {
      this.commits.count++
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      throw error
    } finally {
      this.runner.unreported.length = 0
    }
  }

  /** Undoes the callback's changes if it throws, and leaves the surrounding transaction unchanged. */
  private savepoint<T>(transaction: () => T): T {
    const { unreported } = this.runner
    const reported = unreported.length
    this.prepare('SAVEPOINT one_of_group').get()
    try {
      const result = transaction()
      this.prepare('RELEASE one_of_group').get()
      return result
    } catch (error) {
      unreported.length = reported
      // some errors, such as a full disk, end the whole transaction
      if (this.db.isTransaction) this.db.exec('ROLLBACK TO one_of_group; RELEASE one_of_group')
      throw toServiceError(error, this.path)
    }
  }

  private dataVersion(): unknown {
    if (this.version === undefined) {
      this.version = this.db.prepare('PRAGMA data_version')
      this.version.setReturnArrays(true)
    }
    return (this.version.get() as unknown[])[0]
  }

  private prepare(sql: string): PreparedStatement {
    const known = this.statements.get(sql)
    if (known) return known
    const statement = new PreparedStatement(this.db.prepare(sql))
    this.statements.set(sql, statement)
    return statement
  }

  private guard<T>(step: () => T): T {
    try {
      return step()
    } catch (error) {
      throw toServiceError(error, this.path)
    }
  }
}
