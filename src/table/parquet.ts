/** Parquet files: of a result table, and of rows that come a group at a time. */
import type { SchemaElement } from 'hyparquet'
import { DAY_MS } from '../core/time.ts'
import { type Cell, type CellKind, cellColumns } from './cells.ts'
import type { ResultTable } from './table.ts'

/** `instant` is a moment in epoch milliseconds; `time` is floating. */
export interface ParquetColumn {
  readonly name: string
  readonly kind: CellKind | 'instant'
}

/** A file on its way out: nothing but the group at hand is in memory. */
export interface ParquetFile {
  /** The bytes that come next, the file's beginning among them: the columns of some rows, in the order of the schema. */
  rows(columns: readonly (readonly Cell[])[]): Uint8Array
  /** The last bytes. */
  end(): Uint8Array
}

/**
 * Begins a file: floating times as microsecond timestamps not adjusted to UTC, instants as adjusted ones, integers of their own
 * width, texts in dictionaries, nulls as nulls.
 */
export async function openParquet(columns: readonly ParquetColumn[]): Promise<ParquetFile> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer')
  const schema: SchemaElement[] = [
    { name: 'schema', num_children: columns.length },
    ...columns.map(({ name, kind }) => ({ name, repetition_type: 'OPTIONAL' as const, ...PHYSICAL[kind] })),
  ]
  const bytes = new ByteWriter()
  const file = new ParquetWriter({ writer: bytes, schema, createdBy: 'svc' })
  // its offset counts on: only the bytes that were handed over are forgotten
  const take = (): Uint8Array => {
    const taken = bytes.getBytes().slice()
    bytes.index = 0
    return taken
  }
  return {
    rows(cells) {
      const columnData = columns.map(({ name, kind }, i) => ({
        name,
        data: (cells[i] as readonly Cell[]).map(cell => physical(kind, cell)),
        ...(kind === 'text' ? { encoding: 'RLE_DICTIONARY' as const } : {}),
      }))
      file.write({ columnData })
      return take()
    },
    end() {
      file.finish()
      return take()
    },
  }
}

/** The bytes of a file with the rows of a result table. Equal tables give equal bytes. */
export async function toParquet(table: ResultTable): Promise<Uint8Array> {
  const columns = cellColumns(table)
  const file = await openParquet(columns)
  // a Buffer may share its memory with others
  return new Uint8Array(Buffer.concat([file.rows(columns.map(each => each.cells)), file.end()]))
}

type Physical = Pick<SchemaElement, 'type' | 'converted_type' | 'logical_type'>

const integer = (bitWidth: 8 | 16 | 32 | 64): Physical => ({
  type: bitWidth === 64 ? 'INT64' : 'INT32',
  converted_type: `INT_${bitWidth}`,
  logical_type: { type: 'INTEGER', bitWidth, isSigned: true },
})

const PHYSICAL: Readonly<Record<ParquetColumn['kind'], Physical>> = {
  int8: integer(8),
  int16: integer(16),
  int32: integer(32),
  int64: integer(64),
  float: { type: 'DOUBLE' },
  // No converted type: that of older readers would mean an instant in UTC, and these times are floating.
  time: { type: 'INT64', logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: false, unit: 'MICROS' } },
  instant: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' },
  },
  date: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  bool: { type: 'BOOLEAN' },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
}

function physical(kind: ParquetColumn['kind'], cell: Cell): Cell | bigint {
  if (typeof cell !== 'number') return cell
  if (kind === 'int64') return BigInt(cell)
  if (kind === 'time' || kind === 'instant') return BigInt(Math.round(cell * 1000))
  return kind === 'date' ? cell / DAY_MS : cell
}
