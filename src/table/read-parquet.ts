/** Reads a Parquet file with flat columns as a result table, so that a server's response can be restored with its types. */
import type { FileMetaData, SchemaElement } from 'hyparquet'
import { type BuiltColumn, buildTable } from './build-table.ts'
import type { Cell, CellKind } from './cells.ts'
import type { ResultTable } from './table.ts'

/**
 * Reads a Parquet file. Throws the reader's error for bytes that are not Parquet, and an Error for a column type that no query result has.
 */
export async function fromParquet(bytes: Uint8Array): Promise<ResultTable> {
  const { parquetMetadata, parquetRead } = await import('hyparquet')
  // the reader needs a separate ArrayBuffer
  const file = new Uint8Array(bytes).buffer
  const metadata: FileMetaData = parquetMetadata(file)
  const rows = Number(metadata.num_rows)
  const columns = metadata.schema.slice(1).map((element): BuiltColumn & { readonly cells: Cell[] } => ({
    name: element.name,
    kind: cellKind(element),
    cells: new Array(rows).fill(null),
  }))
  const named = new Map(columns.map(column => [column.name, column]))
  await parquetRead({
    file,
    metadata,
    // keeps values as stored: numbers instead of objects
    parsers: {
      timestampFromMilliseconds: millis => Number(millis),
      timestampFromMicroseconds: micros => Number(micros) / 1000,
      timestampFromNanoseconds: nanos => Number(nanos / 1000n) / 1000,
      dateFromDays: days => days,
    },
    onChunk({ columnName, columnData, rowStart }) {
      const column = named.get(columnName)
      if (!column) return
      // the reader returns a time of day in microseconds
      const unit = column.kind === 'time_of_day' ? 1000 : 1
      for (let i = 0; i < columnData.length; i++) {
        const cell = columnData[i] as Cell | bigint | undefined
        column.cells[rowStart + i] = typeof cell === 'bigint' ? Number(cell) / unit : (cell ?? null)
      }
    },
  })
  return buildTable(columns, rows)
}

function cellKind({ name, type, logical_type: logical, converted_type: converted }: SchemaElement): CellKind {
  if (logical?.type === 'TIMESTAMP' || converted?.startsWith('TIMESTAMP')) return 'time'
  if (logical?.type === 'TIME') return 'time_of_day'
  if (logical?.type === 'DATE' || converted === 'DATE') return 'date'
  if (logical?.type === 'INTEGER' || converted?.startsWith('INT_')) {
    const width = logical?.type === 'INTEGER' ? logical.bitWidth : Number(converted?.slice(4))
    return `int${width}` as CellKind
  }
  const kind = ({ BOOLEAN: 'bool', INT32: 'int32', INT64: 'int64', FLOAT: 'float', DOUBLE: 'float' } as const)[
    type as 'INT32'
  ]
  if (kind !== undefined) return kind
  if (type === 'BYTE_ARRAY') return 'text'
  throw new Error(`The column ${name} has a type that no query result has.`)
}
