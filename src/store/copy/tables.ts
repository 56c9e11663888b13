/** The tables of a copy, in order, and the statements that read them in slices. */
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

/** A query of the first rows of a table, and of those after a key. */
interface PagedQuery<R> {
  readonly first: Query<R>
  readonly next: Query<R>
}

export interface CopiedTable {
  readonly table: string
  readonly key: readonly string[]
  readonly checked: readonly CheckedRows<object>[]
  /** The keys with the bytes of large values; null if the rows have none. */
  readonly sizes: PagedQuery<Row> | null
  readonly rows: PagedQuery<Row>
  /** The number of rows (`n`), and a sum that changes with them (`state`). */
  readonly count: Query<{ readonly n: number; readonly state: number }>
  /** The column of a lease that its holder in the source does not have in the copy; null if there is none. */
  readonly lease: string | null
  /** A copy whose source stays in use leaves it out. */
  readonly belongsToStore: boolean
}

interface Definition {
  readonly table: string
  readonly key: readonly string[]
  readonly where?: string
}

/**
 * The condition on copied rows, if not all are copied: the keys of running servers end with them, and jobs without a user maintain the
 * files of a store.
 */
const CONDITIONS: Readonly<Record<string, string>> = {
  [API_KEY.name]: `substr(label, 1, ${SESSION_LABEL.length})<>'${SESSION_LABEL}'`,
  [JOB.name]: "user_id<>''",
}

/** Tables that others refer to come first. */
export const COPIED_TABLES: readonly CopiedTable[] = copiedTables().map(table => {
  const { name, key } = table
  const where = CONDITIONS[name]
  const definition = { table: name, key, ...(where !== undefined && { where }) }
  const large = columnsThat(table, ({ counts, isLarge }) => counts !== undefined || isLarge === true)
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
