/**
 * Reads a result table as typed arrays, one batch of rows at a time. Every output format starts from these. Reads by index are unchecked
 * (`as number`), because the loops are hot and stay in range.
 */
import type { Data } from 'apache-arrow'
import { DAY_MS } from '../core/time.ts'
import type { CellKind } from './cells.ts'
import type { ResultTable } from './table.ts'

export interface ColumnType {
  readonly name: string
  readonly kind: CellKind
}

/** The cells of one column. */
export interface ColumnValues {
  readonly length: number
  /** One bit per row, lowest bit first: 1 if the cell has a value. Null: no cell is null. */
  readonly valid: Uint8Array | null
  /**
   * Numbers as they are; a time or time of day in microseconds; a date in days; a text as its index in `texts`. Booleans are one bit per row, as in
   * `valid`. The value of a null cell is meaningless.
   */
  readonly values: Float64Array | Int32Array | Int16Array | Int8Array | Uint8Array | BigInt64Array
  /** The dictionary of a text column. */
  readonly texts: readonly string[]
}

export interface ColumnBatch {
  readonly length: number
  /** In the order of the table's columns. */
  readonly columns: readonly ColumnValues[]
}

/** The values of apache-arrow's `Type`: importing the enumeration would load the whole package. */
const TYPE = { dictionary: -1, int: 2, float: 3, utf8: 5, bool: 6, date: 8, time: 9, timestamp: 10 } as const

/** Returns the names and kinds of a table's columns. Throws an Error for a type that no query result has. */
export function columnTypes(table: ResultTable): readonly ColumnType[] {
  return table.schema.fields.map(field => ({ name: field.name, kind: kindOf(field.type) }))
}

/** Returns the rows of a table as they are stored, without copying. */
export function columnBatches(table: ResultTable): readonly ColumnBatch[] {
  return table.batches
    .filter(batch => batch.numRows > 0)
    .map(batch => ({
      length: batch.numRows,
      columns: table.schema.fields.map((_, i) => valuesOf(batch.data.children[i] as Data)),
    }))
}

/** Returns whether a row has a value. */
export function isValid({ valid }: ColumnValues, row: number): boolean {
  return valid === null || ((valid[row >> 3] as number) & (1 << (row & 7))) !== 0
}

/**
 * Returns a reader for one kind of number. It returns doubles; a time or date is in milliseconds. It reads 64-bit integers as 32-bit
 * halves, because BigInts would cost more than everything else.
 */
export function numbersOf(kind: CellKind, { values }: ColumnValues): (row: number) => number {
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

function kindOf(type: ResultTable['schema']['fields'][number]['type']): CellKind {
  switch (type.typeId as number) {
    case TYPE.int:
      return `int${(type as { bitWidth?: number }).bitWidth}` as CellKind
    case TYPE.float:
      return 'float'
    case TYPE.bool:
      return 'bool'
    case TYPE.date:
      return 'date'
    case TYPE.time:
      return 'time_of_day'
    case TYPE.timestamp:
      return 'time'
    case TYPE.utf8:
    case TYPE.dictionary:
      return 'text'
    default:
      throw new Error(`A result table has no columns of type ${type}.`)
  }
}

function valuesOf(data: Data): ColumnValues {
  if (data.offset !== 0) throw new Error('A result table must be complete, not a slice of another table.')
  const valid = data.nullCount === 0 ? null : data.nullBitmap
  const { length } = data
  if ((data.typeId as number) === TYPE.dictionary) {
    return { length, valid, values: data.values as Int32Array, texts: textsOf(data) }
  }
  return { length, valid, values: data.values as ColumnValues['values'], texts: [] }
}

function textsOf(data: Data): readonly string[] {
  const { dictionary } = data
  return dictionary ? Array.from({ length: dictionary.length }, (_, i) => dictionary.get(i) as string) : []
}
