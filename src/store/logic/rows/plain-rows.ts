/** Rows without a checksum that are read and written as a whole. */
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

interface Definition<Row> {
  readonly table: string
  /** The columns by which a row is found. */
  readonly key: readonly (keyof Row & string)[]
  /** All columns. */
  readonly columns: readonly (keyof Row & string)[]
}

/** The rows of one table, given all of their columns. */
export class PlainRows<Row extends object> {
  /** All columns as a list for SELECT. */
  readonly columns: string
  private readonly table: string
  private readonly names: readonly (keyof Row & string)[]
  private readonly insertion: Command
  private readonly replacement: Command

  constructor({ table, key, columns }: Definition<Row>) {
    this.table = table
    this.names = columns
    this.columns = columns.join(', ')
    const insertion = `INSERT INTO ${table} (${this.columns}) VALUES (${columns.map(() => '?').join(',')})`
    const rest = columns.filter(name => !key.includes(name))
    this.insertion = command(`${insertion} ON CONFLICT DO NOTHING`)
    this.replacement = command(
      `${insertion} ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${rest.map(name => `${name}=excluded.${name}`).join(', ')}`,
    )
  }

  /** Defines a SELECT of rows with this tail (`WHERE …`). */
  query(tail: string | ((dialect: Dialect) => string)): Query<Row> {
    return query(selectOf(`SELECT ${this.columns} FROM ${this.table}`, tail))
  }

  /** Adds a row, unless there is one with its key. */
  add(row: Row): Steps<number> {
    return run(this.insertion, this.valuesOf(row))
  }

  /** Does the same for a row that is new, or that somebody has added with the same values. */
  send(row: Row): Steps<void> {
    return send(this.insertion, this.valuesOf(row))
  }

  /** Adds a row, or replaces the one with the same key. */
  put(row: Row): Steps<number> {
    return run(this.replacement, this.valuesOf(row))
  }

  private valuesOf(row: Row): SqlValue[] {
    // only what a database can store is in a row
    return this.names.map(name => row[name] as SqlValue)
  }
}

/** Returns a SELECT with a tail. */
export function selectOf(select: string, tail: string | ((dialect: Dialect) => string)): SqlText {
  return typeof tail === 'string' ? `${select} ${tail}` : dialect => `${select} ${tail(dialect)}`
}
