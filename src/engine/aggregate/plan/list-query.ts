/**
 * Resolves a list sub-query, `{"select": {"func", "arg"}, "from": {"unnest": LIST}, "where"}`, which yields one scalar per row. See
 * docs/interface/aggregates.md#aggregates-3.
 */
import type { ElementField, ListColumn } from '../../../catalogue/query/column.ts'
import { summaryTable, timeseriesLists } from '../../../catalogue/query-columns.ts'
import { AGGREGATE_FUNCTIONS, type AggregateFunction, aggregateFunction } from '../../../catalogue/query-functions.ts'
import type { SubQuery } from '../../../contract/aggregates/aggregate.ts'
import { present } from '../../../core/present.ts'
import { listFold } from '../scan/list-fold.ts'
import { type ColumnRef, timeseriesResource } from './columns.ts'
import { type Loc, refuse, refuseName } from './refusal.ts'
import { type Predicate, parseWhere } from './where.ts'

/** Functions that apply to lists. Elements have no index, so oldest and newest are excluded. */
const LIST_FUNCTIONS: readonly AggregateFunction[] = AGGREGATE_FUNCTIONS.filter(
  ({ name }) => name !== 'oldest' && name !== 'newest',
)

/**
 * Returns the column that a sub-query adds to the query's table. `loc` is the sub-query's path in the body. Throws a 422 for the invalid
 * part.
 */
export function planSubQuery(item: SubQuery, table: string, loc: Loc): ColumnRef {
  const { resource, list } = unnested(item, [...loc, 'from', 'unnest'])
  const func = parseFunction(item.select.func, [...loc, 'select', 'func'])
  const field = resolveField(item, func, list, [...loc, 'select', 'arg'])
  checkType(func, field, list, [...loc, 'select', 'func'])
  const where = typeof item.where === 'string' ? parseCondition(item.where, table, list, [...loc, 'where']) : null
  return {
    kind: 'list',
    table,
    name: [func.name, list.name, ...(field ? [field.name] : [])].join('.'),
    id: JSON.stringify([func.name, list.name, field?.name, item.where]),
    type: func.gives === 'same' ? (field as ElementField).type : func.gives,
    resource,
    list,
    fold: listFold(func.name, field, where),
  }
}

/** Returns the list in `{menstrual_cycle: LIST}` or `{timeseries: "note", field: "tags"}`. */
function unnested({ from }: SubQuery, loc: Loc): { readonly resource: string | null; readonly list: ListColumn } {
  const item = from.unnest
  if ('timeseries' in item) {
    const resource = timeseriesResource(item.timeseries, [...loc, 'timeseries'])
    const lists = timeseriesLists(resource)
    return { resource: resource.name, list: listNamed(item.field, lists, resource.queryName, [...loc, 'field']) }
  }
  const lists = summaryTable('menstrual_cycle')?.lists ?? []
  return {
    resource: null,
    list: listNamed(item.menstrual_cycle, lists, 'menstrual_cycle', [...loc, 'menstrual_cycle']),
  }
}

function listNamed(name: string, lists: readonly ListColumn[], of: string, loc: Loc): ListColumn {
  const list = lists.find(each => each.name === name)
  if (list) return list
  if (lists.length === 0)
    throw refuse(loc, `${of} has no list. The only timeseries with a list is note, with tags.`, 'unknown_column')
  const names = lists.map(each => each.name)
  throw refuseName(loc, `list of ${of}`, name, names, 'unknown_column')
}

function parseFunction(name: string, loc: Loc): AggregateFunction {
  const func = aggregateFunction(name)
  if (func && LIST_FUNCTIONS.includes(func)) return func
  const names = LIST_FUNCTIONS.map(each => each.name)
  if (func) {
    throw refuse(
      loc,
      `${name} does not apply to a list, because its elements have no index. Allowed: ${names.join(', ')}`,
    )
  }
  throw refuseName(loc, 'list function', name, names, 'invalid_request')
}

/** Returns the field that the function reads from each element. Null means the element itself, which can only be counted. */
function resolveField(
  { select: { arg } }: SubQuery,
  func: AggregateFunction,
  list: ListColumn,
  loc: Loc,
): ElementField | null {
  const example =
    list.elements === 'scalar' ? '{"element": true}' : `{"field_for": "menstrual_cycle", "${list.name}": …}`
  if (arg === null) {
    if (func.name === 'count') return null
    throw refuse(loc, `null counts elements, which only count does. For ${func.name}, write ${example}`)
  }
  if ('element' in arg) {
    if (list.elements === 'scalar') return present(list.fields[0], 'the only field of a list')
    throw refuse([...loc, 'element'], `the elements of ${list.name} have fields. Write ${example}`)
  }
  if (arg.field_for !== 'menstrual_cycle' || list.elements === 'scalar') {
    throw refuse([...loc, 'field_for'], `must fit the elements of ${list.name}. Write ${example}`)
  }
  const named = Object.keys(arg).filter(key => key !== 'field_for')
  const strange = named.find(key => key !== list.name)
  if (strange !== undefined || named.length === 0) {
    throw refuse(
      strange === undefined ? loc : [...loc, strange],
      `must name the list that is unnested, ${list.name}. Write ${example}`,
    )
  }
  return elementField(present(arg[list.name], 'the field'), list, [...loc, list.name])
}

function elementField(name: string, list: ListColumn, loc: Loc): ElementField {
  const field = list.fields.find(each => each.name === name)
  if (field) return field
  const names = list.fields.map(each => each.name)
  throw refuseName(loc, `field of ${list.name}`, name, names, 'unknown_column')
}

/**
 * Returns whether a function applies to a field. Texts also have a minimum and a maximum, by code unit as in `where`; otherwise, tags could
 * only be counted.
 */
function takes({ name, takes: types }: AggregateFunction, field: ElementField): boolean {
  return types.includes(field.type) || (field.type === 'text' && (name === 'min' || name === 'max'))
}

function checkType(func: AggregateFunction, field: ElementField | null, list: ListColumn, loc: Loc): void {
  if (field === null || takes(func, field)) return
  const fitting = LIST_FUNCTIONS.filter(each => takes(each, field)).map(each => each.name)
  const what = `${func.name} does not apply to ${list.name}.${field.name}, a field of type ${field.type}`
  throw refuse(loc, `${what}. Allowed: ${fitting.join(', ')}`)
}

/** Parses the where clause. Its identifiers are fields of the list's elements, optionally prefixed with the list name. */
function parseCondition(text: string, table: string, list: ListColumn, loc: Loc): Predicate {
  return parseWhere(
    text,
    name => {
      const owner = [list.name, `${table}.${list.name}`].find(each => name.startsWith(`${each}.`))
      const field = elementField(owner === undefined ? name : name.slice(owner.length + 1), list, loc)
      return { kind: 'element', table, name, id: name, type: field.type, field }
    },
    loc,
  )
}
