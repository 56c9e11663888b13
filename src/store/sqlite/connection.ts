/** One connection to the database file: pragmas, prepared statements, transactions, waiting for locks, and error words. */

import { chmodSync, existsSync } from 'node:fs'
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite'
import { ServiceError } from '../../core/errors.ts'
import type { SnapshotSharing } from '../sharing.ts'
import { CommitGroup } from './commit-group.ts'
import { DatabaseFiles, hasLog } from './database-files.ts'
import { leaveOpen } from './left-open.ts'
import { LOCK_WAIT_MS, LockWait, pauseBetweenTries, RETRY_MS } from './lock-wait.ts'
import { migrate, schemaVersion } from './migrations.ts'
import { Remembered } from './remembered.ts'
import { isBusy } from './result-codes.ts'
import { ByteCounting } from './schema/counters.ts'
import { busyError, serviceErrorOf } from './service-error.ts'
import { hasSideThread } from './side-thread.ts'
import { type Channel, TurnSnapshot } from './turn-snapshot.ts'

export type SqlValue = string | number | bigint | null | Uint8Array

export interface ConnectionOptions {
  readonly path: string
  /** Whose patience counts: all steps of the one command together wait 10 s for a lock (`blocking`), or each call of a server (`async`). */
  readonly waitForLock: 'blocking' | 'async'
  /** A scratch file is thrown away on a crash: it needs no durability. */
  readonly durable: boolean
  /** Real time; absent: the system's. */
  readonly realNow?: (() => number) | undefined
  /** Called with the version of the schema before anything is changed: throws for a database that is not to be used. */
  readonly identify?: ((version: number, connection: Connection) => void) | undefined
}

export class Connection implements SnapshotSharing {
  readonly path: string
  /** Real time, by which events arrive. */
  readonly realNow: () => number
  private readonly db: DatabaseSyncInstance
  private readonly statements = new Map<string, StatementSyncInstance>()
  private version: StatementSyncInstance | undefined
  private readonly readWait: LockWait
  private openingWaitedMs = 0
  private readonly snapshot: TurnSnapshot
  private readonly memory: Remembered
  /** Absent: nobody else knows of the file. */
  readonly files: DatabaseFiles | undefined
  /** In an object, because a view of this connection counts the same. */
  private readonly commits = { count: 0 }
  private readonly group: CommitGroup
  private readonly counting = new ByteCounting()

