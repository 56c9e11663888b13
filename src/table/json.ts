/** Writes result tables column by column, as in a JSON response. */
import { formatDate, formatFloating, formatTimeOfDay } from '../core/time.ts'
import type { TextStyle } from './cell-bytes.ts'
import type { Cell, CellKind } from './cells.ts'
import { plainCells } from './plain-cells.ts'
import { list } from './rows-bytes.ts'
import type { ResultTable } from './table.ts'

/** Style that writes cells as JSON.stringify writes the result of `toColumns`. */
export const JSON_STYLE: TextStyle = {
  null: 'null',
  quote: '"',
  text: text => JSON.stringify(text),
  negativeZero: '0',
  infinite: () => 'null',
}

/**
 * Returns `{column: [...]}`: floating times without an offset, 64-bit integers as numbers, nulls as null. See
 * docs/interface/aggregates.md#aggregates-9.
 */
export function toColumns(table: ResultTable): Record<string, Cell[]> {
  const lists = plainCells(table)
  for (const [i, { kind }] of table.columns.entries()) {
    const format = FORMATS[kind]
    if (format === undefined) continue
    const cells = lists[i] ?? []
    for (let row = 0; row < cells.length; row++) {
      const cell = cells[row]
      if (typeof cell === 'number') cells[row] = format(cell)
    }
  }
  return Object.fromEntries(table.columns.map(({ name }, i) => [name, lists[i] ?? []]))
}

const FORMATS: Readonly<Partial<Record<CellKind, (ms: number) => string>>> = {
  time: formatFloating,
  time_of_day: formatTimeOfDay,
  date: formatDate,
}

/**
 * Yields the text of the whole response, `{"results":[{"table":…}]}`, in pieces, with the same bytes as JSON.stringify produces from
 * `toColumns`.
 */
export function* jsonPieces(
  tables: readonly ResultTable[],
  /** Returns what is beside the table at this position, as JSON of an object, or null. */
  beside: (table: number) => object | null = () => null,
): Generator<Uint8Array> {
  let text = '{"results":['
  for (const [n, table] of tables.entries()) {
    text += `${n === 0 ? '' : ','}{"table":{`
    for (const [i, column] of table.columns.entries()) {
      yield Buffer.from(`${text}${i === 0 ? '' : ','}${JSON.stringify(column.name)}:[`)
      yield* list(column, JSON_STYLE)
      text = ']'
    }
    const more = beside(n)
    text += more === null ? '}}' : `},${JSON.stringify(more).slice(1)}`
  }
  yield Buffer.from(`${text}]}`)
}
