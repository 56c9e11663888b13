/**
 * The code of the process that reads a database from a file. It runs as `node -e CODE SQLITE_PACKAGE MEMORY_BYTES`. Written in plain
 * JavaScript, because neither the bundler nor type stripping is applied where it is compiled.
 */

/** A request to the process. */
export type ToReader =
  /** Opens the database and lists its tables. */
  | { readonly kind: 'open'; readonly uri: string }
  /** Allows reading the columns of these tables, and describes them. */
  | { readonly kind: 'describe'; readonly tables: readonly string[] }
  /** Starts a query. The first `keys` columns must be ascending. A paged query has a parameter, the least value of the first column. */
  | { readonly kind: 'query'; readonly sql: string; readonly keys: number; readonly isPaged: boolean }
  /** Requests the next rows of the query. */
  | { readonly kind: 'next' }

/** A column as `PRAGMA table_xinfo` describes it. */
export interface DescribedColumn {
  readonly name: string
  readonly type: string
  /** Position in the primary key, starting at 1; 0 if the column is not part of it. */
  readonly pk: number
  /** 0 unless the column is hidden or generated. */
  readonly hidden: number
}

/** A response. Each request has one. */
export type FromReader =
  | { readonly kind: 'opened'; readonly version: number; readonly tables: readonly string[] }
  | { readonly kind: 'described'; readonly tables: readonly DescribedTable[] }
  | { readonly kind: 'started' }
  | { readonly kind: 'rows'; readonly rows: RowBatch; readonly isLast: boolean }
  /** `code` is the primary result code of SQLite; null for other errors. */
  | { readonly kind: 'failed'; readonly problem: ReaderProblem; readonly code: number | null }

export interface DescribedTable {
  readonly name: string
  readonly columns: readonly DescribedColumn[]
  readonly hasRowid: boolean
}

export type ReaderProblem = 'schema' | 'objects' | 'order' | 'error'

/** Rows by column. A column of numbers is a `Float64Array`, in which NaN stands for null. */
export interface RowBatch {
  readonly n: number
  readonly columns: readonly (Float64Array | readonly unknown[])[]
}

/** Number of rows of a page. SQLite returns them together, so a page must be small enough for rows of a long text. */
export const PAGE_ROWS = 512

/** Maximum number of tables and indexes. */
export const MOST_OBJECTS = 2_000

/**
 * A second thread ends the process if it takes too much memory, or if the parent has ended, which closes stdin. SQLite blocks the first
 * thread while it works, however long that takes.
 */
