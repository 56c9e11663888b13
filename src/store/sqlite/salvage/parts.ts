/** Lists rows that depend on another row. */
import { TABLES } from '../../tables/catalogue.ts'
import type { Need } from '../../tables/table.ts'

export interface SalvagePart {
  readonly table: string
  /** SQL condition that is true for rows whose owner was lost. */
  readonly condition: string
  /** SQL expression for a text that describes the position. */
  readonly label: string
  readonly reason: string
}

function lost(table: string, { table: owner, by, unlessNull }: Need): string {
  const same = by.map(name => `owner.${name}=${table}.${name}`).join(' AND ')
  const missing = `NOT EXISTS (SELECT 1 FROM ${owner} AS owner WHERE ${same})`
  return unlessNull === undefined ? missing : `${unlessNull} IS NOT NULL AND ${missing}`
}

/** Result rows whose cells do not match the query that defines them. */
const OTHER_CELLS: SalvagePart = {
  table: 'continuous_row',
  condition: `json_array_length(cells)<>(SELECT json_array_length(definition, '$.columns') FROM continuous_query AS query
    WHERE query.query_id=continuous_row.query_id)`,
  label: "'continuous query '||query_id",
  reason: "the number of their cells differs from the query's",
}

/** Dependent rows in table order, because an event may be removed with its series, and a delivery with its event. */
export const PARTS: readonly SalvagePart[] = [
  ...TABLES.flatMap(({ name: table, needs = [] }) =>
    needs.map(need => ({ table, condition: lost(table, need), label: need.label, reason: need.reason })),
  ),
  OTHER_CELLS,
]
