/** The cells of a table, independent of any output format. */

/** A number, text, boolean or null. The column tells whether a number is a time in milliseconds. */
export type Cell = number | string | boolean | null

/** The kind of cells in a column; integers by their width. */
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
