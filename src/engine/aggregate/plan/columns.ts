/**
 * Resolves the names in a query: table columns, timeseries fields, source columns, the index and value macros. See
 * docs/interface/aggregates.md#aggregates-3.
 */
import type { ColumnType, ElementField, ListColumn, QueryColumn } from '../../../catalogue/query/column.ts'
import { MACRO_TABLE, VALUE_MACROS, type ValueMacro } from '../../../catalogue/query/macros.ts'
import {
  QUERY_RESOURCES,
  QUERY_TABLES,
  queryResource,
  summaryTable,
  TIMESERIES_SOURCE,
  type TimeseriesField,
  timeseriesFields,
  timeseriesLists,
} from '../../../catalogue/query-columns.ts'
import type { TimeseriesResource } from '../../../catalogue/resources.ts'
import { INNER_TABLE } from '../../../contract/aggregates/aggregate.ts'
import type { ServiceError } from '../../../core/errors.ts'
import type { TextPool } from '../scan/text-pool.ts'
import { type Loc, refuse, refuseName } from './refusal.ts'

interface RefBase {
  readonly table: string
  /** The output name: `efficiency`, `glucose`, `blood_pressure.systolic`, `source_type`, `index`, `count.menstrual_flow`. */
  readonly name: string
  readonly type: ColumnType
  /** Unique among the query's columns. Two sub-queries can have the same name. */
  readonly id: string
}

/** Computes a sub-query's scalar from the elements of a list. NaN means null, and a text is represented by its ID in the pool. */
export type ListFold = (elements: readonly unknown[], pool: TextPool) => number

/** A column of the query's table. */
export type ColumnRef =
  | (RefBase & { readonly kind: 'index' })
  | (RefBase & { readonly kind: 'summary'; readonly column: QueryColumn })
  | (RefBase & { readonly kind: 'macro'; readonly macro: ValueMacro })
  /** `resource` is a REST path name. Null means every resource (for a source column). */
  | (RefBase & { readonly kind: 'sample'; readonly resource: string | null; readonly field: TimeseriesField })
  /** A list sub-query. `resource` has the same meaning as for a sample, and is null in a summary table. */
  | (RefBase & {
      readonly kind: 'list'
      readonly resource: string | null
      readonly list: ListColumn
      readonly fold: ListFold
    })
  /** A column of an inner query's result. */
  | (RefBase & { readonly kind: 'inner' })
  /** A field of a list's elements, used in a sub-query's where clause. */
  | (RefBase & { readonly kind: 'element'; readonly field: ElementField })

/** Returns whether two references are to the same column. */
export function sameColumn(a: ColumnRef, b: ColumnRef): boolean {
  return a.kind === b.kind && a.table === b.table && a.id === b.id
}

/** Throws a 422 for an unknown table. */
export function checkTable(table: string, loc: Loc): void {
  if (table === INNER_TABLE) {
    const how = 'Add it as "from": {"query": {"select": …, "group_by": …}}.'
    throw refuse(
      loc,
      `the table query is the result of an inner query, and this query has none. ${how}`,
      'unknown_resource',
    )
  }
  if (!QUERY_TABLES.includes(table)) throw refuseName(loc, 'table', table, QUERY_TABLES, 'unknown_resource')
}

/** Resolves `{index: T}`. */
export function resolveIndex(table: string, loc: Loc): ColumnRef {
  checkTable(table, loc)
  return { kind: 'index', table, name: 'index', id: 'index', type: 'time' }
}

/** Resolves `{sleep: column}` and the equivalents for other tables. */
export function summaryColumn(table: string, name: string, loc: Loc): ColumnRef {
  checkTable(table, loc)
  const known = summaryTable(table)
  const column = known?.columns.find(each => each.name === name)
  if (column) return { kind: 'summary', table, name, id: name, type: column.type, column }
  if (known?.lists.some(each => each.name === name)) throw listStandsAlone(name, loc)
  if (table === MACRO_TABLE && VALUE_MACROS.some(each => each.name === name)) {
    throw refuse(
      loc,
      `${name} is a value macro, not a column. Write {"value_macro": "${name}"}; where cannot read macros.`,
      'unknown_column',
    )
  }
  throw unknownColumn(name, table, listNames(known?.columns ?? []), loc)
}

/** Resolves `{value_macro: name}`. */
export function macroColumn(name: string, table: string, loc: Loc): ColumnRef {
  const macro = VALUE_MACROS.find(each => each.name === name)
  if (!macro) throw refuseName(loc, 'value macro', name, listNames(VALUE_MACROS), 'unknown_column')
  if (table !== MACRO_TABLE) {
    const own = summaryTable(table)?.columns.some(each => each.name === name)
    const instead = own ? `. Write {"${table}": "${name}"} instead.` : ''
    throw refuse(
      loc,
      `value macros are computed from the ${MACRO_TABLE} table, and this query reads ${table}${instead}`,
    )
  }
  return { kind: 'macro', table, name, id: `macro ${name}`, type: macro.type, macro }
}

