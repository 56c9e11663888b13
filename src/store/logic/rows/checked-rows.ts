/** Reads and writes rows with a checksum. The checksum is written with the row, and verified at every read before the row is used. */
import { crc32 } from 'node:zlib'
import {
  type Checksum,
  type Columns,
  columnDetails,
  type NameIn,
  type RowWith,
  type Table,
} from '../../tables/table.ts'
import type { Dialect } from '../dialect.ts'
import {
  type Command,
  command,
  exists,
  type Query,
  query,
  run,
  type SqlText,
  type SqlValue,
  type SqlValues,
  type Steps,
  send,
} from '../steps.ts'
import { type DamageLocation, damaged } from './damage.ts'
import { selectWithTail } from './plain-rows.ts'
import { type AsRecord, camelCase } from './record-names.ts'

/** Setting of a store that may contain rows written before checksums existed. In other stores, a missing checksum is damage. */
export const UNCHECKED_ROWS = 'unchecked_rows'

const HAS_UNCHECKED_ROWS = query(`SELECT 1 FROM setting WHERE name='${UNCHECKED_ROWS}'`)

export function* mayLackChecksums(): Steps<boolean> {
  return yield* exists(HAS_UNCHECKED_ROWS)
}

/** A row as returned by the database. */
export type Stored<Row> = Row & Readonly<Record<string, SqlValue>>

/** Returns key values that come before those of all rows. */
export function beforeAll(columns: Columns, key: readonly string[]): SqlValues {
  return key.map(name => (columnDetails(columns[name] ?? 'text').type === 'number' ? 0 : ''))
}

/** Row type of a table of checked rows. */
export type RowOf<Rows> = Rows extends CheckedRows<infer Row> ? Row : never

/** Instances by checksum and table name, because there is only one for each combination. */
const made = new Map<string, CheckedRows<object>>()

/** Returns the checked rows of a table. The row type is derived from the columns. */
export function checkedRows<C extends Columns, Aside extends NameIn<C>>(
  table: Table<C, Aside>,
): CheckedRows<Omit<RowWith<C>, Aside | 'checksum'>> {
  return checkedColumns(table, 'checksum')
}

/** Returns the checked rows for the table columns that a checksum covers. */
export function checkedColumns<Row extends object, C extends Columns, Aside extends NameIn<C>>(
  table: Table<C, Aside>,
  checksum: string,
): CheckedRows<Row> {
  const name = `${checksum} of ${table.name}`
  const rows = made.get(name) ?? new CheckedRows<Row>(table as unknown as Table, checksum) // the columns belong to the table
  made.set(name, rows as CheckedRows<object>)
  return rows as CheckedRows<Row>
}

/** Declared with methods, so that one list can contain rows of several tables. */
interface Naming<Row> {
  named(row: Row): string
  text?(row: Row): string
}

/** A tail whose first value is a user's ID. */
const OF_USER = /^[^?]*\buser_id=\?/

/**
 * Some of a table's columns with their checksum. The checksum covers the key, so that a row found under a wrong key counts as damaged.
 * Reads may have conditions only on the key and on index columns, because a damaged row that is excluded by a condition would be missing
 * without any error.
 */
export class CheckedRows<Row extends object> {
  readonly table: string
  /** Name of the rows in reported problems. */
  readonly problems: string
  readonly key: readonly string[]
  /** Key values that come before those of all rows. */
  readonly beforeAll: SqlValues
  /** All columns that are read from a row. The checksum is the last one. */
  readonly names: readonly string[]
  /** The same columns as a list for SELECT, qualified with the table name. */
  readonly columns: string
  readonly checksum: string
  private readonly covered: readonly string[]
  /** Columns that a later version added, with their defaults. */
  private readonly added: readonly (readonly [name: string, standard: SqlValue])[]
  /** Columns except the checksum, each with its field name in a record. */
  private readonly fields: readonly (readonly [name: string, field: string])[]
  /** Columns in the order in which a change names them: the key comes last. */
  private readonly changed: readonly string[]
  private readonly blob: string | undefined
  private readonly naming: Naming<Row>
  private readonly insertion: Command
  private readonly replacement: Command
  private readonly change: Command
  private readonly ownership: Query<unknown>

