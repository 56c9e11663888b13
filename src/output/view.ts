/** What a command shows of an answer: rows and columns, for every format except JSON. */

/** The content of a cell; null is an empty cell. */
export type Cell = string | number | boolean | null | undefined

export interface Column<Row> {
  readonly name: string
  readonly value: (row: Row) => Cell
  /** Whether the column is never cut to fit a terminal, because it identifies the row. */
  readonly isWhole?: boolean
}

/** A table whose cells were already taken out of its rows. */
export interface Grid {
  readonly head: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** The columns that are never cut, in addition to numbers, ids and times. */
  readonly whole?: readonly boolean[]
}

export interface View<Row> {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  /** Text shown on a terminal if there are no rows. */
  readonly empty?: string
  /** Shown on a terminal in place of rows and columns. It is never shortened, so that every value can be copied. */
  readonly sheet?: Grid
  /** NDJSON prints the body as one line, and not one line per row: the body is a single object, or its rows exist only for reading. */
  readonly isOneDocument?: boolean
}

/** Returns a view of rows with the given columns, in this order. `empty` is the text that a terminal shows if there are no rows. */
export function view<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  empty?: string,
): View<Row> {
  const list = Object.entries(columns).map(([name, value]) => ({ name, value }))
  return empty === undefined ? { rows, columns: list } : { rows, columns: list, empty }
}

/** Returns the view with these columns never cut to fit a terminal, because they identify its rows. */
export function uncut<Row>(shown: View<Row>, ...names: readonly string[]): View<Row> {
  return { ...shown, columns: shown.columns.map(column => ({ ...column, isWhole: names.includes(column.name) })) }
}

/** Returns columns for fields of the row under their own names, to spread into the columns of a view. */
export function fields<Row extends object>(...names: (keyof Row & string)[]): Record<string, (row: Row) => Cell> {
  return Object.fromEntries(names.map(name => [name, (row: Row) => cellOf(row[name])]))
}

/** The fields of one object, by name. */
export type Facts = Readonly<Record<string, Cell>>

/** Returns a view of one object: in CSV a header and one row, in NDJSON its body, and on a terminal one line per non-empty field. */
export function factSheet(facts: Facts): View<Facts> {
  return {
    ...view([facts], fields<Facts>(...Object.keys(facts))),
    sheet: { head: ['field', 'value'], rows: Object.entries(facts).filter(([, value]) => !isEmpty(value)) },
    isOneDocument: true,
  }
}

/** Returns any JSON value as a cell; objects and lists become JSON text. */
export function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return JSON.stringify(value)
}

export function isEmpty(cell: Cell): boolean {
  return cell === null || cell === undefined || cell === ''
}
