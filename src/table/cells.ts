/** The cells of a table, independent of any output format. */

/** A number, text, boolean or null. The column determines whether a number is a time in milliseconds. */
export type Cell = number | string | boolean | null

/** Converts any JSON value to a cell; objects and lists become JSON text. */
export function toCell(value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return JSON.stringify(value)
}

/** The kind of a column's cells; integers are distinguished by width. */
export type CellKind =
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'float'
  | 'time'
  | 'time_of_day'
  | 'date'
  | 'bool'
  | 'text'
