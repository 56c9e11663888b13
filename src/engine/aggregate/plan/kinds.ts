/** Finds the kinds of values that a query would mix, and groups by them. See docs/interface/kinds.md. */
import {
  type ColumnKinds,
  columnKinds,
  columnKindsNamed,
  kindColumnName,
  kindField,
  nameOf,
} from '../../../catalogue/column-kinds.ts'
import { kindsOf } from '../../../catalogue/kinds.ts'
import type { AggregateFunction } from '../../../catalogue/query-functions.ts'
import { resourceNamed } from '../../../catalogue/resources.ts'
import type { GroupItem, InnerQuery, Query, SelectItem } from '../../../contract/aggregates/aggregate.ts'
import type { ColumnRef } from './columns.ts'
import type { GroupKey } from './keys.ts'

/** The parts of a plan that determine which kinds it mixes. */
interface Planned {
  readonly table: string
  readonly resources: readonly string[]
  readonly aggregates: readonly { readonly func: AggregateFunction; readonly argument: ColumnRef }[]
  readonly keys: readonly GroupKey[]
}

/**
 * Returns the resources of which a plan mixes kinds of values if the data has several. In a table of summaries, it returns the name of the
 * column, such as `workout.calories`.
 */
export function mixableResources(plan: Planned): readonly string[] {
  const column = columnKinds(plan.table)
  if (column) return usesColumn(plan, column) && !groupsByColumn(plan, kindColumnName(column)) ? [nameOf(column)] : []
  return plan.resources.filter(
    resource => kindsOf(resource) !== undefined && usesValue(plan, resource) && !groupsByKind(plan.keys, resource),
  )
}

/** Returns whether the keys contain the kind of the resource. */
export function groupsByKind(keys: readonly GroupKey[], resource: string): boolean {
  return groupsBy(keys, resource, origin => origin?.kind === 'kind')
}

/** Returns whether a plan groups by a column that can show the kind, so that its groups may separate the kinds. */
export function groupsByMark(plan: Planned, resource: string): boolean {
  if (columnKindsNamed(resource)) return groupsByColumn(plan, 'source_provider')
  const marks = kindsOf(resource)?.others.flatMap(other => Object.keys(other.marks)) ?? []
  return groupsBy(plan.keys, resource, origin => origin?.kind === 'text' && marks.includes(origin.column))
}

function usesColumn({ aggregates }: Planned, { column, functions }: ColumnKinds): boolean {
  return aggregates.some(({ func, argument }) => {
    const isUsed = functions?.includes(func.name) ?? func.name !== 'count'
    return isUsed && argument.kind === 'summary' && argument.name === column
  })
}

function groupsByColumn({ keys }: Planned, name: string): boolean {
  return keys.some(key => key.kind === 'column' && key.ref.kind === 'summary' && key.ref.name === name)
}

function usesValue({ aggregates }: Planned, resource: string): boolean {
  return aggregates.some(
    ({ func, argument }) => func.name !== 'count' && originIn(argument, resource)?.kind === 'value',
  )
}

function groupsBy(
  keys: readonly GroupKey[],
  resource: string,
  isWanted: (origin: ReturnType<typeof originIn>) => boolean,
): boolean {
  return keys.some(key => key.kind === 'column' && isWanted(originIn(key.ref, resource)))
}

/** Returns the origin of a column of the resource, or undefined for other columns. */
function originIn(ref: ColumnRef, resource: string) {
  return ref.kind === 'sample' && ref.resource === resource ? ref.field.origin : undefined
}

/**
 * Returns the query with a group for each kind of the resources, and a column with the kind at the end of the result. The rows of an outer
 * query are divided too.
 */
export function withKindGroups(query: Query, resources: readonly string[]): Query {
  const columns = resources.map(toItem)
  if (query.from === undefined) return { ...query, ...grouped(query, columns) }
  const inner = { ...query.from.query, ...grouped(query.from.query, columns) }
  const outer = resources.map(name => ({ query: outputName(name) }))
  const isList = !query.group_by?.length && !query.select.some(item => 'func' in item)
  const parts = isList ? { select: [...query.select, ...outer] } : grouped(query, outer)
  return { ...query, ...parts, from: { query: inner } }
}

type Column = GroupItem & SelectItem

function toItem(name: string): Column {
  const column = columnKindsNamed(name)
  // a table of summaries is the item's only key
  if (column) return { [column.table]: kindColumnName(column) } as Column
  return { timeseries: resourceNamed(name)?.queryName ?? name, field: 'kind' }
}

/** Returns the name of the added column in the result. */
function outputName(name: string): string {
  const column = columnKindsNamed(name)
  return column ? kindColumnName(column) : kindField(name)
}

function grouped(
  { select, group_by }: InnerQuery,
  columns: readonly Column[],
): Pick<InnerQuery, 'select' | 'group_by'> {
  const keys = group_by ?? []
  // otherwise, `*` would select the added keys too
  const selected = select.flatMap((item): SelectItem[] =>
    'group_key' in item && item.group_key === '*' && keys.length > 0 ? keys.map((_, i) => ({ group_key: i })) : [item],
  )
  return { group_by: [...keys, ...columns], select: [...selected, ...columns] }
}
