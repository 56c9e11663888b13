/** Streaming reader for text tables (RFC 4180) of any size. It yields rows with their line numbers. */
import { isUtf8 } from 'node:buffer'
import { ServiceError } from '../../../core/errors.ts'
import { parsedPieces } from '../bytes/parsed-pieces.ts'
import { TextStart } from '../bytes/text-encoding.ts'
import type { ImportFile } from '../importer.ts'

export interface CsvRow {
  /** The line on which the row starts, starting at 1. */
  readonly line: number
  /** Null for a row with misplaced quotes. */
  readonly cells: readonly string[] | null
}

/** Maximum number of bytes in a row, and therefore in memory. */
export const MOST_ROW_BYTES = 1_048_576

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d
/** Matches the line that spreadsheets write before the header to declare the separator. */
const STATED_SEPARATOR = /^sep=([\t !#-~])$/
const SNIFFED_BYTES = 65_536
const SNIFFED_LINES = 50

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
  private hasQuotes = false
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
      this.hasQuotes = true
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
    this.hasQuotes = false
    this.isBroken = false
    this.rowLine = this.line
  }

  private decode(bytes: Uint8Array): string {
    if (!isUtf8(bytes)) throw refused(`line ${this.rowLine} holds bytes that are not UTF-8 text`, [SAVE_AS_UTF8])
    if (bytes.includes(0)) throw refused(`line ${this.rowLine} holds zero bytes, so it is not text or not UTF-8`)
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')
  }

  private split(text: string): readonly string[] | null {
    if (this.isBroken) return null
    return this.hasQuotes ? quotedCells(text, this.separator) : text.split(this.separator)
  }
}

/** Splits a row into cells; all of its quotes are in valid positions. */
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
 * Returns a table's separator: the one in a line `sep=;`, or the one that occurs equally often outside quotes in most of the first lines;
 * if there are several, the most frequent one. Lines above the header and decimal commas therefore do not matter. Returns a comma if there
 * is no separator.
 */
export function detectSeparator(head: Uint8Array): string {
  const lines = firstLines(head)
  const stated = STATED_SEPARATOR.exec(lines[0] ?? '')
  return stated?.[1] ?? detectShape(lines)?.separator ?? ','
}

/** Returns whether the first line has a separator, or at least half of the first lines have the same number of them. */
export function looksLikeTable(head: Uint8Array): boolean {
  const lines = firstLines(head)
  if (lines[0]?.includes(detectSeparator(head))) return true
  const shape = detectShape(lines)
  return shape !== undefined && shape.lines >= 2 && shape.lines * 2 >= lines.length
}

function firstLines(head: Uint8Array): readonly string[] {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.length, SNIFFED_BYTES)).toString('utf8')
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/, SNIFFED_LINES)
  return lines.filter(line => line.trim() !== '')
}

interface Shape {
  readonly separator: string
  /** Number of times the separator occurs in a line. */
  readonly count: number
  /** Number of lines in which the separator occurs that often. */
  readonly lines: number
}

function detectShape(lines: readonly string[]): Shape | undefined {
  const outside = lines.map(line => line.replaceAll(/"(?:[^"]|"")*"/g, ''))
  const shapes = ['\t', ';', ','].flatMap((separator): Shape[] => {
    const counts = outside.map(line => line.split(separator).length - 1).filter(count => count > 0)
    return counts.map(count => ({ separator, count, lines: counts.filter(each => each === count).length }))
  })
  // the sort is stable, so the first of equal separators wins
  return shapes.sort((a, b) => b.lines - a.lines || b.count - a.count)[0]
}

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
