/** A result table as the JSON answer has it: column by column. */
import { cellColumns, jsonCell } from './cells.ts'
import type { ResultTable } from './table.ts'

/** `{column: [...]}`: times floating without offset, 64-bit integers as numbers, nulls as null (interface.md 4.9). */
export function toColumns(table: ResultTable): Record<string, unknown[]> {
  const entries = cellColumns(table).map(
    ({ name, kind, cells }) => [name, cells.map(cell => jsonCell(kind, cell))] as const,
  )
  return Object.fromEntries(entries)
}
