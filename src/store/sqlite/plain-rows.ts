/** Rows without a checksum that are read and written as a whole. */
import type { Connection, SqlValue } from './connection.ts'

/** The rows of one table, given all of their columns. */
export class PlainRows<Row extends object> {
  /** All columns as a list for SELECT. */
  readonly columns: string
  /** The beginning of a statement that adds a row with `valuesOf`. */
  readonly insertion: string
  private readonly table: string
  private readonly names: readonly (keyof Row & string)[]

  constructor(table: string, names: readonly (keyof Row & string)[]) {
    this.table = table
    this.names = names
    this.columns = names.join(', ')
    this.insertion = `INTO ${table} (${this.columns}) VALUES (${names.map(() => '?').join(',')})`
  }

  /** Returns the first row of a SELECT with this tail (`WHERE …`), or undefined. */
  get(db: Connection, tail: string, ...values: readonly SqlValue[]): Row | undefined {
    return db.get<Row>(`SELECT ${this.columns} FROM ${this.table} ${tail}`, ...values)
  }

  /** Returns all rows of a SELECT with this tail. */
  all(db: Connection, tail: string, ...values: readonly SqlValue[]): Row[] {
    return db.all<Row>(`SELECT ${this.columns} FROM ${this.table} ${tail}`, ...values)
  }

  /** Adds a row. A tail such as `ON CONFLICT …` says what happens to one that is there already. */
  insert(db: Connection, row: Row, tail = ''): number {
    return db.run(`INSERT ${this.insertion} ${tail}`, ...this.valuesOf(row))
  }

  /** Adds a row in the place of the one that has its key. */
  replace(db: Connection, row: Row): number {
    return db.run(`INSERT OR REPLACE ${this.insertion}`, ...this.valuesOf(row))
  }

  private valuesOf(row: Row): SqlValue[] {
    // only what SQLite can store is in a row
    return this.names.map(name => row[name] as SqlValue)
  }
}
