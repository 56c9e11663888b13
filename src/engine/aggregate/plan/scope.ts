/** Resolves the names in a query, which are columns of a stored table or of an inner query's result. */
import type { ColumnType } from '../../../catalogue/query/column.ts'
import { type GroupItem, INNER_TABLE, type SelectItem } from '../../../contract/aggregates/aggregate.ts'
import type { ResultType } from '../result.ts'
import { type ColumnRef, identifierColumn, sourceColumn } from './columns.ts'
import { columnOfItem, namedTable } from './items.ts'
import { type Loc, refuse, refuseName } from './refusal.ts'

/** An item that represents one column of a row: not a function, a group key or a bucket. */
export type ScopeItem = Exclude<
  SelectItem | GroupItem,
  { func: string } | { group_key: unknown } | { date_trunc: unknown } | { date_part: unknown }
>

/** The table that a query reads. */
export interface Scope {
  readonly table: string
  /** Resolves an item at `loc`. Throws a 422 for an unknown column or a column of another table. */
  column(item: ScopeItem, loc: Loc): ColumnRef
  /** Resolves an identifier in a where clause at `loc`. */
  identifier(name: string, loc: Loc): ColumnRef
}

/** Returns the scope of a stored table. */
export function tableScope(table: string): Scope {
  return {
    table,
    column: (item, loc) =>
      'source' in item ? sourceColumn(table, item.source, [...loc, 'source']) : columnOfItem(item, table, loc),
    identifier: (name, loc) => identifierColumn(table, name, loc),
  }
}

/** A column of an inner query's result. */
export interface InnerColumn {
  readonly name: string
  readonly type: ResultType
}

/** Returns the scope of an inner query's result. Its index is the bucket start. */
export function innerScope(columns: readonly InnerColumn[]): Scope {
  const named = (name: string, loc: Loc): ColumnRef => {
    const column = columns.find(each => each.name === name)
    const names = columns.map(each => each.name)
    if (column === undefined) throw refuseName(loc, 'column of the inner query', name, names, 'unknown_column')
    return { kind: 'inner', table: INNER_TABLE, name, id: `inner ${name}`, type: columnType(column, loc) }
  }
  return {
    table: INNER_TABLE,
    column(item, loc) {
      if ('query' in item) return named(item.query, [...loc, 'query'])
      if ('index' in item && item.index === INNER_TABLE) {
        return { kind: 'index', table: INNER_TABLE, name: 'index', id: 'index', type: 'time' }
      }
      const what = 'source' in item ? 'a source column' : `the table ${namedTable(item)}`
      const how = `It can use {"query": COLUMN} with ${columns.map(each => each.name).join(', ')}, and {"index": "query"}.`
      throw refuse(loc, `a query with an inner query reads only its result, and not ${what}. ${how}`)
    },
    identifier: (name, loc) =>
      named(name.startsWith(`${INNER_TABLE}.`) ? name.slice(INNER_TABLE.length + 1) : name, loc),
  }
}

function columnType({ name, type }: InnerColumn, loc: Loc): ColumnType {
  if (type === 'int8' || type === 'int16') return 'int'
  if (type !== 'time_of_day') return type
  throw refuse(
    loc,
    `${name} is a time of day, which an outer query cannot read. Take the mean of times without an inner query.`,
  )
}
