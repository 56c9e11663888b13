/** Builds a result table: timestamps without a zone, integers as integers, texts in dictionaries, and nulls as nulls. */
import type { ColumnType } from '../../catalogue/query/column.ts'
import { DAY_MS } from '../../core/time.ts'
import type { ResultTable, TableColumn } from '../../table/table.ts'
import type { TextPool } from './scan/text-pool.ts'

/** Types of result columns. Date parts use the smallest integer type. */
export type ResultType = ColumnType | 'time_of_day' | 'int8' | 'int16'

/**
 * A result column as numbers. NaN is null, a text is its ID in the pool, a time is in milliseconds, and a time of day is in milliseconds
 * since midnight.
 */
export interface ResultColumn {
  readonly name: string
  readonly type: ResultType
  readonly values: Float64Array
}

/** Builds a table from the columns, in the same order. */
export function buildResultTable(columns: readonly ResultColumn[], pool: TextPool): ResultTable {
  return { numRows: columns[0]?.values.length ?? 0, columns: columns.map(column => tableColumn(column, pool)) }
}

/** A sum of integers above this limit is null, because it does not fit into a 64-bit integer column. */
const MOST_INT = 2 ** 63

function tableColumn({ name, type, values: all }: ResultColumn, pool: TextPool): TableColumn {
  const tooLarge = (value: number): boolean => Math.abs(value) >= MOST_INT
  const values = type === 'int' && all.some(tooLarge) ? all.map(value => (tooLarge(value) ? Number.NaN : value)) : all
  return {
    name,
    kind: type === 'int' ? 'int64' : type,
    length: values.length,
    valid: hasNull(values) ? bits(values, value => !Number.isNaN(value)) : null,
    ...storedValues(type, values, pool),
  }
}

function storedValues(type: ResultType, values: Float64Array, pool: TextPool): Pick<TableColumn, 'values' | 'texts'> {
  switch (type) {
    case 'float':
      return { values, texts: [] }
    case 'int8':
    case 'int16':
      return { values: Int32Array.from(values), texts: [] }
    case 'int':
      return { values: wide(values, 1), texts: [] }
    case 'time':
    case 'time_of_day':
      return { values: wide(values, 1000), texts: [] }
    case 'date':
      return { values: Int32Array.from(values, ms => ms / DAY_MS), texts: [] }
    case 'bool':
      return { values: bits(values, value => value === 1), texts: [] }
    case 'text':
      return dictionary(values, pool)
  }
}

function dictionary(values: Float64Array, pool: TextPool): Pick<TableColumn, 'values' | 'texts'> {
  const codeOf = new Map<number, number>()
  const texts: string[] = []
  const codes = Int32Array.from(values, id => {
    if (Number.isNaN(id)) return 0
    let code = codeOf.get(id)
    if (code === undefined) {
      code = texts.push(pool.text(id)) - 1
      codeOf.set(id, code)
    }
    return code
  })
  return { values: codes, texts }
}

function hasNull(values: Float64Array): boolean {
  for (const value of values) if (Number.isNaN(value)) return true
  return false
}

function bits(values: Float64Array, test: (value: number) => boolean): Uint8Array {
  const bytes = new Uint8Array((values.length + 7) >> 3)
  // unchecked reads, because the loop is hot
  for (let i = 0; i < values.length; i++) if (test(values[i] as number)) (bytes[i >> 3] as number) |= 1 << (i & 7)
  return bytes
}

function wide(values: Float64Array, factor: number): BigInt64Array {
  return BigInt64Array.from(values, value => (Number.isNaN(value) ? 0n : BigInt(Math.round(value * factor))))
}
