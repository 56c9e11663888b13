/**
 * Reads a SQLite database from an untrusted file, in a process of its own. SQLite calls are synchronous and cannot be interrupted, so the
 * process is killed when it takes too long for a response, or too much memory.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { ServiceError } from '../../../core/errors.ts'
import { installation } from '../../../core/installation/current.ts'
import { SECOND_MS } from '../../../core/time.ts'
import { checkCancelled } from '../bytes/file-pieces.ts'
import {
  type FromReader,
  MOST_OBJECTS,
  READER_CODE,
  type ReaderProblem,
  type RowBatch,
  type ToReader,
} from './child.ts'
import { type Table, type TableQuery, toTable } from './table.ts'

const MIB = 1_048_576

export interface ReaderLimits {
  /** Time limit for one response, which contains at most 4,096 rows. */
  readonly responseMs: number
  /** Limit for the resident memory of the process. */
  readonly memoryBytes: number
}
const LIMITS: ReaderLimits = { responseMs: 60 * SECOND_MS, memoryBytes: 256 * MIB }
/** Heap limit for the process. Batches are bounded, so it uses a fraction. */
const HEAP_MB = 96
/** Environment variables that Node itself needs. All others, such as API keys, are withheld. */
const PASSED = ['SystemRoot', 'LD_LIBRARY_PATH']

/**
 * A database in its own process. Call `close` when done. Every method throws ServiceError `invalid_file` for a database that is damaged,
 * hostile or over a limit, and `cancelled` if the signal aborts.
 */
export class DatabaseReader {
  /** The schema version that the application has set. */
  version = 0
  /** Names of all tables. They come from the file. */
  tables: readonly string[] = []
  private readonly child: ChildProcess
  private readonly limits: ReaderLimits
  private readonly signal: AbortSignal | undefined
  private settle: { resolve(response: FromReader): void; reject(error: unknown): void } | undefined
  private ended: Error | undefined
  private timer: NodeJS.Timeout | undefined

  private constructor(signal: AbortSignal | undefined, limits: ReaderLimits) {
    this.signal = signal
    this.limits = limits
    const sqlite = createRequire(import.meta.url).resolve('@photostructure/sqlite')
    const own = installation().programCommand({
      name: 'read-database',
      code: READER_CODE,
      flags: [`--max-old-space-size=${HEAP_MB}`, '--max-semi-space-size=2'],
      args: [sqlite, `${limits.memoryBytes}`],
    })
    const passed = PASSED.flatMap(name => (process.env[name] ? [[name, process.env[name]]] : []))
    this.child = spawn(own.command, own.args, {
      stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      windowsHide: true,
      env: { ...Object.fromEntries(passed), ...own.env },
    })
    this.child.on('message', response => this.take(response as FromReader))
    this.child.once('exit', (_, ending) => this.end(refused(ending === 'SIGKILL' ? TOO_MUCH_MEMORY : 'cannot be read')))
    // a process that cannot be started emits only this event
    this.child.once('error', error => this.end(error))
    signal?.addEventListener('abort', this.cancel, { once: true })
  }

  /**
   * Opens the database. The file must not change. A log or a journal next to it is not read: what is in the file is complete without it,
   * up to the last checkpoint.
   */
  static async open(path: string, signal: AbortSignal | undefined, limits = LIMITS): Promise<DatabaseReader> {
    checkCancelled(signal)
    const reader = new DatabaseReader(signal, limits)
    try {
      const opened = await reader.request({ kind: 'open', uri: `${pathToFileURL(path).href}?immutable=1` })
      reader.version = opened.version
      reader.tables = opened.tables
      return reader
    } catch (error) {
      await reader.close()
      throw error
    }
  }

  /** Returns those of the tables that exist. From then on they can be queried. */
  async describe(names: readonly string[]): Promise<ReadonlyMap<string, Table>> {
    const known = new Set(this.tables)
    const { tables } = await this.request({ kind: 'describe', tables: names.filter(name => known.has(name)) })
    return new Map(tables.map(each => [each.name, toTable(each)]))
  }

