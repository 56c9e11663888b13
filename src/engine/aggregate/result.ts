/**
 * Builds the Arrow table of a result: timestamps without a zone, integers as integers, texts in dictionaries, nulls as
 * nulls.
 */
import type { ColumnType } from '../../catalogue/query/column.ts'
import { DAY_MS } from '../../core/time.ts'
import type { ResultTable } from '../../table/table.ts'
import type { GroupKey } from './plan/keys.ts'
import type { TextPool } from './scan/text-pool.ts'

/** How a result column is stored; date parts take the narrowest integer. */
export type ResultType = ColumnType | 'time_of_day' | 'int8' | 'int16'

/** A result column as numbers: NaN is null, a text is its id in the pool, a time is in milliseconds, a time of day in those since midnight. */
export interface ResultColumn {
  readonly name: string
  readonly type: ResultType
  readonly values: Float64Array
}

/** Returns the type of a group key's column. */
export function keyType(key: GroupKey): ResultType {
  if (key.kind === 'trunc') return 'time'
  if (key.kind === 'column') return key.ref.type
  return key.part === 'year' || key.part === 'day_of_year' ? 'int16' : 'int8'
}

type Arrow = typeof import('apache-arrow')

/** Kept, because each import of a bundled package copies all of its names: a quarter of a small query. */
let loaded: Arrow | undefined

/** Builds the Arrow table of the columns, in their order. */
export async function buildTable(columns: readonly ResultColumn[], pool: TextPool): Promise<ResultTable> {
  loaded ??= await import('apache-arrow')
  const arrow = loaded
  const parts = columns.map((column, i) => ({ name: column.name, data: dataOf(arrow, column, i, pool) }))
  const schema = new arrow.Schema(parts.map(({ name, data }) => new arrow.Field(name, data.type, true)))
  const length = columns[0]?.values.length ?? 0
  const children = parts.map(({ data }) => data)
  const struct = arrow.makeData({ type: new arrow.Struct(schema.fields), length, nullCount: 0, children })
  return new arrow.Table(schema, new arrow.RecordBatch(schema, struct))
}

/** A sum of integers beyond 64 bits is null, because no integer column can hold it. */
const MOST_INT = 2 ** 63

function dataOf(arrow: Arrow, { type, values: all }: ResultColumn, index: number, pool: TextPool) {
  const tooLarge = (value: number): boolean => Math.abs(value) >= MOST_INT
  const values = type === 'int' && all.some(tooLarge) ? all.map(value => (tooLarge(value) ? Number.NaN : value)) : all
  const length = values.length
  const nulls = nullsOf(values)
  switch (type) {
    case 'float':
      return arrow.makeData({ type: new arrow.Float64(), data: values, length, ...nulls })
    case 'int8':
      return arrow.makeData({ type: new arrow.Int8(), data: Int8Array.from(values), length, ...nulls })
    case 'int16':
      return arrow.makeData({ type: new arrow.Int16(), data: Int16Array.from(values), length, ...nulls })
    case 'int':
      return arrow.makeData({ type: new arrow.Int64(), data: wide(values, 1), length, ...nulls })
    case 'time':
      return arrow.makeData({ type: new arrow.TimestampMicrosecond(), data: wide(values, 1000), length, ...nulls })
    case 'time_of_day':
      return arrow.makeData({ type: new arrow.TimeMicrosecond(), data: wide(values, 1000), length, ...nulls })
    case 'date':
      return arrow.makeData({
        type: new arrow.DateDay(),
        data: Int32Array.from(values, ms => ms / DAY_MS),
        length,
        ...nulls,
      })
    case 'bool':
      return arrow.makeData({ type: new arrow.Bool(), data: bits(values, value => value === 1), length, ...nulls })
    case 'text':
      return textData(arrow, values, index, pool, nulls)
  }
}

function textData(
  arrow: Arrow,
  values: Float64Array,
  index: number,
  pool: TextPool,
  nulls: ReturnType<typeof nullsOf>,
) {
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
  const utf8 = new arrow.Utf8()
  return arrow.makeData({
    // The dictionary's id is the position of the column, so that equal tables serialise to equal bytes.
    type: new arrow.Dictionary(utf8, new arrow.Int32(), index),
    data: codes,
    dictionary: arrow.vectorFromArray(texts, utf8),
    length: values.length,
    ...nulls,
  })
}

function nullsOf(values: Float64Array): { readonly nullCount: number; readonly nullBitmap?: Uint8Array } {
  let nullCount = 0
  for (const value of values) if (Number.isNaN(value)) nullCount++
  return nullCount === 0 ? { nullCount } : { nullCount, nullBitmap: bits(values, value => !Number.isNaN(value)) }
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
