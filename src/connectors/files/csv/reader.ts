/** A streaming reader of tables as text (RFC 4180): rows with the lines they stand on, whatever the size of the file. */
import { isUtf8 } from 'node:buffer'
import { ServiceError } from '../../../core/errors.ts'
import { filePieces } from '../bytes/file-pieces.ts'
import { refuseUtf16 } from '../bytes/text-encoding.ts'
import type { ImportFile } from '../importer.ts'
import { failureOf } from '../json/record.ts'

export interface CsvRow {
  /** The line it begins on, counted from 1. */
  readonly line: number
  /** Null for a row whose quotes cannot be read. */
  readonly cells: readonly string[] | null
}

/** The most bytes of one row, and so of what is held in memory. */
export const MOST_ROW_BYTES = 1_048_576

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d
const BOM = [0xef, 0xbb, 0xbf]
/** What spreadsheets put on a line of its own before the header. */
const STATED_SEPARATOR = /^sep=([\t !#-~])$/
const SNIFFED_BYTES = 65_536

/** Where the parser is in a field. `closing`: after a quote that ends the field or is the first of two. */
type State = 'start' | 'plain' | 'quoted' | 'closing'

/**
 * Takes bytes in pieces of any size; `take` hands over the rows read so far. Rows end at LF, CRLF or CR; empty lines are left
 * out; quotes open a field only at its start. Throws ServiceError `invalid_file`, with the line, for a row over 1 MiB, bytes
 * that are not UTF-8, and a quote that is never closed; the rows before it can still be taken.
 */
export class CsvParser {
  private rows: CsvRow[] = []
  private readonly separator: string
  private readonly separatorByte: number
  private state: State = 'start'
  private hasQuotes = false
  private isBroken = false
  private line = 1
  private rowLine = 1
  private afterCr = false
  /** The part of the row that stands in earlier pieces. */
  private carried: Buffer[] = []
  private carriedBytes = 0
  /** The first bytes, until they are enough to tell a byte order mark; null afterwards. */
  private head: Buffer | null = Buffer.alloc(0)

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
    if (this.head === null) {
      this.scan(bytes)
      return
    }
    this.head = Buffer.concat([this.head, bytes])
    if (this.head.length >= BOM.length) this.begin()
  }

  end(): void {
    if (this.head !== null) this.begin()
    if (this.state === 'quoted') {
      throw refused(`a quote is opened in line ${this.rowLine} and never closed: the file is cut off or damaged`)
    }
    this.finishRow(new Uint8Array())
  }

  private begin(): void {
    const head = this.head as Buffer
    this.head = null
    refuseUtf16(head)
    this.scan(BOM.every((byte, i) => head[i] === byte) ? head.subarray(BOM.length) : head)
  }

  private scan(bytes: Uint8Array): void {
    let rowStart = 0
    for (let i = 0; i < bytes.length; i++) {
      const byte = bytes[i] as number
      const wasCr = this.afterCr
      this.afterCr = byte === CR
      if (byte === LF && wasCr) {
        // the second half of a line end that was taken already
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

  /** A byte outside of quotes that ends neither field nor row. */
  private step(byte: number): void {
    if (byte === QUOTE && this.state !== 'plain') {
      this.hasQuotes = true
      this.state = 'quoted'
      return
    }
    // text after a closing quote: the row is read to its end, and is no row
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
    const why = this.state === 'quoted' ? ' (a quote is opened in it and not closed)' : ''
    throw refused(`line ${this.rowLine} is longer than 1 MiB${why}, which is the most that is taken`)
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
    this.hasQuotes = false
    this.isBroken = false
    this.rowLine = this.line
  }

  private decode(bytes: Uint8Array): string {
    if (!isUtf8(bytes)) throw refused(`line ${this.rowLine} holds bytes that are not UTF-8 text`, [SAVE_AS_UTF8])
    if (bytes.includes(0)) throw refused(`line ${this.rowLine} holds zero bytes: it is no text, or not UTF-8`)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  }

  private split(text: string): readonly string[] | null {
    if (this.isBroken) return null
    return this.hasQuotes ? quotedCells(text, this.separator) : text.split(this.separator)
  }
}

/** The cells of a row that has quotes, all of them where they belong. */
function quotedCells(text: string, separator: string): string[] {
  const cells: string[] = []
  let at = 0
  for (;;) {
    if (text[at] !== '"') {
      const end = text.indexOf(separator, at)
      cells.push(end === -1 ? text.slice(at) : text.slice(at, end))
      if (end === -1) return cells
      at = end + 1
      continue
    }
    let close = text.indexOf('"', at + 1)
    while (text[close + 1] === '"') close = text.indexOf('"', close + 2)
    cells.push(text.slice(at + 1, close).replaceAll('""', '"'))
    if (close + 1 >= text.length) return cells
    at = close + 2
  }
}

/**
 * The separator of a table: the one that stands most often in its first line that has any outside of quotes, or what a line
 * `sep=;` says. A comma where there is none.
 */
export function separatorOf(head: Uint8Array): string {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, SNIFFED_BYTES)).toString('utf8')
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/, 20)
  const stated = STATED_SEPARATOR.exec(lines[0] as string)
  if (stated) return stated[1] as string
  for (const line of lines) {
    const outside = line.replaceAll(/"(?:[^"]|"")*"/g, '')
    const counts = ['\t', ';', ','].map(separator => ({ separator, count: outside.split(separator).length }))
    const best = counts.reduce((most, each) => (each.count > most.count ? each : most))
    if (best.count > 1) return best.separator
  }
  return ','
}

/** Rows of a file as they are read, with how far that is. */
export interface CsvRows {
  readonly rows: readonly CsvRow[]
  readonly bytesRead: number
  readonly separator: string
}

/** Reads a file; what it throws (see `CsvParser`) comes after the rows that stand before the damage. */
export async function* csvRows(file: ImportFile, signal: AbortSignal | undefined): AsyncGenerator<CsvRows> {
  let separator = ','
  let parser: CsvParser | undefined
  let bytesRead = 0
  for await (const piece of filePieces(file, signal)) {
    if (parser === undefined) {
      separator = separatorOf(piece.bytes)
      parser = new CsvParser(separator)
    }
    const reader = parser
    const failure = failureOf(() => reader.write(piece.bytes))
    bytesRead = piece.bytesRead
    yield { rows: reader.take(), bytesRead, separator }
    if (failure !== undefined) throw failure
  }
  if (parser === undefined) throw refused('it is empty')
  parser.end()
  yield { rows: parser.take(), bytesRead, separator }
}

const SAVE_AS_UTF8 = 'Save the file as UTF-8 and import it again.'

function refused(what: string, suggestions: readonly string[] = []): ServiceError {
  return new ServiceError('invalid_file', `The file cannot be read as a table: ${what}.`, { suggestions })
}
