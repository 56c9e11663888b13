/** Finds the kinds of a summary column's values. See docs/interface/kinds.md#kinds-5. */
import { type ColumnKinds, columnKind, columnKinds } from '../../../catalogue/column-kinds.ts'
import type { ColumnRef } from '../plan/columns.ts'
import { type BlockColumn, NO_KIND, type RowKinds } from './block.ts'

/** Where a row's values come from. */
export interface ValueOrigin {
  readonly provider: string
  /** Providers of values that a merge filled from other sources, by column or group of columns. */
  readonly suppliers?: ReadonlyMap<string, string>
}

/** Returns the kinds of a table's column if the query uses the column, otherwise null. `refs` contains all columns that the query uses. */
export function usedColumnKinds(table: string, refs: readonly ColumnRef[]): ColumnKinds | null {
  const kinds = columnKinds(table)
  return kinds && refs.some(ref => ref.kind === 'summary' && ref.name === kinds.column) ? kinds : null
}

/** Returns the kind of a row's value. A merge may have filled it from another provider than that of the row. */
export function kindOfRow(kinds: ColumnKinds, { provider, suppliers }: ValueOrigin): string {
  return columnKind(kinds, suppliers?.get(kinds.column) ?? provider).name
}

/** Returns the kinds of the rows' values. Rows without a value have none. */
export function columnRowKinds(kinds: ColumnKinds, rows: readonly ValueOrigin[], values: BlockColumn): RowKinds {
  const names = [kinds.usual, ...kinds.others].map(({ name }) => name)
  const codes = Uint8Array.from(rows, (row, i) =>
    Number.isNaN(values[i]) ? names.length : names.indexOf(kindOfRow(kinds, row)),
  )
  return { names: [...names, NO_KIND], codes }
}
