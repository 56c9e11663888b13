/** Reads and writes whole rows without a checksum. */
import type { Dialect } from '../dialect.ts'
import {
  type Command,
  command,
  type Query,
  query,
  run,
  type SqlText,
  type SqlValue,
  type Steps,
  send,
} from '../steps.ts'

/** Requires that a table has every column of the rows. */
interface Whole<Row> {
  readonly name: string
  readonly key: readonly string[]
  readonly columns: Readonly<Record<keyof Row & string, unknown>>
}

/** The rows of one table, with all of their columns. */
export class PlainRows<Row extends object> {
  /** All columns as a list for SELECT. */
  readonly columns: string
  private readonly table: string
  private readonly names: readonly (keyof Row & string)[]
  private readonly insertion: Command
  private readonly replacement: Command

  /** `by` contains the columns whose values identify the row that `put` replaces. Defaults to the key. */
  constructor({ name: table, key, columns }: Whole<Row>, by: readonly (keyof Row & string)[] | undefined = undefined) {
    this.table = table
    this.names = Object.keys(columns) as (keyof Row & string)[] // ensured by their types
    this.columns = this.names.join(', ')
    const insertion = `INSERT INTO ${table} (${this.columns}) VALUES (${this.names.map(() => '?').join(',')})`
    const found = by ?? key
    const rest = this.names.filter(name => !found.some(each => each === name))
    this.insertion = command(`${insertion} ON CONFLICT DO NOTHING`)
    this.replacement = command(
      `${insertion} ON CONFLICT (${found.join(', ')}) DO UPDATE SET ${rest.map(name => `${name}=excluded.${name}`).join(', ')}`,
    )
  }

  /** Defines a SELECT of rows with this tail (`WHERE …`). */
  query(tail: string | ((dialect: Dialect) => string)): Query<Row> {
    return query(selectWithTail(`SELECT ${this.columns} FROM ${this.table}`, tail))
  }

  /** Adds a row, unless there already is a row with the same key. */
  add(row: Row): Steps<number> {
    return run(this.insertion, this.rowValues(row))
  }

  /** Sends a row that is new, or that another process has added with the same values. */
  send(row: Row): Steps<void> {
    return send(this.insertion, this.rowValues(row))
  }

  /** Adds a row, or replaces the row that has the same key. */
  put(row: Row): Steps<number> {
    return run(this.replacement, this.rowValues(row))
  }

  private rowValues(row: Row): SqlValue[] {
    // a row contains only values that a database can store
    return this.names.map(name => row[name] as SqlValue)
  }
}

/** Returns a SELECT with a tail. */
export function selectWithTail(select: string, tail: string | ((dialect: Dialect) => string)): SqlText {
  return typeof tail === 'string' ? `${select} ${tail}` : dialect => `${select} ${tail(dialect)}`
}
