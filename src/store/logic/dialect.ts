/** Defines the syntax that differs between databases. All other SQL runs on every database. */
import type { Table } from '../tables/table.ts'

export interface Dialect {
  /**
   * Forces a table to use this index. The index must contain all columns that the statement reads. Empty if the database has no such hint.
   */
  index(name: string): string
  /** A blob's length in bytes. Null if the column contains anything else, which only damage can cause. */
  blobBytes(column: string): string
  /**
   * A SELECT that finds a row only if the row itself has the key under which the index lists it. Its values are the key, twice. Used only
   * in stores with rows that were written before checksums existed.
   */
  ownRow(table: string, key: readonly string[]): string
  /**
   * A SELECT of all rows of `from` as one text, `rows`, with their number, `n`. Each row is a line with its checksum, a tab, and a JSON
   * array of two values, exactly as written by JSON.stringify: an array of these columns, and the document. Null if the database cannot do
   * this.
   */
  summaryLines(columns: readonly string[], from: string): string | null
  /** The position of a text's first occurrence in another text, starting at 1, or 0 if there is none. */
  position(text: string, part: string): string
  /** The text of a field, such as `patient.first_name`, in a JSON document that is stored as text. Null if there is no such field. */
  jsonText(column: string, path: string): string
  /** A SELECT of the texts in a JSON array, as `value`. The array is a single value, so that a list can have any length. */
  readonly listed: string
  /** A column in a condition that must not influence which index is used. */
  aside(column: string): string
  /** Makes a SELECT lock the rows that it finds. Empty if only one transaction can write at a time; it is then never executed. */
  readonly lockingRows: string
  /** The columns used to remove a table's rows in parts: the key, or a cheaper way to find a row in the database. */
  rowKey(table: Pick<Table, 'name' | 'key' | 'hasRowid'>): string
  /**
   * A condition in an upsert that must be true for the row to be changed. With concurrent writers, the statement fails if the condition is
   * false, because the number of rows is not awaited (StaleChunk).
   */
  unlessStale(condition: string): string
}
