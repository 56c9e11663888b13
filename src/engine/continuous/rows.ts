/** Extracts a continuous query's rows from a query result, compares them with the stored rows, and converts them back to a table. */

import { formatDate, formatFloating, formatTimeOfDay } from '../../core/time.ts'
import type { ContinuousQuery, ResultRow, ResultTableColumn } from '../../store/continuous-query.ts'
import type { Cell, CellKind } from '../../table/cells.ts'
import { plainCells } from '../../table/plain-cells.ts'
import type { ResultTable } from '../../table/table.ts'
import type { Window } from '../aggregate/plan/calendar.ts'
import { buildResultTable, type ResultColumn, type ResultType } from '../aggregate/result.ts'
import { TextPool } from '../aggregate/scan/text-pool.ts'

/** Returns a query result's columns, and which of them are group keys. */
export function resultColumns(
  table: ResultTable,
  outputs: readonly { readonly kind: string; readonly key?: number }[],
): readonly ResultTableColumn[] {
  return table.columns.map(({ name, kind }, i) => {
    const output = outputs[i]
    return { name, kind, key: output?.kind === 'key' && output.key !== undefined ? output.key : null }
  })
}

/** Returns whether a query result has the same columns as the stored result. */
export function hasColumns(table: ResultTable, columns: readonly ResultTableColumn[]): boolean {
  return (
    table.columns.length === columns.length &&
    table.columns.every(({ name, kind }, i) => columns[i]?.name === name && columns[i]?.kind === kind)
  )
}

/** Returns the rows of a query result whose bucket begins in the range. `bucketKey` is the index of the date_trunc among the group keys. */
export function rowsInRange(
  table: ResultTable,
  columns: readonly ResultTableColumn[],
  bucketKey: number,
  range: Window,
): ResultRow[] {
  const cells = plainCells(table)
  const keys = keyColumns(columns)
  const bucketColumn = columns.findIndex(column => column.key === bucketKey)
  const rows: ResultRow[] = []
  for (let row = 0; row < table.numRows; row++) {
    // cells of the time column, which were put there by the plan
    const bucket = cells[bucketColumn]?.[row] as number
    if (bucket < range.from || bucket >= range.to) continue
    rows.push({
      bucket,
      key: JSON.stringify(keys.map(at => cells[at]?.[row] ?? null)),
      cells: JSON.stringify(cells.map(column => column[row] ?? null)),
    })
  }
  return rows
}

/** Returns the indices of the group key columns, in key order. */
function keyColumns(columns: readonly ResultTableColumn[]): readonly number[] {
  const at = new Map<number, number>()
  for (const [i, { key }] of columns.entries()) if (key !== null && !at.has(key)) at.set(key, i)
  return [...at].sort(([a], [b]) => a - b).map(([, column]) => column)
}

export interface RowChanges {
  /** New rows, and rows whose cells have changed. */
  readonly changed: readonly ResultRow[]
  /** Stored rows that no longer exist. */
  readonly removed: readonly ResultRow[]
}

/** Returns the changes that convert the stored rows into the new ones. */
export function compareRows(kept: readonly ResultRow[], rows: readonly ResultRow[]): RowChanges {
  const before = new Map(kept.map(row => [rowName(row), row]))
  const changed = rows.filter(row => before.get(rowName(row))?.cells !== row.cells)
  for (const row of rows) before.delete(rowName(row))
  return { changed, removed: [...before.values()] }
}

function keptCells(row: Pick<ResultRow, 'cells'>): Cell[] {
  // stored rows contain only cells
  return JSON.parse(row.cells) as Cell[]
}

function rowName(row: ResultRow): string {
  return `${row.bucket} ${row.key}`
}

/**
 * Returns the stored rows as the table that a plain query would return: in ascending order of group keys, with texts ordered by code unit
 * and null last.
 */
export function toResultTable(columns: readonly ResultTableColumn[], rows: readonly ResultRow[]): ResultTable {
  const cells = rows.map(keptCells)
  const keys = keyColumns(columns)
  cells.sort((a, b) => {
    for (const at of keys) {
      const sign = compare(a[at] ?? null, b[at] ?? null)
      if (sign !== 0) return sign
    }
    return 0
  })
  const pool = new TextPool()
  const values = columns.map(({ name, kind }, i): ResultColumn => {
    const column = Float64Array.from(cells, row => cellNumber(row[i] ?? null, pool))
    return { name, type: TYPE_OF_KIND[kind as CellKind], values: column }
  })
  return buildResultTable(values, pool)
}

function cellNumber(cell: Cell, pool: TextPool): number {
  if (cell === null) return Number.NaN
  return typeof cell === 'string' ? pool.id(cell) : Number(cell)
}

const TYPE_OF_KIND: Readonly<Record<CellKind, ResultType>> = {
  int8: 'int8',
  int16: 'int16',
  int32: 'int',
  int64: 'int',
  float: 'float',
  time: 'time',
  time_of_day: 'time_of_day',
  date: 'date',
  bool: 'bool',
  text: 'text',
}

function compare(a: Cell, b: Cell): number {
  if (a === b) return 0
  if (a === null) return 1
  if (b === null) return -1
  return a < b ? -1 : 1
}

/** Maximum size of the rows in an event, so that the whole body stays below 1 MiB. See docs/interface/limits.md#limits-7. */
const MOST_EVENT_BYTES = 1_000_000

/**
 * Returns the event documents for new and changed rows, split so that each one stays below 1 MiB. If rows were only removed, returns one
 * document without rows.
 */
export function toEventDocuments(query: ContinuousQuery, { changed, removed }: RowChanges): Record<string, unknown>[] {
  if (changed.length + removed.length === 0) return []
  const parts: Cell[][][] = [[]]
  let size = 0
  for (const row of changed) {
    const cells = keptCells(row).map((cell, i) => shown(query.columns[i]?.kind ?? '', cell))
    const bytes = Buffer.byteLength(JSON.stringify(cells))
    if (size + bytes > MOST_EVENT_BYTES && size > 0) {
      parts.push([])
      size = 0
    }
    size += bytes
    parts.at(-1)?.push(cells)
  }
  return parts.map(rows => {
    const data = Object.fromEntries(query.columns.map(({ name }, i) => [name, rows.map(row => row[i] ?? null)]))
    return { kind: 'continuous_query', data: [{ query_id: query.queryId, query_slug: query.slug, data }] }
  })
}

/** Returns a cell's value in JSON responses. */
function shown(kind: string, cell: Cell): Cell {
  if (typeof cell !== 'number') return cell
  if (kind === 'time') return formatFloating(cell)
  if (kind === 'time_of_day') return formatTimeOfDay(cell)
  return kind === 'date' ? formatDate(cell) : cell
}
