/** Defines the syntax that differs between databases. All other SQL runs on every database. */
import type { Table } from '../tables/table.ts'

export interface Dialect {
  /**
   * Forces the use of this index for a table. The index must contain all columns that the statement reads. Empty if the database has no
   * such hint.
   */
  index(name: string): string
  /** A blob's length in bytes; null if the column contains anything else, which only damage can cause. */
  blobBytes(column: string): string
  /**
   * A SELECT that finds a row only if the row itself has the key under which the index lists it. Its values are the key, twice. Used only
   * in stores with rows from before checksums existed.
   */
  ownRow(table: string, key: readonly string[]): string
  /**
   * A SELECT of all rows of `from` as one text, `rows`, with their number, `n`. A row's line is its checksum, a tab, and a JSON array,
   * exactly as JSON.stringify writes it, of two values: an array of these columns, and the document. Null if the database cannot do that.
   */
  summaryLines(columns: readonly string[], from: string): string | null
  /** The position of a text's first occurrence in another, from 1; 0 if there is none. */
  position(text: string, part: string): string
  /** The text of a field, such as `patient.first_name`, in a JSON document that is stored as text; null if there is none. */
  jsonText(column: string, path: string): string
  /** A SELECT of the texts in a JSON array, as `value`. The array is one value, so that a list may have any length. */
  readonly listed: string
  /** A column in a condition that must not influence which index is used. */
  aside(column: string): string
  /** Makes a SELECT lock the rows that it finds. Empty if only one transaction writes at a time, in which case it is never executed. */
  readonly lockingRows: string
  /** The columns by which a table's rows are removed in parts: the key, or a cheaper way to find a row in the database. */
  rowKey(table: Pick<Table, 'name' | 'key' | 'hasRowid'>): string
  /**
   * An upsert condition under which the row may be changed. With concurrent writers, the statement fails if the condition is false, because
   * the number of rows is not awaited (StaleChunk).
   */
  unlessStale(condition: string): string
}