  /** Yields a query's rows. The next rows are read while these are processed. */
  async *query(query: TableQuery): AsyncGenerator<RowBatch> {
    await this.request({ kind: 'query', ...query })
    let batch = this.request({ kind: 'next' })
    for (;;) {
      const { rows, isLast } = await batch
      if (!isLast) {
        batch = this.request({ kind: 'next' })
        // not awaited if the caller stops early
        batch.catch(() => {})
      }
      if (rows.n > 0) yield rows
      if (isLast) return
    }
  }

  /** Ends the process. */
  async close(): Promise<void> {
    this.signal?.removeEventListener('abort', this.cancel)
    if (this.child.pid === undefined || this.child.exitCode !== null || this.child.signalCode !== null) return
    const exited = new Promise(resolve => this.child.once('exit', resolve))
    this.end(refused('was closed'))
    await exited
  }

  private request<Kind extends ToReader['kind']>(
    request: ToReader & { readonly kind: Kind },
  ): Promise<FromReader & { readonly kind: Responses[Kind] }> {
    return new Promise((resolve, reject) => {
      if (this.ended !== undefined) return reject(this.ended)
      // each kind of request has one kind of response, or fails
      this.settle = { resolve: resolve as (response: FromReader) => void, reject }
      this.timer = setTimeout(() => this.end(refused('takes too long to read')), this.limits.responseMs)
      this.child.send(request, error => error && this.end(refused('cannot be read')))
    })
  }

  private take(response: FromReader): void {
    clearTimeout(this.timer)
    const { settle } = this
    this.settle = undefined
    if (response.kind === 'failed') settle?.reject(failure(response))
    else settle?.resolve(response)
  }

  private readonly cancel = (): void => {
    try {
      checkCancelled(this.signal)
    } catch (error) {
      this.end(error as Error)
    }
  }

  private end(reason: Error): void {
    clearTimeout(this.timer)
    this.ended ??= reason
    this.child.kill('SIGKILL')
    this.settle?.reject(this.ended)
    this.settle = undefined
  }
}

const TOO_MUCH_MEMORY = 'takes too much memory to read'

/** Returns the names of a database's tables. Throws the errors of `DatabaseReader`. */
export async function tablesIn(path: string, signal: AbortSignal | undefined): Promise<readonly string[]> {
  const reader = await DatabaseReader.open(path, signal)
  await reader.close()
  return reader.tables
}

interface Responses {
  readonly open: 'opened'
  readonly describe: 'described'
  readonly query: 'started'
  readonly next: 'rows'
}

/** Returns the error for a database that cannot be read. `what` follows "The database". */
export function refused(what: string, cause?: unknown): ServiceError {
  return new ServiceError('invalid_file', `The database ${what}. Nothing was stored.`, {
    suggestions: ['Export the data again, and import the file as the app created it.'],
    cause,
  })
}

const PROBLEMS: Readonly<Record<Exclude<ReaderProblem, 'error'>, string>> = {
  schema: 'contains a view, a trigger or a virtual table, but only tables and indexes are allowed',
  objects: `contains more than ${MOST_OBJECTS} tables and indexes, which is the limit`,
  order: 'is damaged: a table contains the same rows again',
}

/** Result codes of SQLite: https://sqlite.org/rescode.html. */
const CODES: ReadonlyMap<number, string> = new Map([
  [7, TOO_MUCH_MEMORY],
  [11, 'is damaged or cut off'],
  [18, 'contains a text or a binary value of more than 1 MiB, which is the limit'],
  [26, 'is another kind of file, or it is encrypted'],
])

function failure({ problem, code }: FromReader & { readonly kind: 'failed' }): ServiceError {
  return refused(problem === 'error' ? (CODES.get(code ?? 0) ?? 'cannot be read') : PROBLEMS[problem])
}
