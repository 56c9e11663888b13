/**
 * Resolves the forms an item of a query can have: `{sleep: column}`, `{timeseries, field}`, `{index}` and those not
 * built yet.
 */
import { QUERY_TABLES } from '../../catalogue/query-columns.ts'
import { COLUMN_TABLES, type GroupItem, type SelectItem } from '../../contract/aggregate.ts'
import { type ColumnRef, checkTable, indexOf, summaryColumn, timeseriesColumn } from './columns.ts'
import { type Loc, refuse } from './refusal.ts'

export type Argument = Extract<SelectItem, { func: string }>['arg']
type Item = SelectItem | GroupItem
type Plain = Exclude<Item, { func: string } | { group_key: unknown } | { date_trunc: unknown } | { date_part: unknown }>

/**
 * The table that an item names and whether it can be read, or undefined when it names none (a source column, a group
 * key).
 */
export function tableOfItem(item: Item, loc: Loc): string | undefined {
  if ('group_key' in item || 'source' in item) return undefined
  if ('func' in item) return tableOfItem(item.arg, [...loc, 'arg'])
  if ('date_trunc' in item || 'date_part' in item) {
    return 'index' in item.arg ? tableOfItem(item.arg, [...loc, 'arg']) : undefined
  }
  refuseUnbuilt(item, loc)
  const table = namedTable(item)
  if (table !== undefined) checkTable(table, [...loc, 'index' in item ? 'index' : table])
  return table
}

/** The argument of a function. */
export function argumentColumn(argument: Argument, table: string, loc: Loc): ColumnRef {
  if (!('index' in argument)) return plainColumn(argument, table, loc)
  checkSameTable(argument.index, table, [...loc, 'index'])
  return indexOf(table, [...loc, 'index'])
}

/** A table column or a timeseries field. */
export function plainColumn(item: Plain, table: string, loc: Loc): ColumnRef {
  refuseUnbuilt(item, loc)
  const named = namedTable(item) as string
  checkSameTable(named, table, [...loc, named])
  if ('timeseries' in item) return timeseriesColumn(item.timeseries, item.field, loc)
  return summaryColumn(table, (item as Record<string, string>)[named] as string, [...loc, named])
}

/** Refuses an item of another table than the query's. */
export function checkSameTable(named: string, table: string, loc: Loc): void {
  checkTable(named, loc)
  if (named !== table) throw refuse(loc, `one query reads one table, here ${table}; this item names ${named}`)
}

function namedTable(item: Plain): string | undefined {
  if ('index' in item) return item.index
  if ('timeseries' in item) return 'timeseries'
  return COLUMN_TABLES.find(table => table in item)
}

function refuseUnbuilt(item: Plain, loc: Loc): void {
  const available = `available: columns, indexes and functions of ${QUERY_TABLES.join(', ')}`
  if ('value_macro' in item) {
    throw refuse([...loc, 'value_macro'], `value macros are not available in this version; ${available}`)
  }
  if ('from' in item) {
    throw refuse([...loc, 'from'], `sub-queries over lists are not available in this version; ${available}`)
  }
}
