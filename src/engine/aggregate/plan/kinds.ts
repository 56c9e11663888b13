/** Finds the kinds of values that a query would mix, and groups by them. See docs/interface/kinds.md. */
import { kindsOf } from '../../../catalogue/kinds.ts'
import type { AggregateFunction } from '../../../catalogue/query-functions.ts'
import { resourceNamed } from '../../../catalogue/resources.ts'
import type { GroupItem, InnerQuery, Query, SelectItem } from '../../../contract/aggregates/aggregate.ts'
import type { TextColumn } from '../../../core/sample.ts'
import type { ColumnRef } from './columns.ts'
import type { GroupKey } from './keys.ts'

/** The parts of a plan that determine which kinds it mixes. */
interface Planned {
  readonly resources: readonly string[]
  readonly aggregates: readonly { readonly func: AggregateFunction; readonly argument: ColumnRef }[]
  readonly keys: readonly GroupKey[]
}

/** Returns the resources of which a plan mixes kinds of values if the data has several. */
export function mixableResources(plan: Planned): readonly string[] {
  return plan.resources.filter(
    resource => kindsOf(resource) !== undefined && usesValue(plan, resource) && !separatesKinds(plan, resource),
  )
}

function usesValue({ aggregates }: Planned, resource: string): boolean {
  return aggregates.some(
    ({ func, argument }) => func.name !== 'count' && originIn(argument, resource)?.kind === 'value',
  )
}

function separatesKinds({ keys }: Planned, resource: string): boolean {
  return keys.some(key => {
    const origin = key.kind === 'column' ? originIn(key.ref, resource) : undefined
    return origin?.kind === 'kind' || (origin?.kind === 'text' && isShownBy(resource, origin.column))
  })
}

/** Returns whether this column alone determines the kind of a sample. */
function isShownBy(resource: string, column: TextColumn): boolean {
  const others = kindsOf(resource)?.others ?? []
  return others.every(({ marks, providers, sourceTypes }) => {
    const isMarked = Object.keys(marks).every(each => each === column)
    return isMarked && providers.length === 0 && sourceTypes.length === 0
  })
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
  const columns = resources.map(name => ({ timeseries: resourceNamed(name)?.queryName ?? name, field: 'kind' }))
  if (query.from === undefined) return { ...query, ...grouped(query, columns) }
  const inner = { ...query.from.query, ...grouped(query.from.query, columns) }
  const outer = columns.map(({ timeseries, field }) => ({ query: `${timeseries}.${field}` }))
  const isList = !query.group_by?.length && !query.select.some(item => 'func' in item)
  const parts = isList ? { select: [...query.select, ...outer] } : grouped(query, outer)
  return { ...query, ...parts, from: { query: inner } }
}

type Column = GroupItem & SelectItem

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
