/**
 * Writes a table as lines, or a column as a list, one piece at a time. Only the current piece is in memory as text. Reads by index are
 * unchecked (`as number`), because the loops are hot and stay in range.
 */
import { type CellRun, ColumnText, type TextStyle } from './cell-bytes.ts'
import type { ResultTable, TableColumn } from './table.ts'

/** Approximate size of a piece: large enough to keep the overhead low, and small enough for a pipe. */
const PIECE_BYTES = 256 * 1024

/** The text before each column's cell, and after the last cell. */
export interface LineFrame {
  readonly before: readonly string[]
  readonly end: string
}

/** Yields the lines of all rows. */
export function lines({ numRows, columns }: ResultTable, style: TextStyle, frame: LineFrame): Generator<Uint8Array> {
  const behind = Buffer.from(frame.end)
  const texts = columns.map((column, i) => new ColumnText(column, style, frame.before[i] as string))
  const step = texts.reduce((least, { rows }) => Math.min(least, rows), numRows)
  return collected(
    (function* () {
      for (let from = 0; from < numRows; from += step) {
        const to = Math.min(numRows, from + step)
        for (const text of texts) text.write(from, to)
        yield interleaved(
          texts.map(({ run }) => run),
          to - from,
          behind,
        )
      }
    })(),
  )
}

/** Yields the cells of one column, separated by commas. */
export function* list(column: TableColumn, style: TextStyle): Generator<Uint8Array> {
  const { length } = column
  const text = new ColumnText(column, style, ',')
  for (let from = 0; from < length; from += text.rows) {
    const to = Math.min(length, from + text.rows)
    text.write(from, to)
    yield text.run.bytes.slice(from === 0 ? 1 : 0, text.run.ends[to - from - 1])
  }
}

/** Joins each row's cells. */
function interleaved(runs: readonly CellRun[], rows: number, behind: Uint8Array): Uint8Array {
  const size = runs.reduce((sum, { ends }) => sum + (ends[rows - 1] as number), rows * behind.length)
  const piece = new Uint8Array(size)
  let at = 0
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < runs.length; i++) {
      const { bytes, ends } = runs[i] as CellRun
      const end = ends[row] as number
      for (let from = row === 0 ? 0 : (ends[row - 1] as number); from < end; from++) piece[at++] = bytes[from] as number
    }
    for (let i = 0; i < behind.length; i++) piece[at++] = behind[i] as number
  }
  return piece
}

/** Joins short pieces into longer ones. */
function* collected(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let size = 0
  for (const piece of pieces) {
    waiting.push(piece)
    size += piece.length
    if (size < PIECE_BYTES) continue
    yield Buffer.concat(waiting)
    waiting = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(waiting)
}
