/** Reads a result table as typed arrays, a batch of rows at a time: every rendering starts from these. */
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
  /** A bit a row, lowest first, 1 where there is a value; null: no cell is null. */
  readonly valid: Uint8Array | null
  /**
   * Numbers as they are; a time in microseconds; a date in days; a text its place in `texts`. Booleans are a bit a row, as in
   * `valid`. What stands at a null means nothing.
   */
  readonly values: Float64Array | Int32Array | Int16Array | Int8Array | Uint8Array | BigInt64Array
  /** The dictionary of a text column. */
  readonly texts: readonly string[]
}

export interface ColumnBatch {
  readonly length: number
  /** In the order of the columns. */
  readonly columns: readonly ColumnValues[]
}

/** `Type` of apache-arrow by value: naming the enumeration would load the whole package. */
const TYPE = { dictionary: -1, int: 2, float: 3, utf8: 5, bool: 6, date: 8, timestamp: 10 } as const

/** Names and kinds of a table's columns. Throws for a type that no query result has. */
export function columnTypes(table: ResultTable): readonly ColumnType[] {
  return table.schema.fields.map(field => ({ name: field.name, kind: kindOf(field.type) }))
}

/** The rows of a table, as they lie in it: nothing is copied. */
export function columnBatches(table: ResultTable): readonly ColumnBatch[] {
  return table.batches
    .filter(batch => batch.numRows > 0)
    .map(batch => ({
      length: batch.numRows,
      columns: table.schema.fields.map((_, i) => valuesOf(batch.data.children[i] as Data)),
    }))
}

/** Whether a row has a value. */
export function isValid({ valid }: ColumnValues, row: number): boolean {
  return valid === null || ((valid[row >> 3] as number) & (1 << (row & 7))) !== 0
}

/**
 * A reader of one kind of numbers: as doubles, a time or date in milliseconds. 64-bit integers are read by their halves: BigInts
 * would cost more than all the rest.
 */
export function numbersOf(kind: CellKind, { values }: ColumnValues): (row: number) => number {
  if (!(values instanceof BigInt64Array)) {
    const plain = values
    if (kind === 'date') return row => (plain[row] as number) * DAY_MS
    return row => plain[row] as number
  }
  const halves = new Int32Array(values.buffer, values.byteOffset, values.length * 2)
  const divisor = kind === 'time' ? MICROSECONDS_A_MILLISECOND : 1
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
    case TYPE.timestamp:
      return 'time'
    case TYPE.utf8:
    case TYPE.dictionary:
      return 'text'
    default:
      throw new Error(`a result table has no columns of type ${type}`)
  }
}

function valuesOf(data: Data): ColumnValues {
  if (data.offset !== 0) throw new Error('a result table is whole: it is no slice of another')
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
