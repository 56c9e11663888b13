/** Small results with every kind of column, nulls in each, and the same without rows. */
import { type BuiltColumn, buildTable } from '../../src/table/build-table.ts'
import type { Cell, CellKind } from '../../src/table/cells.ts'

export const day = (text: string): number => Date.parse(`${text}T00:00:00Z`)

const column = (name: string, kind: CellKind, ...cells: Cell[]): BuiltColumn => ({ name, kind, cells })
/** Dates are days since 1970. */
const date = (text: string): number => day(text) / 86_400_000

/** Returns three rows: a full one, one of nulls, one of texts that need quoting. */
export function everyKind() {
  return buildTable(
    [
      column('index', 'time', day('2024-12-11'), day('2024-12-12'), day('2024-12-13')),
      column('date', 'date', date('2024-12-11'), date('2024-12-12'), date('2024-12-13')),
      column('steps', 'int64', 9007199254740991, null, -3),
      column('calories_total', 'float', 0.1 + 0.2, null, 1e-300),
      column('time_zone', 'text', 'Europe/Berlin', null, 'a "b",\r\nc'),
      column('wheelchair_use', 'bool', true, null, false),
    ],
    3,
  )
}

export function noRows() {
  return buildTable(
    [
      column('index', 'time'),
      column('date', 'date'),
      column('steps', 'int64'),
      column('calories_total', 'float'),
      column('time_zone', 'text'),
      column('wheelchair_use', 'bool'),
    ],
    0,
  )
}

/** Returns a grouped result: two keys, a mean, a count. */
export function grouped() {
  return buildTable(
    [
      column('group_key.0', 'time', day('2024-12-12'), day('2024-12-13')),
      column('group_key.1', 'int8', 4, 5),
      column('mean.efficiency', 'float', 90, 91),
      column('count.index', 'int64', 1, 2),
    ],
    2,
  )
}

/** Returns n rows; enough of them make a renderer work in several chunks. */
export function manyRows(n: number) {
  return buildTable(
    [
      { name: 'steps', kind: 'float', cells: Array.from({ length: n }, (_, i) => i / 10) },
      { name: 'every_third', kind: 'int64', cells: Array.from({ length: n }, (_, i) => (i % 3 === 0 ? i : null)) },
      { name: 'nothing', kind: 'text', cells: new Array(n).fill(null) },
    ],
    n,
  )
}

/** Returns texts that a spreadsheet would treat as formulas, and negative numbers. */
export function formulas() {
  const texts = ['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '\rx', 'a=1', '']
  return buildTable(
    [
      { name: 'text', kind: 'text', cells: texts },
      { name: 'number', kind: 'float', cells: texts.map((_, i) => -i - 0.5) },
    ],
    texts.length,
  )
}
