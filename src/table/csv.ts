/** CSV as RFC 4180 has it, but for the line ends: LF, as the tools around a pipe expect. */
import type { TextStyle } from './cell-bytes.ts'
import { columnTypes } from './columns.ts'
import { lines } from './rows-bytes.ts'
import type { ResultTable } from './table.ts'

/** What stands in a field. */
export type CsvCell = string | number | boolean | null | undefined

export interface CsvOptions {
  /** A text that a spreadsheet would take for a formula gets an apostrophe in front. Numbers never do. */
  readonly isSafe?: boolean | undefined
}

/** What a formula begins with (design 10): also after a tab or a carriage return, which a spreadsheet passes over. */
const FORMULA = /^[=+\-@\t\r]/
const NEEDS_QUOTES = /[",\r\n]/

/** One record, ended. Null is an empty field and an empty text is `""`; a number reads back as the same number. */
export function csvRecord(cells: readonly CsvCell[], options: CsvOptions = {}): string {
  return `${cells.map(cell => csvField(cell, options)).join(',')}\n`
}

/** A header line and a line a row, piece by piece. */
export function* csvPieces(table: ResultTable, options: CsvOptions = {}): Generator<Uint8Array> {
  const names = columnTypes(table).map(({ name }) => name)
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
