/** Resolves all kinds of query items: `{sleep: column}`, `{timeseries, field}`, `{index}`, macros and sub-queries. */
import { MACRO_TABLE } from '../../../catalogue/query/macros.ts'
import { COLUMN_TABLES, type GroupItem, INNER_TABLE, type SelectItem } from '../../../contract/aggregates/aggregate.ts'
import { type ColumnRef, checkTable, macroColumn, resolveIndex, summaryColumn, timeseriesColumn } from './columns.ts'
import { planSubQuery } from './list-query.ts'
import { type Loc, refuse } from './refusal.ts'

type Item = SelectItem | GroupItem
type Plain = Exclude<Item, { func: string } | { group_key: unknown } | { date_trunc: unknown } | { date_part: unknown }>
/** An item that reads one column: not a function, a group key or a source column. */
export type ColumnItem = Exclude<Plain, { source: string }>

/**
 * Returns an item's table, or undefined if it has none (a source column, a group key or a count of rows). Throws a 422 for an index of an
 * unknown table.
 */
export function tableOfItem(item: Item, loc: Loc): string | undefined {
  if ('group_key' in item || 'source' in item) return undefined
  if ('func' in item) return item.arg === null ? undefined : tableOfItem(item.arg, [...loc, 'arg'])
  if ('date_trunc' in item || 'date_part' in item) {
    return 'index' in item.arg ? tableOfItem(item.arg, [...loc, 'arg']) : undefined
  }
  const table = namedTable(item)
  if ('index' in item) checkTable(table, [...loc, 'index'])
  return table
}

/** Resolves an index, a table column, a timeseries field, a value macro or a sub-query. */
export function columnOfItem(item: ColumnItem, table: string, loc: Loc): ColumnRef {
  if ('value_macro' in item) return macroColumn(item.value_macro, table, [...loc, 'value_macro'])
  const named = namedTable(item)
  if ('from' in item) {
    checkSameTable(named, table, [...loc, 'from', 'unnest', named])
    return planSubQuery(item, table, loc)
  }
  const key = 'index' in item ? 'index' : named
  checkSameTable(named, table, [...loc, key])
  if ('index' in item) return resolveIndex(table, [...loc, 'index'])
  if ('timeseries' in item) return timeseriesColumn(item.timeseries, item.field, loc)
  return summaryColumn(table, (item as Record<string, string>)[named] as string, [...loc, named])
}

/** Throws a 422 for an item from a table that is not the query's table. */
export function checkSameTable(named: string, table: string, loc: Loc): void {
  checkTable(named, loc)
  if (named !== table)
    throw refuse(
      loc,
      `this query reads ${table}, and a query reads one table. Put the item that reads ${named} into another query.`,
    )
}

/** Returns an item's table. */
export function namedTable(item: ColumnItem): string {
  if ('query' in item) return INNER_TABLE
  if ('index' in item) return item.index
  if ('timeseries' in item) return 'timeseries'
  if ('value_macro' in item) return MACRO_TABLE
  if ('from' in item) return 'timeseries' in item.from.unnest ? 'timeseries' : 'menstrual_cycle'
  return COLUMN_TABLES.find(table => table in item) as string
}
