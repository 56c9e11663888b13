/** Opens a second handle on the database file in a separate thread for slow statements, so that the event loop is not blocked. */
import { createRequire } from 'node:module'
import type { Worker } from 'node:worker_threads'
import { ServiceError } from '../../core/errors.ts'
import { isBusy } from './result-codes.ts'
import { toServiceError } from './service-error.ts'

/**
 * The thread's code, which receives a statement and returns its rows. Written in plain JavaScript, because neither the bundler nor type
 * stripping is applied where it is compiled.
 */
const THREAD = `
const { parentPort, workerData } = require('node:worker_threads')
const { DatabaseSync } = require(workerData.sqlite)
let db
parentPort.on('message', sql => {
  if (sql === null) {
    db?.close()
    parentPort.close()
    return
  }
  try {
    if (db === undefined) {
      const opened = new DatabaseSync(workerData.path)
      try {
        opened.exec('PRAGMA busy_timeout=0; PRAGMA synchronous=FULL; PRAGMA secure_delete=ON; PRAGMA cache_size=-16384')
      } catch (error) {
        opened.close()
        throw error
      }
      db = opened
    }
    parentPort.postMessage({ rows: db.prepare(sql).all().map(row => ({ ...row })) })
  } catch (error) {
    parentPort.postMessage({ error: { message: error.message, code: error.code, errcode: error.errcode } })
  }
})`

type WorkerResponse<Row> = { readonly rows: readonly Row[] } | { readonly error: { readonly message: string } }

/** Number of open threads per file. Global, because all of the process's handles on a file use the same number. */
const open = new Map<string, number>()

/** Returns whether a statement in a thread may be waiting for this process's readers to pause. */
export function hasSideThread(path: string): boolean {
  return open.has(path)
}

/** Opens a separate handle on the existing database file at this path. */
export async function openSideThread(path: string): Promise<SideThread> {
  const { Worker } = await import('node:worker_threads')
  const sqlite = createRequire(import.meta.url).resolve('@photostructure/sqlite')
  return new SideThread(new Worker(THREAD, { eval: true, workerData: { sqlite, path } }), path)
}

/** Runs one statement at a time. */
export class SideThread {
  private readonly worker: Worker
  private readonly path: string
  private readonly ended: Promise<void>
  /** Rejects if the thread crashes. A failing statement does not make it crash. */
  private readonly broken: Promise<never>

  constructor(worker: Worker, path: string) {
    this.worker = worker
    this.path = path
    open.set(path, (open.get(path) ?? 0) + 1)
    this.ended = new Promise(resolve =>
      worker.once('exit', () => {
        const left = (open.get(path) ?? 1) - 1
        if (left > 0) open.set(path, left)
        else open.delete(path)
        resolve()
      }),
    )
    this.broken = new Promise((_, reject) => worker.once('error', reject))
    // the caller gets this error
    this.broken.catch(() => {})
  }

  /**
   * Returns a statement's rows, or null if another handle has the lock. Throws ServiceError `disk_full`, `data_folder` or `data_damaged`.
   */
  async rows<Row>(sql: string): Promise<readonly Row[] | null> {
    const received = new Promise<WorkerResponse<Row>>(resolve => this.worker.once('message', resolve))
    this.worker.postMessage(sql)
    const response = await Promise.race([received, this.broken])
    // a shared snapshot may be older than the statement's changes
    await new Promise(setImmediate)
    if ('rows' in response) return response.rows
    if (isBusy(response.error)) return null
    const error = toServiceError(response.error, this.path)
    throw error instanceof ServiceError ? error : new Error(response.error.message)
  }

  async close(): Promise<void> {
    this.worker.postMessage(null)
    await this.ended
  }
}
