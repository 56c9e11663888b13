/**
 * Converts a table's cells into plain values, column by column. Reads by index are unchecked (`as number`), because the loops are hot and
 * stay in range.
 */
import type { Cell } from './cells.ts'
import { isValid, numberReader } from './columns.ts'
import type { ResultTable, TableColumn } from './table.ts'

/** Returns each column's cells. Times and dates are in milliseconds; `columnFromCells` is the inverse. */
export function plainCells({ columns }: ResultTable): Cell[][] {
  return columns.map(columnCells)
}

function columnCells(column: TableColumn): Cell[] {
  const { kind, length, values, texts, valid } = column
  const cells = new Array<Cell>(length)
  if (kind === 'text') {
    for (let i = 0; i < length; i++) cells[i] = texts[values[i] as number] as string
  } else if (kind === 'bool') {
    const bits = values as Uint8Array
    for (let i = 0; i < length; i++) cells[i] = ((bits[i >> 3] as number) & (1 << (i & 7))) !== 0
  } else {
    const number = numberReader(column)
    for (let i = 0; i < length; i++) cells[i] = number(i)
  }
  if (valid !== null) for (let i = 0; i < length; i++) if (!isValid(column, i)) cells[i] = null
  return cells
}
