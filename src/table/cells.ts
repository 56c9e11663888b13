/** What can stand in a cell of a table, whatever it is rendered as. */

/** A number, text or boolean; a time in milliseconds (its column says so); null. */
export type Cell = number | string | boolean | null

/** What the cells of a column are; the integers by their width. */
export type CellKind = 'int8' | 'int16' | 'int32' | 'int64' | 'float' | 'time' | 'date' | 'bool' | 'text'
