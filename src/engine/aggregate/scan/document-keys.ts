/** Which keys of summary documents a query needs: what is parsed and not needed is let go at once. */
import type { QueryColumn, SummaryTable } from '../../../catalogue/query/column.ts'
import { SLEEP } from '../../../catalogue/query/sleep.ts'
import type { ColumnRef } from '../plan/columns.ts'

/** Columns of a night that macros are computed of. */
const NIGHT = [
  'session_start',
  'session_end',
  'stage_asleep_second',
  'stage_deep_second',
  'stage_rem_second',
  'efficiency',
  'latency_second',
]

/** The top-level keys of the documents of a table that the columns (all that the query names) are made of. */
export function documentKeys({ index }: SummaryTable, refs: readonly ColumnRef[]): readonly string[] {
  const keys = new Set<string>(index.kind === 'document_date' ? [index.key] : [])
  for (const ref of refs) {
    if (ref.kind === 'summary') for (const key of keysOf(ref.column)) keys.add(key)
    if (ref.kind === 'list') keys.add(ref.list.name)
    if (ref.kind !== 'macro') continue
    // hypnograms are matched to nights by more than their columns
    keys.add('bedtime_start')
    for (const column of SLEEP.columns) {
      if (NIGHT.includes(column.name)) for (const key of keysOf(column)) keys.add(key)
    }
  }
  return [...keys]
}

function keysOf({ origin }: QueryColumn): readonly string[] {
  switch (origin.kind) {
    case 'document':
    case 'local_time':
    case 'told':
      return [origin.path[0] as string]
    case 'sum':
    case 'first':
      return origin.paths.map(path => path[0] as string)
    default:
      return []
  }
}
