/**
 * Writes a table as lines, or a column as a list, one piece at a time. Only the current piece is held as text. Reads by index are
 * unchecked (`as number`), because the loops are hot and stay in range.
 */
import { type CellRun, ColumnText, type TextStyle } from './cell-bytes.ts'
import type { CellKind } from './cells.ts'
import { type ColumnValues, columnBatches, columnTypes } from './columns.ts'
import type { ResultTable } from './table.ts'

/** Approximate size of a piece: large enough to cost nothing, small enough for a pipe. */
const PIECE_BYTES = 256 * 1024

/** The text before the cell of each column, and after the last cell. */
export interface LineFrame {
  readonly before: readonly string[]
  readonly end: string
}

/** Yields the lines of all rows. */
export function* lines(table: ResultTable, style: TextStyle, { before, end }: LineFrame): Generator<Uint8Array> {
  const kinds = columnTypes(table).map(({ kind }) => kind)
  const behind = Buffer.from(end)
  for (const { length, columns } of columnBatches(table)) {
    const texts = columns.map((column, i) => new ColumnText(kinds[i] as CellKind, column, style, before[i] as string))
    const step = texts.reduce((least, { rows }) => Math.min(least, rows), length)
    yield* collected(
      (function* () {
        for (let from = 0; from < length; from += step) {
          const to = Math.min(length, from + step)
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
}

/** Yields the cells of one column, separated by commas. */
export function* list(table: ResultTable, index: number, style: TextStyle): Generator<Uint8Array> {
  const kind = columnTypes(table)[index]?.kind as CellKind
  let isFirst = true
  for (const { length, columns } of columnBatches(table)) {
    const text = new ColumnText(kind, columns[index] as ColumnValues, style, ',')
    for (let from = 0; from < length; from += text.rows) {
      const to = Math.min(length, from + text.rows)
      text.write(from, to)
      yield text.run.bytes.slice(isFirst ? 1 : 0, text.run.ends[to - from - 1])
      isFirst = false
    }
  }
}

/** Joins the cells of each row. */
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
