/** A result table as CSV (RFC 4180). */
import { type CellColumn, cellColumns, textCell } from './cells.ts'
import type { ResultTable } from './table.ts'

const ROWS_A_CHUNK = 2_000

/**
 * The header and the rows in chunks, lines ending with CRLF. Null is an empty field and an empty text is `""`; numbers
 * read back as the same numbers; times are floating, `YYYY-MM-DDTHH:MM:SS`.
 */
export function* toCsv(table: ResultTable): Generator<string> {
  const columns = cellColumns(table)
  yield `${columns.map(({ name }) => quoted(name)).join(',')}\r\n`
  for (let from = 0; from < table.numRows; from += ROWS_A_CHUNK) {
    const to = Math.min(from + ROWS_A_CHUNK, table.numRows)
    let chunk = ''
    for (let row = from; row < to; row++) chunk += `${line(columns, row)}\r\n`
    yield chunk
  }
}

function line(columns: readonly CellColumn[], row: number): string {
  return columns
    .map(({ kind, cells }) => {
      const cell = cells[row] ?? null
      const text = textCell(kind, cell, '')
      if (typeof cell !== 'string') return text
      return text === '' ? '""' : quoted(text)
    })
    .join(',')
}

function quoted(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
