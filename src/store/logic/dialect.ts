/** The syntax in which databases differ. All other SQL runs on every database. */
import type { Table } from '../tables/table.ts'

export interface Dialect {
  /** Forces the use of this index for a table, which must contain all columns that the statement reads; empty if there is no such hint. */
  index(name: string): string
  /** The length of a blob in bytes; null if the column contains anything else, which only damage can cause. */
  blobBytes(column: string): string
  /**
   * A SELECT that finds a row only if the row itself has the key under which the index lists it. Its values are the key, twice. Only used
   * in stores with rows from before checksums existed.
   */
  ownRow(table: string, key: readonly string[]): string
  /**
   * A SELECT of all rows of `from` as one text: `rows`, with `n`, their number. The line of a row is its checksum, a tab, and a JSON array,
   * exactly as JSON.stringify writes it, of two values: an array of these columns, and the document. Null if the database cannot do that.
   */
  summaryLines(columns: readonly string[], from: string): string | null
  /** The position of the first occurrence of a text in another, from 1; 0 if there is none. */
  position(text: string, part: string): string
  /** The text of a field of a JSON document in a column of texts, such as `patient.first_name`; null if there is none. */
  jsonText(column: string, path: string): string
  /** A SELECT of the texts in a JSON array, as `value`. The array is one value, so that a list may have any length. */
  readonly listed: string
  /** A column in a condition that must not decide which index is used. */
  aside(column: string): string
  /** Makes a SELECT lock the rows that it finds. Empty where only one transaction writes at a time; there it is never executed. */
  readonly lockingRows: string
  /** The columns by which rows of a table are removed in parts: the key, or a cheaper way to find a row in the database. */
  rowKey(table: Pick<Table, 'name' | 'key' | 'hasRowid'>): string
  /**
   * A condition of an upsert under which the row may be changed. With concurrent writers, the statement fails if the condition is false,
   * because the number of rows is not awaited (StaleChunk).
   */
  unlessStale(condition: string): string
}
