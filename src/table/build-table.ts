/** Builds a result table from plain cells, with the types that every result has (see `ResultTable`). */
import type { Data } from 'apache-arrow'
import type { Cell, CellKind } from './cells.ts'
import { columnOfCells } from './column-of-cells.ts'
import type { ColumnType } from './columns.ts'
import type { ResultTable } from './table.ts'

/** Times in milliseconds, dates in days since 1970. */
export interface BuiltColumn extends ColumnType {
  readonly cells: readonly Cell[]
}

type Arrow = typeof import('apache-arrow')

/** Builds a table from columns that each have `rows` cells. */
export async function buildTable(columns: readonly BuiltColumn[], rows: number): Promise<ResultTable> {
  const arrow = await import('apache-arrow')
  const parts = columns.map((column, i) => ({ name: column.name, data: dataOf(arrow, column, i) }))
  const schema = new arrow.Schema(parts.map(({ name, data }) => new arrow.Field(name, data.type, true)))
  const children = parts.map(({ data }) => data)
  const struct = arrow.makeData({ type: new arrow.Struct(schema.fields), length: rows, nullCount: 0, children })
  return new arrow.Table(schema, new arrow.RecordBatch(schema, struct))
}

function dataOf(arrow: Arrow, { kind, cells }: BuiltColumn, index: number): Data {
  const { length, valid, values, texts } = columnOfCells(kind === 'date' ? 'int32' : kind, cells)
  const nullCount = valid === null ? 0 : cells.reduce((sum: number, cell) => (cell === null ? sum + 1 : sum), 0)
  const shared = { length, nullCount, ...(valid === null ? {} : { nullBitmap: valid }) }
  if (kind !== 'text')
    // makeData has an overload for each type, but none for a union of them
    return arrow.makeData({ type: typeOf(arrow, kind), data: stored(kind, values), ...shared } as never)
  const utf8 = new arrow.Utf8()
  return arrow.makeData({
    // the position of the column is the id of its dictionary, so that equal tables serialise to equal bytes
    type: new arrow.Dictionary(utf8, new arrow.Int32(), index),
    data: values as Int32Array,
    dictionary: arrow.vectorFromArray([...texts], utf8),
    ...shared,
  })
}

function stored(kind: CellKind, values: ReturnType<typeof columnOfCells>['values']) {
  if (kind === 'int8') return Int8Array.from(values as Int32Array)
  return kind === 'int16' ? Int16Array.from(values as Int32Array) : values
}

function typeOf(arrow: Arrow, kind: Exclude<CellKind, 'text'>) {
  switch (kind) {
    case 'int8':
      return new arrow.Int8()
    case 'int16':
      return new arrow.Int16()
    case 'int32':
      return new arrow.Int32()
    case 'int64':
      return new arrow.Int64()
    case 'float':
      return new arrow.Float64()
    case 'time':
      return new arrow.TimestampMicrosecond()
    case 'time_of_day':
      return new arrow.TimeMicrosecond()
    case 'date':
      return new arrow.DateDay()
    case 'bool':
      return new arrow.Bool()
  }
}
