/** Lists the tables to copy, in order, and the statements that read them in slices. */
import type { CheckedRows } from '../logic/rows/checked-rows.ts'
import { sizeOf } from '../logic/rows/counted-bytes.ts'
import { damaged } from '../logic/rows/damage.ts'
import { CHECKED_ROWS } from '../logic/rows/tables.ts'
import { type Query, query, type SqlValue } from '../logic/steps.ts'
import { SESSION_LABEL } from '../logic/teams/api-keys.ts'
import { copiedTables } from '../tables/catalogue.ts'
import { columnsThat } from '../tables/table.ts'
import { API_KEY } from '../tables/teams.ts'
import { JOB } from '../tables/users.ts'

/** A row with all its columns. */
export type Row = Readonly<Record<string, SqlValue>>

/** A query for a table's first rows, and one for the rows after a key. */
interface PagedQuery<R> {
  readonly first: Query<R>
  readonly next: Query<R>
}

export interface CopiedTable {
  readonly table: string
  readonly key: readonly string[]
  readonly checked: readonly CheckedRows<object>[]
  /** Keys with the size in bytes of the large values in their rows, or null if the rows have none. */
  readonly sizes: PagedQuery<Row> | null
  readonly rows: PagedQuery<Row>
  /** Number of rows (`n`), and a sum that changes whenever they change (`state`). */
  readonly count: Query<{ readonly n: number; readonly state: number }>
  /** Lease column, which is cleared in the copy because the lease holder does not use the copy. Null if there is none. */
  readonly lease: string | null
  /** Whether a copy omits the table if its source stays in use. */
  readonly belongsToStore: boolean
}

interface Definition {
  readonly table: string
  readonly key: readonly string[]
  readonly where?: string
}

/**
 * Condition for copying a row, for tables that are not copied completely. The keys of running servers become invalid when the servers stop,
 * and jobs without a user maintain a store's files.
 */
const CONDITIONS: Readonly<Record<string, string>> = {
  [API_KEY.name]: `substr(label, 1, ${SESSION_LABEL.length})<>'${SESSION_LABEL}'`,
  [JOB.name]: "user_id<>''",
}

/** Tables in the order in which they are copied. Tables that others refer to come first. */
export const COPIED_TABLES: readonly CopiedTable[] = copiedTables().map(table => {
  const { name, key } = table
  const where = CONDITIONS[name]
  const definition = { table: name, key, ...(where !== undefined && { where }) }
  const large = columnsThat(table, ({ counts, isLarge }) => counts === true || isLarge === true)
  const changing = columnsThat(table, ({ tellsChange }) => tellsChange === true)
  const state = changing.map(column => `coalesce(sum(${column} % 65521), 0)`).join('+')
  const filter = where === undefined ? '' : `WHERE ${where}`
  return {
    table: name,
    key,
    checked: CHECKED_ROWS.filter(rows => rows.table === name),
    sizes: large.length === 0 ? null : pagedQuery(`${key.join(', ')}, ${sizeOf(large)} AS bytes`, definition),
    rows: pagedQuery('*', definition),
    count: reading(`SELECT count(*) AS n, ${state || '0'} AS state FROM ${name} ${filter}`, name),
    lease: table.lease ?? null,
    belongsToStore: table.life === 'staying',
  }
})

function pagedQuery(selected: string, { table, key, where }: Definition): PagedQuery<Row> {
  const names = key.join(', ')
  const select = `SELECT ${selected} FROM ${table}`
  const order = `ORDER BY ${names} LIMIT ?`
  const after = `(${names}) > (${key.map(() => '?').join(',')})`
  return {
    first: reading(`${select} ${where === undefined ? '' : `WHERE ${where}`} ${order}`, table),
    next: reading(`${select} WHERE ${where === undefined ? '' : `${where} AND`} ${after} ${order}`, table),
  }
}

function reading<R>(text: string, table: string): Query<R> {
  return { ...query<R>(text), unreadable: () => damaged({ what: `rows of ${table}`, userId: null }) }
}