/** Resolves `{timeseries: resource, field}`. `loc` is the item's path in the body. */
export function timeseriesColumn(resourceName: string, fieldName: string, loc: Loc): ColumnRef {
  return resolveField(timeseriesResource(resourceName, [...loc, 'timeseries']), fieldName, [...loc, 'field'])
}

/** Returns the resource with this name. Throws a 422 if no resource with this name can be queried. */
export function timeseriesResource(name: string, loc: Loc): TimeseriesResource {
  const resource = queryResource(name)
  if (resource) return resource
  if (name === 'hypnogram') {
    const msg =
      'hypnogram is deprecated and cannot be queried. Use the sleep table, which has the length of each stage in seconds.'
    throw refuse(loc, msg, 'unknown_resource')
  }
  const names = QUERY_RESOURCES.map(each => each.queryName)
  throw refuseName(loc, 'timeseries resource', name, names, 'unknown_resource')
}

/** Resolves `{source: column}` for the table that the query reads. */
export function sourceColumn(table: string, name: string, loc: Loc): ColumnRef {
  if (table !== 'timeseries') {
    const known = summaryTable(table)?.columns.filter(each => each.name.startsWith('source_')) ?? []
    const column = known.find(each => each.name === name)
    if (column) return { kind: 'summary', table, name, id: name, type: 'text', column }
    throw unknownColumn(name, table, listNames(known), loc)
  }
  const field = TIMESERIES_SOURCE.find(each => each.name === name)
  if (field) return { kind: 'sample', table, resource: null, name, id: name, type: 'text', field }
  throw unknownColumn(name, table, listNames(TIMESERIES_SOURCE), loc)
}

/**
 * Resolves an identifier in a where clause. In a summary table, it is a column. In the timeseries table, it is a resource name (for the
 * resource's value), `resource.field` or a source column. It can be prefixed with the table name. See
 * docs/interface/aggregates.md#aggregates-5.
 */
export function identifierColumn(table: string, given: string, loc: Loc): ColumnRef {
  const text = withoutTable(table, given, loc)
  if (table !== 'timeseries') return summaryColumn(table, text, loc)
  const source = TIMESERIES_SOURCE.find(each => each.name === text)
  if (source) return sourceColumn(table, text, loc)
  const dot = text.indexOf('.')
  const resource = queryResource(dot === -1 ? text : text.slice(0, dot))
  if (!resource) {
    const names = [...QUERY_RESOURCES.map(each => each.queryName), ...listNames(TIMESERIES_SOURCE)]
    throw refuseName(loc, 'column', text, names, 'unknown_column')
  }
  return resolveField(resource, dot === -1 ? 'value' : text.slice(dot + 1), loc)
}

/** Returns `efficiency` for `sleep.efficiency`. Throws a 422 for a column of another table. */
function withoutTable(table: string, text: string, loc: Loc): string {
  const named = QUERY_TABLES.find(each => text.startsWith(`${each}.`))
  if (named === undefined) return text
  if (named === table) return text.slice(named.length + 1)
  throw refuse(loc, `this query reads ${table}, so its where cannot read a column of ${named}`, 'unknown_column')
}

function resolveField(resource: TimeseriesResource, name: string, loc: Loc): ColumnRef {
  const fields = timeseriesFields(resource)
  const field = fields.find(each => each.name === name)
  if (!field) {
    if (timeseriesLists(resource).some(each => each.name === name)) throw listStandsAlone(name, loc)
    throw unknownColumn(name, resource.queryName, listNames(fields), loc)
  }
  const output = name === 'value' ? resource.queryName : `${resource.queryName}.${name}`
  const base = { table: 'timeseries', name: output, id: output, type: field.type }
  return { kind: 'sample', ...base, resource: resource.name, field }
}

function listStandsAlone(name: string, loc: Loc): ServiceError {
  const how = '{"select": {"func": "count", "arg": null}, "from": {"unnest": …}}'
  return refuse(loc, `${name} is a list, which only a sub-query in select can read: ${how}`, 'unknown_column')
}

function unknownColumn(name: string, table: string, known: readonly string[], loc: Loc): ServiceError {
  return refuseName(loc, `column of ${table}`, name, known, 'unknown_column')
}

function listNames(list: readonly { readonly name: string }[]): readonly string[] {
  return list.map(each => each.name)
}
