/** What a table on a terminal needs of a result. */
import { cellColumns, textCell } from './cells.ts'
import type { ResultTable } from './table.ts'

/** The names of the columns in order. */
export function columnNames(table: ResultTable): readonly string[] {
  return table.schema.fields.map(field => field.name)
}

/** The first `most` rows as text; a null is an empty string, a number is not shortened. */
export function rowsAsText(table: ResultTable, most: number): readonly (readonly string[])[] {
  const columns = cellColumns(table)
  const rows = Math.min(most, table.numRows)
  return Array.from({ length: rows }, (_, row) =>
    columns.map(({ kind, cells }) => textCell(kind, cells[row] ?? null, '')),
  )
}
