/** A result table as a Parquet file. */
import type { SchemaElement } from 'hyparquet'
import { DAY_MS } from '../core/time.ts'
import { type Cell, type CellKind, cellColumns } from './cells.ts'
import type { ResultTable } from './table.ts'

/**
 * The bytes of a Parquet file: times as microsecond timestamps not adjusted to UTC, integers of their own width, texts
 * in dictionaries, nulls as nulls. Equal tables give equal bytes.
 */
export async function toParquet(table: ResultTable): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import('hyparquet-writer')
  const columns = cellColumns(table)
  const schema: SchemaElement[] = [
    { name: 'schema', num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...PHYSICAL[kind] })),
  ]
  const columnData = columns.map(({ name, kind, cells }) => ({
    name,
    data: cells.map(cell => physical(kind, cell)),
    ...(kind === 'text' ? { encoding: 'RLE_DICTIONARY' as const } : {}),
  }))
  return new Uint8Array(parquetWriteBuffer({ schema, columnData, createdBy: 'svc' }))
}

type Physical = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>

const integer = (bitWidth: 8 | 16 | 32 | 64): Physical => ({
  type: bitWidth === 64 ? 'INT64' : 'INT32',
  converted_type: `INT_${bitWidth}`,
  logical_type: { type: 'INTEGER', bitWidth, isSigned: true },
})

const PHYSICAL: Readonly<Record<CellKind, Physical>> = {
  int8: integer(8),
  int16: integer(16),
  int32: integer(32),
  int64: integer(64),
  float: { type: 'DOUBLE' },
  // No converted type: that of older readers would mean an instant in UTC, and these times are floating.
  time: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  bool: { type: 'BOOLEAN' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
}

function physical(kind: CellKind, cell: Cell): Cell | bigint {
  if (typeof cell !== 'number') return cell
  if (kind === 'int64') return BigInt(cell)
  if (kind === 'time') return BigInt(Math.round(cell * 1000))
  return kind === 'date' ? cell / DAY_MS : cell
}