  /** Throws ServiceError `data_folder`, `data_too_new` or `data_damaged`. */
  constructor(options: ConnectionOptions) {
    this.path = options.path
    this.realNow = options.realNow ?? Date.now
    const isOneCommand = options.waitForLock === 'blocking'
    this.readWait = new LockWait(isOneCommand)
    this.group = new CommitGroup(
      {
        transact: body => this.transact(body),
        savepoint: body => this.savepoint(body),
        isOpen: () => this.db.isTransaction,
      },
      new LockWait(isOneCommand),
    )
    const fresh = !existsSync(options.path)
    this.db = this.guard(() => new DatabaseSync(options.path))
    this.snapshot = new TurnSnapshot({
      // `run` would also count what changed
      exec: sql => this.prepare(sql).get(),
      isOpen: () => this.db.isTransaction,
    })
    this.memory = new Remembered({
      snapshot: () => this.snapshot.number,
      dataVersion: () => this.dataVersion(),
      commits: () => this.commits.count,
    })
    try {
      this.files = this.guard(() => {
        // SQLite's own wait begins anew with every statement, and does not happen everywhere (a change of journal mode, say)
        this.db.exec('PRAGMA busy_timeout=0; PRAGMA page_size=8192')
        if (fresh) chmodSync(options.path, 0o600)
        // before anything is set: what is not ours stays as it is
        this.openingStep(() => {
          const version = schemaVersion(this)
          options.identify?.(version, this)
        })
        // OFF would be quicker still, but this build of SQLite refuses it without a word
        this.openingStep(() => this.db.exec(`PRAGMA journal_mode=${options.durable ? 'WAL' : 'MEMORY'}`))
        this.db.exec(
          `PRAGMA synchronous=${options.durable ? 'FULL' : 'OFF'}; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; PRAGMA cache_size=-16384`,
        )
        this.openingStep(() => migrate(this, { keepsCopy: options.durable }))
        return options.durable ? new DatabaseFiles(options.path, this) : undefined
      })
    } catch (error) {
      // the last one to close writes the log into the database: one that was refused stays as it is
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
    return Number(this.prepare(sql).run(...(values as never[])).changes)
  }

  get<T>(sql: string, ...values: readonly SqlValue[]): T | undefined {
    this.snapshot.leave()
    return this.prepare(sql).get(...(values as never[])) as T | undefined
  }

  all<T>(sql: string, ...values: readonly SqlValue[]): T[] {
    this.snapshot.leave()
    return this.prepare(sql).all(...(values as never[])) as T[]
  }

  /**
   * Runs the body durably; it must not await. Nothing of it stays when it throws. Bodies that are asked for in one turn of the
   * event loop share one transaction and one sync of the disk, each inside a savepoint of its own.
   */
  write<T>(body: () => T): Promise<T> {
    return this.group.add(body)
  }

  /** The same for what is beside a call and no change of its own (a count, a refusal kept): the audit trail does not tell of it. */
  writeAside<T>(body: () => T): Promise<T> {
    return this.group.add(body)
  }

  /** Runs the body against one snapshot, which reads that follow without a pause share; it must not await. */
  read<T>(body: () => T): Promise<T> {
    try {
      this.files?.refuse()
      // most reads are of what is in memory: they pay for one promise alone
      return Promise.resolve(this.snapshot.read(body))
    } catch (error) {
      return isBusy(error) ? this.readLater(body) : Promise.reject(serviceErrorOf(error, this.path))
    }
  }

  /** Called as a request comes in: what it reads is of one state with those that came along, unless a thread needs the log free. */
  shareSnapshot(channel: Channel): void {
    if (!hasSideThread(this.path)) this.snapshot.share(channel)
  }

  /** Whoever reads next sees the newest state. */
  leaveSnapshot(): void {
    this.snapshot.leave()
  }

  /** Whether a write was asked for that is not on the disk yet. */
  get isWriting(): boolean {
    return this.group.isRunning
  }

  /** Inside a read: what the body reads, or what it read before when nothing was committed since. */
  remembered<T>(name: string, body: () => T): T {
    return this.memory.value(name, body)
  }

  /** The same for what is large, bounded by the bytes of it. */
  rememberedBytes<T extends object>(name: string, body: () => T, bytesOf: (value: T) => number): T {
    return this.memory.bytes(name, body, bytesOf)
  }

  /** Grows with every statement that changes something and with every commit, of this connection. */
  get changes(): number {
    return this.commits.count
  }

  /** Resolves when every write that was asked for so far is on the disk or refused. */
  settled(): Promise<void> {
    return this.group.settled()
  }

  /** What is not written yet is refused. */
  close(): void {
    this.snapshot.leave()
    this.statements.clear()
    this.version = undefined
    if (this.files?.mayClose() ?? true) this.db.close()
    else leaveOpen(this.db)
  }

  /** The same without a promise, for opening: only ever called before anything else runs. */
  transactNow<T>(body: () => T): T {
    this.snapshot.leave()
    this.files?.look()
    this.openingStep(() => this.db.exec('BEGIN IMMEDIATE'))
    return this.inside(body)
  }

  private transact<T>(body: () => T): T {
    this.snapshot.leave()
    try {
      // what is written into files that others do not see would be lost, or theirs
      this.files?.look()
      this.db.exec('BEGIN IMMEDIATE')
      return this.inside(() => {
        this.counting.begin(this)
        return body()
      })
    } catch (error) {
      throw isBusy(error) ? error : serviceErrorOf(error, this.path)
    }
  }

  /** Reads as soon as another connection's lock is gone. */
  private async readLater<T>(body: () => T): Promise<T> {
    const askedAt = performance.now()
    while (!this.readWait.isSpent(askedAt)) {
      await pauseBetweenTries()
      try {
        const result = this.snapshot.read(body)
        this.readWait.isOver()
        return result
      } catch (error) {
        if (!isBusy(error)) throw serviceErrorOf(error, this.path)
      }
    }
    throw busyError()
  }

  private inside<T>(body: () => T): T {
    try {
      const result = body()
      this.db.exec('COMMIT')
      this.commits.count++
      return result
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      this.counting.undone()
      throw error
    }
  }

  /** Undoes what the body did when it throws, and leaves the transaction around it as it was. */
  private savepoint<T>(body: () => T): T {
    this.db.exec('SAVEPOINT one_of_group')
    try {
      const result = body()
      this.db.exec('RELEASE one_of_group')
      return result
    } catch (error) {
      // a full disk, say, ends the whole transaction by itself
      if (this.db.isTransaction) this.db.exec('ROLLBACK TO one_of_group; RELEASE one_of_group')
      throw serviceErrorOf(error, this.path)
    }
  }

  private dataVersion(): unknown {
    if (this.version === undefined) {
      this.version = this.db.prepare('PRAGMA data_version')
      this.version.setReturnArrays(true)
    }
    return (this.version.get() as unknown[])[0]
  }

  private prepare(sql: string): StatementSyncInstance {
    let statement = this.statements.get(sql)
    if (!statement) {
      statement = this.db.prepare(sql)
      this.statements.set(sql, statement)
    }
    return statement
  }

  /** A step of opening, tried again while another connection's lock is in its way: all steps together wait 10 s. */
  private openingStep<T>(step: () => T): T {
    for (;;) {
      try {
        return step()
      } catch (error) {
        if (!isBusy(error) || this.openingWaitedMs > LOCK_WAIT_MS) throw error
        const since = performance.now()
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
        this.openingWaitedMs += performance.now() - since
      }
    }
  }

  private guard<T>(step: () => T): T {
    try {
      return step()
    } catch (error) {
      throw serviceErrorOf(error, this.path)
    }
  }
}
