/** Writes Parquet files from a result table, or from rows that arrive in groups. */
import type { ColumnChunk } from 'hyparquet'
import type { Cell } from './cells.ts'
import { columnFromCells } from './column-from-cells.ts'
import { definitionLevels, encodeValues, type PhysicalType, validRows } from './parquet-encoding.ts'
import { writeDataHeader, writeDictionaryHeader } from './parquet-page-header.ts'
import { buildSchema, findPhysical, type ParquetColumn } from './parquet-schema.ts'
import type { ColumnValues, ResultTable } from './table.ts'

/** A file that is being written. Only the current group is in memory. */
export interface ParquetFile {
  /** Returns the next bytes for the columns of some rows, in schema order. The first call includes the beginning of the file. */
  rows(columns: readonly (readonly Cell[])[]): Uint8Array
  /** Yields the bytes of a table with these columns, one piece per row group. */
  table(table: ResultTable): Generator<Uint8Array>
  /** Returns the file's last bytes. */
  end(): Uint8Array
}

/** Number of rows in a group: a multiple of 8, so that a group's bits begin with a byte. A column of doubles is then a page of 1 MiB. */
const GROUP_ROWS = 131_072
/** Number of bytes to compress as a probe. If they do not shrink by a tenth, the data stays uncompressed. */
const PROBE_BYTES = 65_536
const WORTH_IT = 0.9

/**
 * Begins a file: floating times are microsecond timestamps not adjusted to UTC, instants are adjusted to UTC, integers have their own
 * width, texts are in dictionaries, and nulls stay nulls. Integers are delta-packed, and everything else is compressed with Snappy if that
 * helps; every Parquet reader supports both. Writing the pages here takes half as long as using the package's `write`; the package writes
 * the rest of the file.
 */
export async function openParquet(columns: readonly ParquetColumn[]): Promise<ParquetFile> {
  const { ByteWriter, ParquetWriter } = await import('hyparquet-writer')
  const bytes = new ByteWriter()
  const file = new ParquetWriter({ writer: bytes, schema: buildSchema(columns), createdBy: 'svc' })
  const compress = file.compressors.SNAPPY
  // its offset keeps counting, because only the bytes that were already returned are dropped
  const take = (): Uint8Array => {
    const taken = bytes.getBytes().slice()
    bytes.index = 0
    return taken
  }
  const compressed = (page: Uint8Array): Uint8Array | undefined => {
    if (page.length > PROBE_BYTES && !isSmaller(compress(page.subarray(0, PROBE_BYTES)), PROBE_BYTES)) return
    const smaller = compress(page)
    return isSmaller(smaller, page.length) ? smaller : undefined
  }

  const writeColumn = ({ name, kind }: ParquetColumn, column: ColumnValues, from: number, to: number): ColumnChunk => {
    const type = findPhysical(kind).type as PhysicalType
    const rows = validRows(column, from, to)
    const { encoding, dictionary, values, min, max, isPacked } = encodeValues(type, column, rows)
    const levels = definitionLevels(column, from, to)
    const begin = bytes.offset
    let uncompressed = 0
    // the codec applies to the column: an uncompressed page has its own flag, but a dictionary does not
    const smallerWords = dictionary ? compress(dictionary.bytes) : undefined
    const smaller = isPacked ? undefined : compressed(values)
    if (dictionary && smallerWords) {
      const header = bytes.offset
      writeDictionaryHeader(bytes, { plain: dictionary.bytes.length, stored: smallerWords.length }, dictionary.count)
      uncompressed += bytes.offset - header + dictionary.bytes.length
      bytes.appendBytes(smallerWords)
    }
    const page = bytes.offset
    const kept = smaller ?? values
    writeDataHeader(bytes, {
      plain: levels.length + values.length,
      stored: levels.length + kept.length,
      rows: to - from,
      nulls: to - from - rows.length,
      encoding,
      levelBytes: levels.length,
      isCompressed: smaller !== undefined,
    })
    uncompressed += bytes.offset - page + levels.length + values.length
    bytes.appendBytes(levels)
    bytes.appendBytes(kept)
    return {
      file_offset: BigInt(begin),
      meta_data: {
        type,
        encodings: [...new Set([...(dictionary ? (['PLAIN'] as const) : []), 'RLE' as const, encoding])],
        path_in_schema: [name],
        codec: dictionary || smaller ? 'SNAPPY' : 'UNCOMPRESSED',
        num_values: BigInt(to - from),
        total_uncompressed_size: BigInt(uncompressed),
        total_compressed_size: BigInt(bytes.offset - begin),
        data_page_offset: BigInt(page),
        ...(dictionary ? { dictionary_page_offset: BigInt(begin) } : {}),
        statistics: {
          null_count: BigInt(to - from - rows.length),
          ...(min === undefined || max === undefined ? {} : { min_value: min, max_value: max }),
        },
      },
    }
  }

  const writeGroup = (values: readonly ColumnValues[], from: number, to: number): void => {
    const begin = bytes.offset
    const chunks = columns.map((column, i) => writeColumn(column, values[i] as ColumnValues, from, to))
    file.num_rows += BigInt(to - from)
    file.row_groups.push({
      columns: chunks,
      total_byte_size: chunks.reduce((sum, each) => sum + (each.meta_data?.total_uncompressed_size ?? 0n), 0n),
      num_rows: BigInt(to - from),
      total_compressed_size: BigInt(bytes.offset - begin),
    })
  }

  return {
    rows(cells) {
      const length = cells[0]?.length ?? 0
      const values = columns.map(({ kind }, i) => columnFromCells(kind, cells[i] as readonly Cell[]))
      if (length > 0) writeGroup(values, 0, length)
      return take()
    },
    *table({ numRows, columns: values }) {
      for (let from = 0; from < numRows; from += GROUP_ROWS) {
        writeGroup(values, from, Math.min(numRows, from + GROUP_ROWS))
        yield take()
      }
    },
    end() {
      file.finish()
      return take()
    },
  }
}

/** Yields a result table's file, one row group at a time. Equal tables produce equal bytes. */
export async function* parquetPieces(table: ResultTable): AsyncGenerator<Uint8Array> {
  const file = await openParquet(table.columns)
  yield* file.table(table)
  yield file.end()
}

/** Returns the bytes of `parquetPieces`. */
export async function toParquet(table: ResultTable): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  for await (const piece of parquetPieces(table)) pieces.push(piece)
  // a Buffer may share its memory with others
  return new Uint8Array(Buffer.concat(pieces))
}

function isSmaller(compressed: Uint8Array, sizeBytes: number): boolean {
  return compressed.length < sizeBytes * WORTH_IT
}
