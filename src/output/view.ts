/** What a command shows of an answer: rows and columns, for every rendering but json. */

/** What stands in a cell; null is an empty one. */
export type Cell = string | number | boolean | null | undefined

export interface Column<Row> {
  readonly name: string
  readonly value: (row: Row) => Cell
  /** Never cut to fit a terminal: what the row is about. */
  readonly isWhole?: boolean
}

/** A table whose cells were taken out of its rows already. */
export interface Grid {
  readonly head: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** The columns that are never cut, besides numbers, ids and times. */
  readonly whole?: readonly boolean[]
}

export interface View<Row> {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  /** Shown on a terminal in place of a table without rows. */
  readonly empty?: string
  /** Shown on a terminal in place of rows and columns; never shortened, so that every value can be copied from it. */
  readonly sheet?: Grid
  /** In ndjson the body is one line, instead of a line a row: it is one thing, or its rows are only made for reading. */
  readonly isOneDocument?: boolean
}

/** A view of rows: each column under its name, in this order. `empty` is what a terminal shows when there are no rows. */
export function view<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  empty?: string,
): View<Row> {
  const list = Object.entries(columns).map(([name, value]) => ({ name, value }))
  return empty === undefined ? { rows, columns: list } : { rows, columns: list, empty }
}

/** The view with these columns never cut to fit a terminal: what its rows are about. */
export function uncut<Row>(shown: View<Row>, ...names: readonly string[]): View<Row> {
  return { ...shown, columns: shown.columns.map(column => ({ ...column, isWhole: names.includes(column.name) })) }
}

/** Columns that are fields of the row under their own names, to be spread into those of a view. */
export function fields<Row extends object>(...names: (keyof Row & string)[]): Record<string, (row: Row) => Cell> {
  return Object.fromEntries(names.map(name => [name, (row: Row) => cellOf(row[name])]))
}

/** The fields of one thing, by name. */
export type Facts = Readonly<Record<string, Cell>>

/** One thing: a header and one row in csv, its body in ndjson, and on a terminal a line a field that is not empty. */
export function factSheet(facts: Facts): View<Facts> {
  return {
    ...view([facts], fields<Facts>(...Object.keys(facts))),
    sheet: { head: ['field', 'value'], rows: Object.entries(facts).filter(([, value]) => !isEmpty(value)) },
    isOneDocument: true,
  }
}

/** Any JSON value as a cell: what is not plain becomes JSON. */
export function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return JSON.stringify(value)
}

export function isEmpty(cell: Cell): boolean {
  return cell === null || cell === undefined || cell === ''
}
