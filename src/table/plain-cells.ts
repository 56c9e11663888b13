/**
 * Converts the cells of a table into plain values, column by column. Reads by index are unchecked (`as number`), because the loops are hot
 * and stay in range.
 */
import type { Cell, CellKind } from './cells.ts'
import { type ColumnValues, columnBatches, columnTypes, isValid, numbersOf } from './columns.ts'
import type { ResultTable } from './table.ts'

/** Returns the cells of each column. Times and dates are in milliseconds; `columnOfCells` is the inverse. */
export function plainCells(table: ResultTable): Cell[][] {
  const types = columnTypes(table)
  const lists = types.map((): Cell[] => new Array(table.numRows))
  let at = 0
  for (const { length, columns } of columnBatches(table)) {
    for (const [i, column] of columns.entries()) {
      const [cells, type] = [lists[i], types[i]]
      if (cells && type) fillCells(cells, at, type.kind, column)
    }
    at += length
  }
  return lists
}

function fillCells(cells: Cell[], at: number, kind: CellKind, column: ColumnValues): void {
  const { length, values, texts, valid } = column
  if (kind === 'text') {
    for (let i = 0; i < length; i++) cells[at + i] = texts[values[i] as number] as string
  } else if (kind === 'bool') {
    const bits = values as Uint8Array
    for (let i = 0; i < length; i++) cells[at + i] = ((bits[i >> 3] as number) & (1 << (i & 7))) !== 0
  } else {
    const number = numbersOf(kind, column)
    for (let i = 0; i < length; i++) cells[at + i] = number(i)
  }
  if (valid === null) return
  for (let i = 0; i < length; i++) if (!isValid(column, i)) cells[at + i] = null
}
