/** A result table as newline-delimited JSON: an object a row. */
import { cellColumns, jsonCell } from './cells.ts'
import type { ResultTable } from './table.ts'

/** One line a row, keys in the order of the columns, values as in the JSON answer; each line ends with `\n`. */
export function* toNdjson(table: ResultTable): Generator<string> {
  const columns = cellColumns(table)
  const keys = columns.map(({ name }) => JSON.stringify(name))
  for (let row = 0; row < table.numRows; row++) {
    const fields = columns.map(({ kind, cells }, i) => {
      return `${keys[i]}:${JSON.stringify(jsonCell(kind, cells[row] ?? null))}`
    })
    yield `{${fields.join(',')}}\n`
  }
}
