/** Reads the rows of a table in an archive as records. */
import { CsvParser } from '../csv/reader.ts'
import { TableHeader, TableRow } from './record.ts'

const SEPARATORS = [',', ';', '\t'] as const

/** A record, or null if it cannot be read, with its line. */
interface Row {
  readonly record: TableRow | null
  readonly position: number
}

/** Rows may have more cells than the header, or fewer. The separator is the one that occurs most often in the first line. */
export class TablePart {
  readonly positionName = 'line'
  private readonly columnsOf: (cells: readonly string[]) => readonly string[] | null
  private parser: CsvParser | undefined
  private header: TableHeader | undefined

  /** `columnsOf` returns the names of the columns if a row is the header, otherwise null. */
  constructor(columnsOf: (cells: readonly string[]) => readonly string[] | null) {
    this.columnsOf = columnsOf
  }

  write(bytes: Uint8Array): void {
    this.parser ??= new CsvParser(separatorOf(bytes))
    this.parser.write(bytes)
  }

  end(): void {
    this.parser?.end()
  }

  *take(): Generator<Row> {
    for (const { line, cells } of this.parser?.take() ?? []) {
      if (this.header !== undefined) {
        yield { record: cells && new TableRow(this.header, cells), position: line }
      } else {
        const names = cells && this.columnsOf(cells)
        if (names !== null) this.header = new TableHeader(names)
      }
    }
  }
}

/** Cells may contain lists with other separators, so only the header counts. */
function separatorOf(bytes: Uint8Array): string {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const line = text.slice(0, text.search(/[\r\n]|$/))
  const counts = SEPARATORS.map(separator => ({ separator, count: line.split(separator).length }))
  return counts.sort((a, b) => b.count - a.count)[0]?.separator ?? ','
}
