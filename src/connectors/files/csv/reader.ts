/** Streaming reader for text tables (RFC 4180) of any size. It yields rows with their line numbers. */
import { isUtf8 } from 'node:buffer'
import { type Cells, isTableText, STATED_SEPARATOR, separatorOf, splitCells } from '../../../core/csv/text.ts'
import { ServiceError } from '../../../core/errors.ts'
import { parsedPieces } from '../bytes/parsed-pieces.ts'
import { TextStart } from '../bytes/text-encoding.ts'
import type { ImportFile } from '../importer.ts'

export interface CsvRow {
  /** The line on which the row starts, starting at 1. */
  readonly line: number
  /** Null for a row with misplaced quotes. */
  readonly cells: Cells
}

/** Maximum number of bytes in a row, and therefore in memory. */
export const MOST_ROW_BYTES = 1_048_576

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d
const SNIFFED_BYTES = 65_536

/** The parser's position within a field. `closing` is the position after a quote that either ends the field or is the first of two. */
type State = 'start' | 'plain' | 'quoted' | 'closing'

/**
 * Parses bytes in pieces of any size; `take` returns the rows read so far. Rows end with LF, CRLF or CR, empty lines are ignored, and an
 * opening quote is recognized only at the start of a field. Throws ServiceError `invalid_file`, with the line, for a row over 1 MiB, bytes
 * that are not UTF-8, and a quote that is never closed. The rows before the error can still be taken.
 */
export class CsvParser {
  private rows: CsvRow[] = []
  private readonly separator: string
  private readonly separatorByte: number
  private state: State = 'start'
  private isBroken = false
  private line = 1
  private rowLine = 1
  private afterCr = false
  /** The part of the current row that came in earlier pieces. */
  private carried: Buffer[] = []
  private carriedBytes = 0
  private readonly start = new TextStart()

  constructor(separator: string) {
    this.separator = separator
    this.separatorByte = separator.charCodeAt(0)
  }

  take(): readonly CsvRow[] {
    const rows = this.rows
    this.rows = []
    return rows
  }

  write(bytes: Uint8Array): void {
    this.scan(this.start.next(bytes))
  }

  end(): void {
    this.scan(this.start.rest())
    if (this.state === 'quoted') {
      throw refused(`a quote is opened in line ${this.rowLine} and never closed, so the file is cut off or damaged`)
    }
    this.finishRow(new Uint8Array())
  }

  private scan(bytes: Uint8Array): void {
    let rowStart = 0
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number
      const wasCr = this.afterCr
      this.afterCr = byte === CR
      if (byte === LF && wasCr) {
        // the second half of a line end that was already handled
        if (this.state !== 'quoted') rowStart = i + 1
        continue
      }
      const isLineEnd = byte === LF || byte === CR
      if (isLineEnd) this.line++
      if (this.state === 'quoted') {
        if (byte === QUOTE) this.state = 'closing'
      } else if (isLineEnd) {
        this.finishRow(bytes.subarray(rowStart, i))
        rowStart = i + 1
      } else if (byte === this.separatorByte) this.state = 'start'
      else this.step(byte)
    }
    this.carry(bytes.subarray(rowStart))
  }

  /** Handles a byte outside quotes that does not end a field or a row. */
  private step(byte: number): void {
    if (byte === QUOTE && this.state !== 'plain') {
      this.state = 'quoted'
      return
    }
    // text after a closing quote: the row is read to its end, but its cells are unusable
    if (this.state === 'closing') this.isBroken = true
    this.state = 'plain'
  }

  private carry(bytes: Uint8Array): void {
    this.checkSize(bytes.length)
    if (bytes.length === 0) return
    this.carried.push(Buffer.from(bytes))
    this.carriedBytes += bytes.length
  }

  private checkSize(more: number): void {
    if (this.carriedBytes + more <= MOST_ROW_BYTES) return
    const why = this.state === 'quoted' ? ' (a quote in it is opened and not closed)' : ''
    throw refused(`line ${this.rowLine} is longer than 1 MiB${why}, which is the limit`)
  }

  private finishRow(rest: Uint8Array): void {
    this.checkSize(rest.length)
    const bytes = this.carriedBytes === 0 ? rest : Buffer.concat([...this.carried, rest])
    if (bytes.length > 0) {
      const text = this.decode(bytes)
      if (this.rowLine !== 1 || !STATED_SEPARATOR.test(text))
        this.rows.push({ line: this.rowLine, cells: this.split(text) })
    }
    this.carried = []
    this.carriedBytes = 0
    this.state = 'start'
    this.isBroken = false
    this.rowLine = this.line
  }

  private decode(bytes: Uint8Array): string {
    if (!isUtf8(bytes)) throw refused(`line ${this.rowLine} holds bytes that are not UTF-8 text`, [SAVE_AS_UTF8])
    if (bytes.includes(0)) throw refused(`line ${this.rowLine} holds zero bytes, so it is not text or not UTF-8`)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  }

  private split(text: string): Cells {
    return this.isBroken ? null : splitCells(text, this.separator)
  }
}

/** Returns a table's separator (see `separatorOf`), from the first bytes of its file. */
export const detectSeparator = (head: Uint8Array): string => separatorOf(sniffed(head))

/** Returns whether a file's first bytes look like a table (see `isTableText`). */
export const looksLikeTable = (head: Uint8Array): boolean => isTableText(sniffed(head))

const sniffed = (head: Uint8Array): string =>
  Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, SNIFFED_BYTES)).toString('utf8')

/** A file's rows, and the number of file bytes read. */
export interface CsvRows {
  readonly rows: readonly CsvRow[]
  readonly bytesRead: number
  readonly separator: string
}

/** Reads a file. Throws errors (see `CsvParser`) after yielding the rows before the damage. */
export async function* csvRows(file: ImportFile, signal: AbortSignal | undefined): AsyncGenerator<CsvRows> {
  let separator = ','
  const parserOf = (head: Uint8Array): CsvParser => {
    separator = detectSeparator(head)
    return new CsvParser(separator)
  }
  const pieces = parsedPieces(file, signal, parserOf, () => refused('it is empty'))
  for await (const { items, bytesRead } of pieces) yield { rows: items, bytesRead, separator }
}

const SAVE_AS_UTF8 = 'Save the file as UTF-8 and import it again.'

function refused(what: string, suggestions: readonly string[] = []): ServiceError {
  return new ServiceError('invalid_file', `The file cannot be read as a table: ${what}.`, { suggestions })
}
