/** The parts of a response that a command shows in all formats except JSON: rows and columns. */

import { toCell } from '../table/cells.ts'
import { chooseTone, isBookkeeping, isState } from './meaning.ts'
import type { Tone } from './tone.ts'

/** A cell's content; null for an empty cell. */
export type Cell = string | number | boolean | null | undefined

export interface Column<Row> {
  readonly name: string
  /** The heading in tables for people. Defaults to the name. */
  readonly title?: string
  readonly value: (row: Row) => Cell
  /** Whether the column identifies the row and is never cut to fit a terminal. */
  readonly isWhole?: boolean
  /** How early a narrow terminal hides the column: the highest rank is hidden first. By default, the last columns are hidden first. */
  readonly rank?: number
  /** Whether to hide the column before texts become very short. */
  readonly isExtra?: boolean
  /** Whether the column contains times of events in the service, which a terminal shows relative to now. */
  readonly isTime?: boolean
  readonly tone?: (row: Row) => Tone | undefined
}

/** One object's fields, as a terminal shows them: each row starts with a name and its value. */
export interface Sheet {
  readonly head: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
}

export interface View<Row> {
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  /** Text shown on a terminal if there are no rows. */
  readonly empty?: string
  /** Text shown on a terminal instead of rows and columns. It is never shortened, so that every value can be copied. */
  readonly sheet?: Sheet
  /**
   * Whether NDJSON prints the body as one line instead of one line per row, because the body is a single object, or its rows exist only for
   * people.
   */
  readonly isOneDocument?: boolean
}

/**
 * Returns a view of rows with the given columns, in this order. `empty` is the text that a terminal shows if there are no rows. The column
 * names decide which columns contain bookkeeping times and which are colored.
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

/** Returns a view of data with arbitrary names, which do not determine how times and colors are shown. */
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
 * Returns the view with its columns ranked by importance, so that a narrow terminal hides the least important ones first. `names` starts
 * with the most important column. Unlisted columns are extras and rank below the others, in their order.
 */
export function ranked<Row>(names: readonly string[], shown: View<Row>): View<Row> {
  const columns = shown.columns.map((column, i) => {
    const at = names.indexOf(column.name)
    return at === -1 ? { ...column, rank: names.length + i, isExtra: true } : { ...column, rank: at }
  })
  return { ...shown, columns }
}

/** Returns columns for the row's fields under their own names, to spread into a view's columns. */
export function fields<Row extends object>(...names: (keyof Row & string)[]): Record<string, (row: Row) => Cell> {
  return Object.fromEntries(names.map(name => [name, (row: Row) => toCell(row[name])]))
}

/** One object's fields, by name. */
export type Facts = Readonly<Record<string, Cell>>

/** Returns an object's fields under their own names, to spread into facts. */
export function facts<T extends object>(of: T, ...names: (keyof T & string)[]): Record<string, Cell> {
  return Object.fromEntries(names.map(name => [name, toCell(of[name])]))
}

/** Returns a view of one object: a header and one row in CSV, the body in NDJSON, and one line per non-empty field on a terminal. */
export function factSheet(facts: Facts): View<Facts> {
  return {
    ...view([facts], fields<Facts>(...Object.keys(facts))),
    sheet: { head: ['field', 'value'], rows: Object.entries(facts).filter(([, value]) => !isEmpty(value)) },
    isOneDocument: true,
  }
}

/** Returns a view of a single row. A terminal shows one line per non-empty field, complete at any width. */
export function asRecord<Row>(shown: View<Row>): View<Row> {
  const rows = shown.rows.flatMap(row => shown.columns.map(({ name, value }) => [name, value(row)] as const))
  return { ...shown, sheet: { head: ['field', 'value'], rows: rows.filter(([, value]) => !isEmpty(value)) } }
}

/** Returns whether any column or field in the view contains bookkeeping times. */
export function hasTimes<Row>({ columns, rows, sheet }: View<Row>): boolean {
  if (sheet) return sheet.rows.some(([name]) => isBookkeeping(String(name)))
  return rows.length > 0 && columns.some(column => column.isTime)
}

export function isEmpty(cell: Cell): boolean {
  return cell === null || cell === undefined || cell === ''
}
