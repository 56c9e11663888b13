/** Builds a result table from plain cells. */
import type { Cell } from './cells.ts'
import { columnFromCells } from './column-from-cells.ts'
import type { ColumnType, ResultTable } from './table.ts'

/** A column's type and cells. Times are in milliseconds, dates in days since 1970. */
export interface BuiltColumn extends ColumnType {
  readonly cells: readonly Cell[]
}

/** Builds a table from columns with `rows` cells each. */
export function buildTable(columns: readonly BuiltColumn[], rows: number): ResultTable {
  return {
    numRows: rows,
    columns: columns.map(({ name, kind, cells }) => ({
      name,
      kind,
      ...columnFromCells(kind === 'date' ? 'int32' : kind, cells),
    })),
  }
}