  constructor({ name: table, key, columns, checksums = [], aside = [], problems = table }: Table, checksum: string) {
    const found = checksums.find(({ column = 'checksum' }) => column === checksum)
    if (found === undefined) throw new Error(`${table} has no ${checksum}`)
    const { blob, bare, named, text, of, added = [] } = found as unknown as Checksum<Columns> & Naming<Row> // the checksum is for rows of this table
    const own = of ?? Object.keys(columns).filter(name => name !== checksum && !aside.some(each => each === name))
    this.table = table
    this.problems = problems
    this.key = key
    this.beforeAll = beforeAll(columns, key)
    this.added = added.map(name => [name, columnDetails(columns[name] ?? 'text').default ?? null])
    this.covered = own.filter(name => name !== blob && name !== bare && !added.includes(name))
    this.blob = blob
    this.checksum = checksum
    this.naming = text ? { named, text } : { named }
    this.names = [...this.covered, ...added, ...[blob, bare].filter(name => name !== undefined), checksum]
    this.fields = this.names.filter(name => name !== checksum).map(name => [name, camelCase(name)] as const)
    this.columns = this.names.map(name => `${table}.${name}`).join(', ')
    const marks = this.names.map(() => '?').join(',')
    const rest = this.names.filter(name => !this.key.includes(name))
    this.changed = [...rest, ...key]
    const isIt = key.map(name => `${name}=?`).join(' AND ')
    const insertion = `INSERT INTO ${table} (${this.names.join(', ')}) VALUES (${marks})`
    this.insertion = command(insertion)
    this.replacement = command(
      `${insertion} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${rest.map(name => `${name}=excluded.${name}`).join(', ')}`,
    )
    this.change = command(`UPDATE ${table} SET ${rest.map(name => `${name}=?`).join(', ')} WHERE ${isIt}`)
    this.ownership = query(dialect => dialect.ownRow(table, key))
  }

  /**
   * Defines a SELECT of rows with this tail (`WHERE …`), and with `more` columns (`, …`). Reading the rows throws ServiceError
   * `data_damaged`.
   */
  query<Wider extends Row = Row>(tail: string | ((dialect: Dialect) => string), more = ''): Query<Wider> {
    const isOfUser = typeof tail === 'string' && OF_USER.test(tail)
    const unreadable = ([userId]: SqlValues): Error =>
      damaged({ what: `rows of ${this.table}`, userId: isOfUser ? userIdIn(userId) : null })
    return { ...this.widerQuery(selectWithTail(`SELECT ${this.columns}${more} FROM ${this.table}`, tail)), unreadable }
  }

  /** Defines a SELECT that reads all columns of these rows and further columns. Only these rows' columns are verified. */
  widerQuery<Wider extends Row>(text: SqlText): Query<Wider> {
    return { ...query<Wider>(text), verify: row => this.verified(row) }
  }

  /** Returns the row if it is intact. Throws ServiceError `data_damaged` if it is not. */
  verified<Wider extends Row>(row: Wider): Wider | Steps<Wider> {
    const kept = columnValue(row as Stored<Wider>, this.checksum)
    if (kept === null) return this.requireOwnPosition(row)
    if (kept === this.computeChecksum(row)) return row
    throw damaged(this.damageLocation(row))
  }

  /** Returns whether the row is intact. A row written before checksums existed must at least be listed under its own key. */
  *isSound(row: Stored<Row>): Steps<boolean> {
    const kept = columnValue(row, this.checksum)
    if (kept !== null) return kept === this.computeChecksum(row)
    return (yield* mayLackChecksums()) && (yield* this.isAtOwnPosition(row))
  }

  /** Adds a row. */
  insert(row: Row): Steps<void> {
    return send(this.insertion, this.rowValues(row))
  }

  /** Adds a row, or replaces the row that has the same key. */
  put(row: Row): Steps<number> {
    return run(this.replacement, this.rowValues(row))
  }

  /** Changes an existing row. Returns 0 if there is no such row. */
  update(row: Row): Steps<number> {
    return run(this.change, this.changeValues(row))
  }

