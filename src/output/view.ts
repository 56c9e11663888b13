/** What a command shows of an answer: rows and columns, for every rendering but json. */

/** What stands in a cell; null is an empty one. */
export type Cell = string | number | boolean | null | undefined

export interface Column<Row> {
  readonly name: string
  readonly value: (row: Row) => Cell
}

export interface View<Row> {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  /** Shown on a terminal in place of a table without rows. */
  readonly empty?: string
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

/** Columns that are fields of the row under their own names, to be spread into those of a view. */
export function fields<Row extends object>(...names: (keyof Row & string)[]): Record<string, (row: Row) => Cell> {
  return Object.fromEntries(names.map(name => [name, (row: Row) => cellOf(row[name])]))
}

/** The fields of one thing, a row each. */
export function factSheet(facts: Readonly<Record<string, Cell>>): View<readonly [string, Cell]> {
  return view<readonly [string, Cell]>(Object.entries(facts), { field: fact => fact[0], value: fact => fact[1] })
}

/** Any JSON value as a cell: what is not plain becomes JSON. */
export function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value
  return JSON.stringify(value)
}
