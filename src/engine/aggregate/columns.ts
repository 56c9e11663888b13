/**
 * What the names in a query stand for: table columns, timeseries fields, source columns and the index (interface-gaps
 * 4.9).
 */
import {
  type ColumnType,
  LATER_TABLES,
  QUERY_RESOURCES,
  QUERY_TABLES,
  type QueryColumn,
  queryResource,
  summaryTable,
  TIMESERIES_SOURCE,
  type TimeseriesField,
  timeseriesFields,
} from '../../catalogue/query-columns.ts'
import type { TimeseriesResource } from '../../catalogue/resources.ts'
import { type Loc, refuse, refuseName } from './refusal.ts'

interface RefBase {
  readonly table: string
  /** The output name: `efficiency`, `glucose`, `blood_pressure.systolic`, `source_type`, `index`. */
  readonly name: string
  readonly type: ColumnType
}

/** A column of the query's table. */
export type ColumnRef =
  | (RefBase & { readonly kind: 'index' })
  | (RefBase & { readonly kind: 'summary'; readonly column: QueryColumn })
  /** `resource` is a REST path name; null is every resource (a source column). */
  | (RefBase & { readonly kind: 'sample'; readonly resource: string | null; readonly field: TimeseriesField })

/** Whether two references mean the same column. */
export function sameColumn(a: ColumnRef, b: ColumnRef): boolean {
  return a.kind === b.kind && a.table === b.table && a.name === b.name
}

/** Throws a 422 for a table that does not exist or is not built yet. */
export function checkTable(table: string, loc: Loc): void {
  if (QUERY_TABLES.includes(table)) return
  if ((LATER_TABLES as readonly string[]).includes(table)) {
    throw refuse(loc, `the table "${table}" cannot be queried in this version; available: ${QUERY_TABLES.join(', ')}`)
  }
  throw refuseName(loc, 'table', table, QUERY_TABLES, 'unknown_resource')
}

/** `{index: T}`. */
export function indexOf(table: string, loc: Loc): ColumnRef {
  checkTable(table, loc)
  return { kind: 'index', table, name: 'index', type: 'time' }
}

/** `{sleep: column}` and its like. */
export function summaryColumn(table: string, name: string, loc: Loc): ColumnRef {
  checkTable(table, loc)
  const columns = summaryTable(table)?.columns ?? []
  const column = columns.find(each => each.name === name)
  if (!column)
    throw unknownColumn(
      name,
      table,
      columns.map(each => each.name),
      loc,
    )
  return { kind: 'summary', table, name, type: column.type, column }
}

/** `{timeseries: resource, field}`; `loc` is the item's. */
export function timeseriesColumn(resourceName: string, fieldName: string, loc: Loc): ColumnRef {
  const resource = queryResource(resourceName)
  if (!resource) throw unknownResource(resourceName, [...loc, 'timeseries'])
  return fieldOf(resource, fieldName, [...loc, 'field'])
}

/** `{source: column}` of the table the query reads. */
export function sourceColumn(table: string, name: string, loc: Loc): ColumnRef {
  if (table !== 'timeseries') {
    const known = summaryTable(table)?.columns.filter(each => each.name.startsWith('source_')) ?? []
    const column = known.find(each => each.name === name)
    if (column) return { kind: 'summary', table, name, type: 'text', column }
    throw unknownColumn(
      name,
      table,
      known.map(each => each.name),
      loc,
    )
  }
  const field = TIMESERIES_SOURCE.find(each => each.name === name)
  if (field) return { kind: 'sample', table, resource: null, name, type: 'text', field }
  throw unknownColumn(
    name,
    table,
    TIMESERIES_SOURCE.map(each => each.name),
    loc,
  )
}

/**
 * An identifier of a where clause: a bare column of a summary table; in the timeseries table a resource's name for its
 * value, `resource.field`, or a source column (interface-gaps, decisions).
 */
export function identifierColumn(table: string, text: string, loc: Loc): ColumnRef {
  if (table !== 'timeseries') return summaryColumn(table, text, loc)
  const source = TIMESERIES_SOURCE.find(each => each.name === text)
  if (source) return sourceColumn(table, text, loc)
  const dot = text.indexOf('.')
  const resourceName = dot === -1 ? text : text.slice(0, dot)
  const resource = queryResource(resourceName)
  if (!resource) {
    const names = [...QUERY_RESOURCES.map(each => each.queryName), ...TIMESERIES_SOURCE.map(each => each.name)]
    throw refuseName(loc, 'column', text, names, 'unknown_column')
  }
  return fieldOf(resource, dot === -1 ? 'value' : text.slice(dot + 1), loc)
}

function fieldOf(resource: TimeseriesResource, name: string, loc: Loc): ColumnRef {
  const fields = timeseriesFields(resource)
  const field = fields.find(each => each.name === name)
  if (!field)
    throw unknownColumn(
      name,
      resource.queryName,
      fields.map(each => each.name),
      loc,
    )
  const output = name === 'value' ? resource.queryName : `${resource.queryName}.${name}`
  return { kind: 'sample', table: 'timeseries', resource: resource.name, name: output, type: field.type, field }
}

function unknownResource(name: string, loc: Loc) {
  if (name === 'hypnogram') {
    return refuse(
      loc,
      'hypnogram is deprecated and cannot be queried; the sleep table has its stages in seconds',
      'unknown_resource',
    )
  }
  return refuseName(
    loc,
    'timeseries resource',
    name,
    QUERY_RESOURCES.map(each => each.queryName),
    'unknown_resource',
  )
}

function unknownColumn(name: string, table: string, known: readonly string[], loc: Loc) {
  if (name === 'tags')
    return refuse(loc, 'tags is a list, and lists cannot be queried in this version', 'unknown_column')
  return refuseName(loc, `column of ${table}`, name, known, 'unknown_column')
}
