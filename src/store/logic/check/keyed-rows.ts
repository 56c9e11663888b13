/** Finds rows by their keys, for databases that have no other way to identify a row. */
import type { Database } from '../database.ts'
import type { CheckedRows } from '../rows/checked-rows.ts'
import { isDamageError } from '../rows/damage.ts'
import { CHECKED_ROWS, CHUNK_HEADS } from '../rows/tables.ts'
import { one, type Query, query, type SqlValue, type Steps } from '../steps.ts'
import type { OwnRow, StoredRows } from './checksums.ts'
import { type PagedRows, pages } from './pages.ts'

const ROWS_AT_ONCE = 50

interface Statements {
  readonly pages: PagedRows<OwnRow>
  readonly again: Query<OwnRow>
}

const STATEMENTS: ReadonlyMap<CheckedRows<object>, Statements> = new Map(
  CHECKED_ROWS.map(rows => [rows, statementsFor(rows)]),
)

function statementsFor(rows: CheckedRows<object>): Statements {
  const { table, key, columns, beforeAll } = rows
  const blob = rows === CHUNK_HEADS ? ', data, data_checksum' : ''
  const select = `SELECT ${columns}${blob} FROM ${table} WHERE`
  const names = key.join(', ')
  const marks = key.map(() => '?').join(',')
  const statement = query<OwnRow>(`${select} (${names}) > (${marks}) ORDER BY ${names} LIMIT ?`)
  const again = query<OwnRow>(`${select} (${names}) = (${marks})`)
  return { pages: { table, key, atOnce: ROWS_AT_ONCE, statement, beforeAll }, again }
}

export class KeyedRows implements StoredRows {
  private readonly db: Database

  constructor(db: Database) {
    this.db = db
  }

  async *all(rows: CheckedRows<object>): AsyncIterable<readonly OwnRow[] | null> {
    try {
      for await (const { rows: some } of pages(this.db, findStatements(rows).pages)) yield some
    } catch (error) {
      if (!isDamageError(error)) throw error
      // the rows after this one cannot be found without reading it
      yield null
    }
  }

  *again(rows: CheckedRows<object>, row: OwnRow): Steps<OwnRow | undefined> {
    const key = rows.key.map(name => row[name] as SqlValue) // every row is read with all its columns
    return yield* one(findStatements(rows).again, key)
  }
}

function findStatements(rows: CheckedRows<object>): Statements {
  return STATEMENTS.get(rows) as Statements // the list contains all tables
}
