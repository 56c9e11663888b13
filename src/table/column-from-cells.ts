/**
 * Converts plain cells into the typed arrays that tables and Parquet files consist of. Reads by index are unchecked (`as number`), because
 * the loops are hot and stay in range.
 */
import { DAY_MS } from '../core/time.ts'
import type { Cell } from './cells.ts'
import type { ParquetColumn } from './parquet-schema.ts'
import type { ColumnValues } from './table.ts'

/** Converts cells into a column. Times, instants and dates are given in milliseconds. */
export function columnFromCells(kind: ParquetColumn['kind'], cells: readonly Cell[]): ColumnValues {
  const { length } = cells
  const valid = validityBits(cells)
  const numbers = (factor: number) => (cell: Cell) => (typeof cell === 'number' ? Math.round(cell * factor) : 0)
  switch (kind) {
    case 'text':
      return { length, valid, ...buildDictionary(cells) }
    case 'bool':
      return { length, valid, values: bits(cells, cell => cell === true), texts: [] }
    case 'float':
      return {
        length,
        valid,
        values: Float64Array.from(cells, cell => (typeof cell === 'number' ? cell : 0)),
        texts: [],
      }
    case 'int64':
      return { length, valid, values: BigInt64Array.from(cells, cell => BigInt(numbers(1)(cell))), texts: [] }
    case 'time':
    case 'time_of_day':
    case 'instant':
      return { length, valid, values: BigInt64Array.from(cells, cell => BigInt(numbers(1000)(cell))), texts: [] }
    case 'date':
      return { length, valid, values: Int32Array.from(cells, numbers(1 / DAY_MS)), texts: [] }
    default:
      return { length, valid, values: Int32Array.from(cells, numbers(1)), texts: [] }
  }
}

function validityBits(cells: readonly Cell[]): Uint8Array | null {
  return cells.every(cell => cell !== null) ? null : bits(cells, cell => cell !== null)
}

function bits(cells: readonly Cell[], test: (cell: Cell) => boolean): Uint8Array {
  const bytes = new Uint8Array((cells.length + 7) >> 3)
  for (const [i, cell] of cells.entries()) if (test(cell)) (bytes[i >> 3] as number) |= 1 << (i & 7)
  return bytes
}

function buildDictionary(cells: readonly Cell[]): Pick<ColumnValues, 'values' | 'texts'> {
  const indexes = new Map<string, number>()
  const values = Int32Array.from(cells, cell => {
    if (cell === null) return 0
    const text = String(cell)
    const known = indexes.get(text)
    if (known !== undefined) return known
    indexes.set(text, indexes.size)
    return indexes.size - 1
  })
  return { values, texts: [...indexes.keys()] }
}
