/** The table type for all responses to aggregate queries, in every format. */
import type { CellKind } from './cells.ts'

export interface ColumnType {
  readonly name: string
  readonly kind: CellKind
}

/** One column's cells. */
export interface ColumnValues {
  readonly length: number
  /** One bit per row, lowest bit first: 1 if the cell has a value. Null if no cell is null. */
  readonly valid: Uint8Array | null
  /**
   * The values: numbers unchanged, times and times of day in microseconds, dates in days, and texts as their index in `texts`. Booleans are
   * one bit per row, as in `valid`. The value of a null cell is meaningless.
   */
  readonly values: Float64Array | Int32Array | Uint8Array | BigInt64Array
  /** A text column's dictionary. */
  readonly texts: readonly string[]
}

export interface TableColumn extends ColumnType, ColumnValues {}

/** Columns of typed arrays, each with `numRows` cells. Times are floating, texts are in dictionaries. */
export interface ResultTable {
  readonly numRows: number
  readonly columns: readonly TableColumn[]
}
