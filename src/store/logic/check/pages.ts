/** Reads tables in key order, a few rows per transaction, so that transactions are short and others can run in between. */
import { nextLoopTick } from '../../../core/time-slice.ts'
import type { Columns, RowWith } from '../../tables/table.ts'
import type { Database } from '../database.ts'
import { beforeAll } from '../rows/checked-rows.ts'
import { isBehind, requireProgress } from '../rows/damage.ts'
import { many, type Query, query, type SqlText, type SqlValue, type SqlValues, type Steps } from '../steps.ts'

export interface PagesDefinition<C extends Columns> {
  readonly table: string
  /** Joins other tables, each with at most one row for each row of this table. */
  readonly joins?: string
  /** A condition for the rows to read. If absent, all rows are read. */
  readonly where?: string
  /** The columns that determine the row order. Their combination is unique. */
  readonly key: readonly (keyof C & string)[]
  readonly columns: C
  /** SQL expressions for columns that the table itself does not have. */
  readonly computed?: { readonly [Name in keyof C]?: SqlText }
  /** Number of rows read in one transaction. */
  readonly atOnce: number
}

/** A table to be read in pages. */
export interface PagedRows<Row> {
  readonly table: string
  readonly key: readonly string[]
  readonly atOnce: number
  readonly statement: Query<Row>
  /** Key values that come before all others. */
  readonly beforeAll: SqlValues
}

/** Row type of a table that is read in pages. */
export type RowIn<Table> = Table extends PagedRows<infer Row> ? Row : never

export interface RowPage<Row, Beside> {
  readonly rows: readonly Row[]
  readonly beside: Beside
}

/** Defines how a table is read in pages. The row type is derived from the columns. */
export function definePages<const C extends Columns>(definition: PagesDefinition<C>): PagedRows<RowWith<C>> {
  const { table, joins = '', where, key, columns, atOnce } = definition
  const computed: Readonly<Record<string, SqlText | undefined>> = definition.computed ?? {}
  const own = key.map(name => `${table}.${name}`).join(', ')
  const conditions = [`(${own}) > (${key.map(() => '?').join(',')})`, ...(where === undefined ? [] : [where])]
  const rest = `FROM ${table} ${joins} WHERE ${conditions.join(' AND ')} ORDER BY ${own} LIMIT ?`
  const statement = query<RowWith<C>>(dialect => {
    const selected = Object.keys(columns).map(name => {
      const text = computed[name]
      if (text === undefined) return `${table}.${name}`
      return `${typeof text === 'string' ? text : text(dialect)} AS ${name}`
    })
    return `SELECT ${selected.join(', ')} ${rest}`
  })
  return { table, key, atOnce, statement, beforeAll: beforeAll(columns, key) }
}

/** Returns SQL that evaluates to 1 if a joined table has a row with this column, and to 0 otherwise. */
export function isThere(column: string): string {
  return `CASE WHEN ${column} IS NULL THEN 0 ELSE 1 END`
}

/** Yields the table's rows page by page. The last page may be empty. Throws ServiceError `data_damaged`. */
export function pages<Row extends object>(db: Database, table: PagedRows<Row>): AsyncIterable<RowPage<Row, undefined>> {
  return pagesWith(db, table, nothing)
}

/** Like `pages`, but adds data to each page that a generator reads about its rows in the same transaction. */
export async function* pagesWith<Row extends object, Beside>(
  db: Database,
  table: PagedRows<Row>,
  beside: (rows: readonly Row[]) => Steps<Beside>,
): AsyncIterable<RowPage<Row, Beside>> {
  const key = table.key as readonly (keyof Row & string)[] // every row is read with its key
  let after: Row | undefined
  for (;;) {
    const last = after
    const position = last === undefined ? table.beforeAll : key.map(name => last[name] as SqlValue) // columns contain only SQL values
    const page = await db.read(() => onePage(table, position, beside))
    yield page
    if (page.rows.length < table.atOnce) return
    after = page.rows.at(-1)
    if (last && after) requireProgress(isBehind(after, last, key), table.table)
    await nextLoopTick()
  }
}

function* onePage<Row, Beside>(
  { statement, atOnce }: PagedRows<Row>,
  position: SqlValues,
  beside: (rows: readonly Row[]) => Steps<Beside>,
): Steps<RowPage<Row, Beside>> {
  const rows = yield* many(statement, [...position, atOnce])
  return { rows, beside: yield* beside(rows) }
}

function* nothing(): Steps<undefined> {}