export const READER_CODE = `
const { Worker } = require('node:worker_threads')
const [, sqlite, mostBytes] = process.argv
new Worker(\`
  const end = () => process.kill(process.pid, 'SIGKILL')
  setInterval(() => { if (process.memoryUsage.rss() > \${Number(mostBytes)}) end() }, 50)
  require('node:fs').read(0, Buffer.alloc(1), 0, 1, null, end)
\`, { eval: true })
// the parent decides what Ctrl-C means
process.on('SIGINT', () => {})
const { DatabaseSync, constants } = require(sqlite)
const { SQLITE_OK, SQLITE_DENY, SQLITE_SELECT, SQLITE_READ, SQLITE_FUNCTION, SQLITE_PRAGMA } = constants
const MOST_ROWS = 4096
const MOST_TEXT = 1 << 20
const [LEAST_NUMBER, MOST_NUMBER] = [-(2n ** 63n), 2n ** 63n - 1n]
const allowed = new Map([['sqlite_master', new Set(['type', 'name', 'sql'])]])
// the package frees a statement that only its iterator refers to, and then crashes
let statement
let db, read, keys, last

function authorize(action, first, second) {
  if (action === SQLITE_SELECT) return SQLITE_OK
  if (action === SQLITE_READ) {
    const columns = allowed.get(first)
    return columns && (second === '' || columns.has(second)) ? SQLITE_OK : SQLITE_DENY
  }
  if (action === SQLITE_FUNCTION) return second === 'count' ? SQLITE_OK : SQLITE_DENY
  if (action === SQLITE_PRAGMA) return first === 'table_xinfo' || first === 'table_list' ? SQLITE_OK : SQLITE_DENY
  return SQLITE_DENY
}

function fail(problem) {
  throw Object.assign(new Error(problem), { problem })
}

function open({ uri }) {
  db = new DatabaseSync(uri, {
    readOnly: true,
    defensive: true,
    enableForeignKeyConstraints: false,
    limits: { length: MOST_TEXT, column: 500, exprDepth: 20, compoundSelect: 1, functionArg: 8, attach: 0, triggerDepth: 0 },
  })
  for (const pragma of [
    'trusted_schema=OFF',
    'cell_size_check=ON',
    'query_only=ON',
    'automatic_index=OFF',
    'mmap_size=0',
    'cache_size=-8192',
    'temp_store=MEMORY',
  ]) db.exec('PRAGMA ' + pragma)
  const version = db.prepare('PRAGMA user_version').get().user_version
  db.setAuthorizer(authorize)
  const tables = []
  let objects = 0
  statement = db.prepare('SELECT type, name, sql FROM sqlite_schema')
  for (const { type, name, sql } of statement.iterate()) {
    if (++objects > ${MOST_OBJECTS}) fail('objects')
    // SQLite creates whatever the text says, whatever the type says
    if (type === 'table' && /^CREATE TABLE\\b/.test(sql)) tables.push(name)
    else if (!(type === 'index' && (sql === null || /^CREATE (?:UNIQUE )?INDEX\\b/.test(sql)))) fail('schema')
  }
  return { kind: 'opened', version, tables }
}

const quoted = name => '"' + name.replaceAll('"', '""') + '"'

function describe({ tables }) {
  return {
    kind: 'described',
    tables: tables.map(name => {
      const columns = db.prepare('PRAGMA table_xinfo(' + quoted(name) + ')').all()
      const about = db.prepare('PRAGMA table_list(' + quoted(name) + ')').all().find(each => each.name === name)
      allowed.set(name, new Set(['ROWID', ...columns.filter(each => each.hidden === 0).map(each => each.name)]))
      return {
        name,
        columns: columns.map(({ name, type, pk, hidden }) => ({ name, type, pk, hidden })),
        hasRowid: about?.wr === 0,
      }
    }),
  }
}

function query(request) {
  statement = db.prepare(request.sql)
  statement.setReturnArrays(true)
  statement.setReadBigInts(!request.isPaged)
  read = request.isPaged ? nextPage : nextRow(statement.iterate())
  keys = request.keys
  last = undefined
  return { kind: 'started' }
}

// pages are much faster than single rows, and so are numbers instead of BigInts, which only pages with large integers need
function nextPage() {
  const least = last === undefined ? LEAST_NUMBER : BigInt(last[0]) + 1n
  if (least > MOST_NUMBER) return []
  try {
    return statement.all(least)
  } catch {
    statement.setReadBigInts(true)
    return statement.all(least)
  }
}

function nextRow(rows) {
  return () => {
    const { done, value } = rows.next()
    return done ? [] : [value]
  }
}

function isAfter(row) {
  if (last === undefined) return true
  for (let i = 0; i < keys; i++) if (row[i] !== last[i]) return row[i] > last[i]
  return keys === 0
}

function next() {
  const batch = []
  let text = 0
  let isLast = false
  while (batch.length < MOST_ROWS && text < MOST_TEXT && !isLast) {
    const page = read()
    isLast = page.length === 0
    for (const row of page) {
      // a damaged tree can contain a page twice, and then has no end
      if (!isAfter(row)) fail('order')
      last = row
      for (const cell of row) if (cell !== null && typeof cell === 'object' || typeof cell === 'string') text += cell.length
      batch.push(row)
    }
  }
  const columns = (batch[0] ?? []).map((_, at) => column(batch, at))
  return { kind: 'rows', rows: { n: batch.length, columns }, isLast }
}

function column(batch, at) {
  const numbers = new Float64Array(batch.length)
  for (let i = 0; i < batch.length; i++) {
    const cell = batch[i][at]
    if (cell === null) numbers[i] = NaN
    else if (typeof cell === 'bigint' || typeof cell === 'number') numbers[i] = Number(cell)
    else return batch.map(row => (typeof row[at] === 'bigint' ? Number(row[at]) : row[at]))
  }
  return numbers
}

// the package reports the codes of errors in prepare, but not of those in steps
const CODES = { 'out of memory': 7, 'database disk image is malformed': 11, 'string or blob too big': 18 }
const handlers = { open, describe, query, next }
process.on('message', request => {
  let response
  try {
    response = handlers[request.kind](request)
  } catch (error) {
    const code = typeof error.errcode === 'number' ? error.errcode & 0xff : (CODES[error.message] ?? null)
    response = { kind: 'failed', problem: error.problem ?? 'error', code }
  }
  process.send(response)
})
process.on('disconnect', () => process.exit())
`
