/**
 * A prepared statement that returns rows as objects. The objects are built here, because the binding takes 1.6 times as long. Every statement
 * lists its columns (no `SELECT *`), so that a schema change cannot change their names.
 */
import type { StatementSyncInstance } from '@photostructure/sqlite'
import type { SqlValue } from '../logic/steps.ts'

type SqlRow = Record<string, SqlValue>

export class PreparedStatement {
  private readonly statement: StatementSyncInstance
  /** Names of the result's columns, read with the first row. */
  private names: readonly string[] | undefined

  constructor(statement: StatementSyncInstance) {
    this.statement = statement
    statement.setReturnArrays(true)
  }

  /** Runs the statement and returns the number of changed rows. */
  run(values: readonly SqlValue[]): number {
    return Number(this.statement.run(...values).changes)
  }

  /** Returns the first row. */
  get(values: readonly SqlValue[] = []): SqlRow | undefined {
    const found = this.statement.get(...values) as unknown as readonly SqlValue[] | undefined // as set in the constructor
    return found && this.row(found)
  }

  /** Returns all rows. */
  all(values: readonly SqlValue[]): SqlRow[] {
    const found = this.statement.all(...values) as unknown as readonly (readonly SqlValue[])[] // as above
    return found.map(each => this.row(each))
  }

  private row(values: readonly SqlValue[]): SqlRow {
    this.names ??= this.statement.columns().map(({ name }) => name)
    const row: SqlRow = {}
    for (let i = 0; i < values.length; i++) row[this.names[i] as string] = values[i] as SqlValue // unchecked, because the loop is hot
    return row
  }
}
