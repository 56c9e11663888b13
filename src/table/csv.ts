/** Writes CSV as defined in RFC 4180, except that lines end with LF, as command-line tools expect. */
import type { TextStyle } from './cell-bytes.ts'
import { lines } from './rows-bytes.ts'
import type { ResultTable } from './table.ts'

/** A field's value. */
export type CsvCell = string | number | boolean | null | undefined

export interface CsvOptions {
  /** Whether to put an apostrophe before text that a spreadsheet would read as a formula. Numbers never get one. */
  readonly isSafe?: boolean | undefined
}

/** The characters that start a formula. Tab and carriage return are included, because spreadsheets skip them. See docs/security.md. */
const FORMULA = /^[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n]/

/**
 * Returns one record with its line end. Null becomes an empty field, and an empty text becomes `""`. A number reads back as the same
 * number.
 */
export function csvRecord(cells: readonly CsvCell[], options: CsvOptions = {}): string {
  return `${cells.map(cell => csvField(cell, options)).join(',')}\n`
}

/** Yields a header line and one line per row, in pieces. */
export function* csvPieces(table: ResultTable, options: CsvOptions = {}): Generator<Uint8Array> {
  const names = table.columns.map(({ name }) => name)
  yield Buffer.from(csvRecord(names, options))
  const style: TextStyle = {
    null: '',
    quote: '',
    text: text => csvText(text, options),
    negativeZero: '-0',
    infinite: String,
  }
  yield* lines(table, style, { before: names.map((_, i) => (i === 0 ? '' : ',')), end: '\n' })
}

function csvField(cell: CsvCell, options: CsvOptions): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell === 'string') return csvText(cell, options)
  // String(-0) is 0
  return Object.is(cell, -0) ? '-0' : String(cell)
}

function csvText(text: string, { isSafe }: CsvOptions): string {
  if (text === '') return '""'
  const shown = isSafe && FORMULA.test(text) ? `'${text}` : text
  return NEEDS_QUOTES.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown
}