  /** Changes a row that was read in this transaction. */
  replace(row: Row): Steps<void> {
    return send(this.change, this.changeValues(row))
  }

  /** Returns the checksum of a row that was read. */
  computeChecksum(row: Row): number {
    return this.rowSum(this.rowText(row as Stored<Row>), row as Stored<Row>)
  }

  /** Returns the checksum to write with a row. */
  seal(row: Row): number {
    const stored = row as Stored<Row>
    const text = this.rowText(stored)
    return this.rowSum(text.includes('\0') ? this.rowText(asKept(stored)) : text, stored)
  }

  /** Returns the checksum of a row without a blob, given its values in column order. For callers that read many rows at once. */
  checksumOfValues(values: readonly SqlValue[]): number {
    let text = ''
    for (const value of values) text += checksumText(value)
    return crc32(text) | 0
  }

  private rowText(row: Stored<Row>): string {
    if (this.naming.text) return this.naming.text(row)
    let text = ''
    for (const name of this.covered) text += checksumText(columnValue(row, name))
    // a salvage also reads rows of a file that has no such columns
    if (this.added.some(([name, standard]) => (columnValue(row, name) ?? standard) !== standard))
      for (const [name] of this.added) text += checksumText(columnValue(row, name))
    return text
  }

  private rowSum(text: string, row: Stored<Row>): number {
    const blob = this.blob === undefined ? null : columnValue(row, this.blob)
    const sum = crc32(text)
    if (blob === null) return sum | 0
    return blob instanceof Uint8Array ? crc32(blob, sum) | 0 : ~sum
  }

  /** Returns a row that was read, without the checksum and with the field names of a record. */
  record(row: Row): AsRecord<Row> {
    const record: Record<string, SqlValue> = {}
    for (const [name, field] of this.fields) record[field] = columnValue(row as Stored<Row>, name)
    return record as AsRecord<Row>
  }

  damageLocation(row: Row): DamageLocation {
    return { what: this.naming.named(row), userId: userIdIn((row as Stored<Row>)['user_id']) }
  }

  private changeValues(row: Row): SqlValue[] {
    return this.rowValues(row, this.changed)
  }

  private rowValues(row: Row, names = this.names): SqlValue[] {
    const values: SqlValue[] = []
    for (const name of names)
      values.push(name === this.checksum ? this.seal(row) : columnValue(row as Stored<Row>, name))
    return values
  }

  private *requireOwnPosition<Wider extends Row>(row: Wider): Steps<Wider> {
    if (yield* this.isSound(row as Stored<Wider>)) return row
    throw damaged(this.damageLocation(row))
  }

  private *isAtOwnPosition(row: Stored<Row>): Steps<boolean> {
    const key = this.key.map(name => columnValue(row, name))
    return yield* exists(this.ownership, [...key, ...key])
  }
}

/** Returns a text for a value. The text also depends on the value's type. */
function checksumText(value: SqlValue): string {
  if (typeof value === 'string') return `"${value}\n`
  if (typeof value === 'number') return `${asNumberKept(value)}\n`
  return value === null ? 'null\n' : `?${value}\n`
}

/** Smallest number that SQLite's bindings do not store as 0. NaN is stored as null. */
const LEAST = Number.EPSILON

function asNumberKept(value: number): number | null {
  if (value >= LEAST || value <= -LEAST) return value
  return Number.isNaN(value) ? null : 0
}

/** Returns a column's value. Unchecked, because every row is read and written with all its columns. */
function columnValue(row: Readonly<Record<string, SqlValue>>, name: string): SqlValue {
  return row[name] as SqlValue
}

/** Returns the row as it will be stored, because SQLite's bindings truncate text at a NUL. */
function asKept<Row>(row: Stored<Row>): Stored<Row> {
  const kept = Object.entries(row).map(([name, value]) => [
    name,
    typeof value === 'string' ? value.split('\0', 1)[0] : value,
  ])
  return Object.fromEntries(kept) as Stored<Row>
}

export function userIdIn(value: unknown): string | null {
  return typeof value === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(value) ? value : null
}
