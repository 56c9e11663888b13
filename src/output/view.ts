/** The parts of a response that a command shows: rows and columns, for all formats except JSON. */

import { toCell } from '../table/cells.ts'
import { chooseTone, isBookkeeping, isState } from './meaning.ts'
import type { Tone } from './tone.ts'

/** The content of a cell; null for an empty cell. */
export type Cell = string | number | boolean | null | undefined

export interface Column<Row> {
  readonly name: string
  /** The heading in tables for people; by default the name. */
  readonly title?: string
  readonly value: (row: Row) => Cell
  /** Whether the column is never cut to fit a terminal, because it identifies the row. */
  readonly isWhole?: boolean
  /** How early a narrow terminal hides the column: the highest rank is hidden first. By default, the last columns. */
  readonly rank?: number
  /** Whether to hide the column before texts become very short. */
  readonly isExtra?: boolean
  /** Whether it contains times of events in the service, which a terminal shows relative to now. */
  readonly isTime?: boolean
  readonly tone?: (row: Row) => Tone | undefined
}

/** The fields of one object, as a terminal shows them: each row starts with a name and its value. */
export interface Sheet {
  readonly head: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

export interface View<Row> {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  /** Text shown on a terminal if there are no rows. */
  readonly empty?: string
  /** Shown on a terminal instead of rows and columns. It is never shortened, so that every value can be copied. */
  readonly sheet?: Sheet
  /**
   * Whether NDJSON prints the body as one line instead of one line per row, because it is a single object, or its rows exist only for
   * reading.
   */
  readonly isOneDocument?: boolean
}

/**
 * Returns a view of rows with the given columns, in this order. `empty` is the text that a terminal shows if there are no rows. The column
 * names decide which are bookkeeping times, and which have colours.
 */
export function view<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  empty?: string,
): View<Row> {
  const list = Object.entries(columns).map(([name, value]) => ({
    name,
    value,
    isTime: isBookkeeping(name),
    isWhole: isState(name),
    tone: (row: Row) => chooseTone(name, value(row)),
  }))
  return empty === undefined ? { rows, columns: list } : { rows, columns: list, empty }
}

/** Returns a view of data with arbitrary names, which do not determine how times and colours are shown. */
export function dataView<Row>(
  rows: readonly Row[],
  columns: Readonly<Record<string, (row: Row) => Cell>>,
  empty: string,
): View<Row> {
  const list = Object.entries(columns).map(([name, value]): Column<Row> => ({ name, value }))
  return { rows, columns: list, empty }
}

/** Returns the view with columns that are never cut to fit a terminal, because they identify the rows. */
export function uncut<Row>(shown: View<Row>, ...names: readonly string[]): View<Row> {
  const isWhole = (column: Column<Row>) => column.isWhole === true || names.includes(column.name)
  return { ...shown, columns: shown.columns.map(column => ({ ...column, isWhole: isWhole(column) })) }
}

/**
 * Returns the view with its columns ranked by importance, most important first, so that a narrow terminal hides the least important ones
 * first. Columns that are not listed are extras and rank below the others, in their order.
 */
export function ranked<Row>(names: readonly string[], shown: View<Row>): View<Row> {
  const columns = shown.columns.map((column, i) => {
    const at = names.indexOf(column.name)
    return at === -1 ? { ...column, rank: names.length + i, isExtra: true } : { ...column, rank: at }
  })
  return { ...shown, columns }
}

/** Returns columns for fields of the row under their own names, to spread into the columns of a view. */
export function fields<Row extends object>(...names: (keyof Row & string)[]): Record<string, (row: Row) => Cell> {
  return Object.fromEntries(names.map(name => [name, (row: Row) => toCell(row[name])]))
}

/** The fields of one object, by name. */
export type Facts = Readonly<Record<string, Cell>>

/** Returns fields of an object under their own names, to spread into facts. */
export function facts<T extends object>(of: T, ...names: (keyof T & string)[]): Record<string, Cell> {
  return Object.fromEntries(names.map(name => [name, toCell(of[name])]))
}

/** Returns a view of one object: a header and one row in CSV, its body in NDJSON, and one line per non-empty field on a terminal. */
export function factSheet(facts: Facts): View<Facts> {
  return {
    ...view([facts], fields<Facts>(...Object.keys(facts))),
    sheet: { head: ['field', 'value'], rows: Object.entries(facts).filter(([, value]) => !isEmpty(value)) },
    isOneDocument: true,
  }
}

/** Returns a view of the only row, with one line per non-empty field on a terminal, complete at any width. */
export function asRecord<Row>(shown: View<Row>): View<Row> {
  const rows = shown.rows.flatMap(row => shown.columns.map(({ name, value }) => [name, value(row)] as const))
  return { ...shown, sheet: { head: ['field', 'value'], rows: rows.filter(([, value]) => !isEmpty(value)) } }
}

/** Returns whether any column or field of the view has bookkeeping times. */
export function hasTimes<Row>({ columns, rows, sheet }: View<Row>): boolean {
  if (sheet) return sheet.rows.some(([name]) => isBookkeeping(String(name)))
  return rows.length > 0 && columns.some(column => column.isTime)
}

export function isEmpty(cell: Cell): boolean {
  return cell === null || cell === undefined || cell === ''
}
