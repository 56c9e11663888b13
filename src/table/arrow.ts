/** Writes result tables, with their types, as Arrow IPC for tools that read Arrow. */
import type { Data } from 'apache-arrow'
import type { CellKind } from './cells.ts'
import type { ResultTable, TableColumn } from './table.ts'

/**
 * Writes a table as Arrow IPC. `stream` is for pipes; `file` allows random access and conventionally ends in `.arrow`. Equal tables produce
 * equal bytes.
 */
export async function toArrow({ numRows, columns }: ResultTable, form: 'stream' | 'file'): Promise<Uint8Array> {
  const arrow = await import('apache-arrow')
  const children = columns.map((column, i) => toArrowData(arrow, column, i))
  const schema = new arrow.Schema(columns.map(({ name }, i) => new arrow.Field(name, (children[i] as Data).type, true)))
  const struct = arrow.makeData({ type: new arrow.Struct(schema.fields), length: numRows, nullCount: 0, children })
  return arrow.tableToIPC(new arrow.Table(schema, new arrow.RecordBatch(schema, struct)), form)
}

type Arrow = typeof import('apache-arrow')

function toArrowData(arrow: Arrow, { kind, length, valid, values, texts }: TableColumn, index: number): Data {
  const shared = valid === null ? { length, nullCount: 0 } : { length, nullBitmap: valid }
  if (kind !== 'text')
    // makeData has an overload for each type, but none for their union
    return arrow.makeData({ type: toArrowType(arrow, kind), data: stored(kind, values), ...shared } as never)
  const utf8 = new arrow.Utf8()
  return arrow.makeData({
    // the column's position is its dictionary's ID, so that equal tables serialize to equal bytes
    type: new arrow.Dictionary(utf8, new arrow.Int32(), index),
    data: values as Int32Array,
    dictionary: arrow.vectorFromArray([...texts], utf8),
    ...shared,
  })
}

function stored(kind: CellKind, values: TableColumn['values']) {
  if (kind === 'int8') return Int8Array.from(values as Int32Array)
  return kind === 'int16' ? Int16Array.from(values as Int32Array) : values
}

function toArrowType(arrow: Arrow, kind: Exclude<CellKind, 'text'>) {
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
