/** One connection to the database file: pragmas, prepared statements, transactions, waiting for locks, and error words. */

import { chmodSync, existsSync } from 'node:fs'
import { DatabaseSync, type DatabaseSyncInstance, type StatementSyncInstance } from '@photostructure/sqlite'
import { ServiceError } from '../../core/errors.ts'
import { migrate, schemaVersion } from './migrations.ts'

/** SQLite's primary result codes that mean something to the user. */
const RESULT = { busy: 5, locked: 6, readonly: 8, ioerr: 10, corrupt: 11, full: 13, cantopen: 14, notadb: 26 } as const
const LOCK_WAIT_MS = 10_000
const RETRY_MS = 15

export type SqlValue = string | number | bigint | null | Uint8Array

export interface ConnectionOptions {
  readonly path: string
  /** `blocking`: SQLite waits up to 10 s; `async`: a refused BEGIN is retried without blocking the event loop (design 4). */
  readonly waitForLock: 'blocking' | 'async'
  /** A scratch file is thrown away on a crash: it needs no durability. */
  readonly durable: boolean
}

export class Connection {
  readonly path: string
  private readonly db: DatabaseSyncInstance
  private readonly statements = new Map<string, StatementSyncInstance>()
  private readonly waitForLock: ConnectionOptions['waitForLock']

  /** Throws ServiceError `data_folder`, `data_too_new` or `data_damaged`. */
  constructor(options: ConnectionOptions) {
    this.path = options.path
    this.waitForLock = options.waitForLock
    const fresh = !existsSync(options.path)
    this.db = this.guard(() => new DatabaseSync(options.path))
    try {
      this.guard(() => {
        this.db.exec(`PRAGMA busy_timeout=${LOCK_WAIT_MS}; PRAGMA page_size=8192`)
        if (fresh) chmodSync(options.path, 0o600)
        // before anything is set: what is not ours stays as it is
        this.retrying(() => schemaVersion(this))
        // OFF would be quicker still, but this build of SQLite refuses it without a word
        this.retrying(() => this.db.exec(`PRAGMA journal_mode=${options.durable ? 'WAL' : 'MEMORY'}`))
        this.db.exec(
          `PRAGMA synchronous=${options.durable ? 'FULL' : 'OFF'}; PRAGMA foreign_keys=ON; PRAGMA secure_delete=ON; PRAGMA cache_size=-16384`,
        )
        migrate(this)
        if (options.waitForLock === 'async') this.db.exec('PRAGMA busy_timeout=0')
      })
    } catch (error) {
      this.db.close()
      throw error
    }
  }

  exec(sql: string): void {
    this.db.exec(sql)
  }

  run(sql: string, ...values: readonly SqlValue[]): number {
    return Number(this.prepare(sql).run(...(values as never[])).changes)
  }

  get<T>(sql: string, ...values: readonly SqlValue[]): T | undefined {
    return this.prepare(sql).get(...(values as never[])) as T | undefined
  }

  all<T>(sql: string, ...values: readonly SqlValue[]): T[] {
    return this.prepare(sql).all(...(values as never[])) as T[]
  }

  /** Runs the body in one durable transaction; it must not await. Nothing of it stays when it throws. */
  async write<T>(body: () => T): Promise<T> {
    return this.transact('BEGIN IMMEDIATE', body)
  }

  /** Runs the body against one snapshot; it must not await. */
  async read<T>(body: () => T): Promise<T> {
    return this.transact('BEGIN', body)
  }

  close(): void {
    this.statements.clear()
    this.db.close()
  }

  /** The same without a promise, for opening: only ever called before anything else runs. */
  transactNow<T>(body: () => T): T {
    this.retrying(() => this.db.exec('BEGIN IMMEDIATE'))
    return this.inside(body)
  }

  private async transact<T>(begin: string, body: () => T): Promise<T> {
    const deadline = Date.now() + LOCK_WAIT_MS
    for (;;) {
      try {
        this.db.exec(begin)
        return this.inside(body)
      } catch (error) {
        if (!isBusy(error)) throw this.translate(error)
        if (this.waitForLock === 'blocking' || Date.now() > deadline) throw busyError(error)
      }
      await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    }
  }

  private inside<T>(body: () => T): T {
    try {
      const result = body()
      this.db.exec('COMMIT')
      return result
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      throw error
    }
  }

  private prepare(sql: string): StatementSyncInstance {
    let statement = this.statements.get(sql)
    if (!statement) {
      statement = this.db.prepare(sql)
      this.statements.set(sql, statement)
    }
    return statement
  }

  /** SQLite does not call its busy handler everywhere (a change of journal mode, say). */
  private retrying(step: () => void): void {
    const deadline = Date.now() + LOCK_WAIT_MS
    for (;;) {
      try {
        step()
        return
      } catch (error) {
        if (!isBusy(error) || Date.now() > deadline) throw error
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
      }
    }
  }

  private guard<T>(step: () => T): T {
    try {
      return step()
    } catch (error) {
      throw this.translate(error)
    }
  }

  /** What SQLite says, in words the user can act on; anything unknown stays as it is: a bug of ours. */
  private translate(error: unknown): unknown {
    if (error instanceof ServiceError) return error
    const code = resultCode(error)
    if (code === undefined) return error
    switch (code & 0xff) {
      case RESULT.busy:
      case RESULT.locked:
        return busyError(error)
      case RESULT.full:
        return new ServiceError('disk_full', 'The disk is full; nothing was half-written.', { cause: error })
      case RESULT.readonly:
      case RESULT.cantopen:
      case RESULT.ioerr:
        return new ServiceError(
          'data_folder',
          `The database ${this.path} cannot be written: check its permissions and its disk.`,
          {
            suggestions: ['Choose another folder with --data-dir or SVC_DATA_DIR.'],
            cause: error,
          },
        )
      case RESULT.corrupt:
      case RESULT.notadb:
        return new ServiceError('data_damaged', `${this.path} is not a database of svc, or it is damaged.`, {
          suggestions: ['Restore a copy, or choose another folder with --data-dir or SVC_DATA_DIR.'],
          cause: error,
        })
      default:
        return error
    }
  }
}

function resultCode(error: unknown): number | undefined {
  const code =
    (error as { errcode?: unknown; sqliteCode?: unknown })?.errcode ?? (error as { sqliteCode?: unknown })?.sqliteCode
  return typeof code === 'number' ? code : undefined
}

function isBusy(error: unknown): boolean {
  const code = resultCode(error)
  return code !== undefined && ((code & 0xff) === RESULT.busy || (code & 0xff) === RESULT.locked)
}

function busyError(cause: unknown): ServiceError {
  return new ServiceError(
    'store_busy',
    'Another process held the data folder for more than 10 s; nothing was written.',
    {
      suggestions: ['Try again.'],
      cause,
    },
  )
}
