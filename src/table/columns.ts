/**
 * The columns of result tables as typed arrays. Every output format starts from these. Reads by index are unchecked (`as number`), because
 * the loops are hot and stay in range.
 */
import { DAY_MS } from '../core/time.ts'
import type { ColumnType, ColumnValues, ResultTable, TableColumn } from './table.ts'

/** Returns the names and kinds of a table's columns. */
export function columnTypes({ columns }: ResultTable): readonly ColumnType[] {
  return columns.map(({ name, kind }) => ({ name, kind }))
}

/** Returns whether a row has a value. */
export function isValid({ valid }: ColumnValues, row: number): boolean {
  return valid === null || ((valid[row >> 3] as number) & (1 << (row & 7))) !== 0
}

/**
 * Returns a reader for one kind of number, which returns doubles; times and dates are in milliseconds. It reads 64-bit integers as 32-bit
 * halves, because BigInts would cost more than all other work.
 */
export function numberReader({ kind, values }: TableColumn): (row: number) => number {
  if (!(values instanceof BigInt64Array)) {
    const plain = values
    if (kind === 'date') return row => (plain[row] as number) * DAY_MS
    return row => plain[row] as number
  }
  const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2)
  const divisor = kind === 'time' || kind === 'time_of_day' ? MICROSECONDS_A_MILLISECOND : 1
  return row => ((halves[2 * row + 1] as number) * 2 ** 32 + ((halves[2 * row] as number) >>> 0)) / divisor
}

const MICROSECONDS_A_MILLISECOND = 1000
