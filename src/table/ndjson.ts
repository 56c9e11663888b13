/** Writes a result table as newline-delimited JSON: one object per row. */

import { JSON_STYLE } from './json.ts'
import { lines } from './rows-bytes.ts'
import type { ResultTable } from './table.ts'

/** Yields one line per row, in pieces. `query` is the query's number if there are several; it becomes the first key of each object. */
export function* ndjsonPieces(table: ResultTable, query?: number): Generator<Uint8Array> {
  const first = query === undefined ? '{' : `{"query":${query},`
  const before = table.columns.map(({ name }, i) => `${i === 0 ? first : ','}${JSON.stringify(name)}:`)
  yield* lines(table, JSON_STYLE, { before, end: '}\n' })
}
