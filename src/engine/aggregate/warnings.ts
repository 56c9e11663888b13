/** Builds warnings about what a result alone does not show. See docs/interface/merging.md#merging-8. */
import type { QueryWarning } from '../../contract/aggregates/warnings.ts'
import type { Executed } from './execute.ts'
import type { SourceOrder } from './functions/priority.ts'
import type { ColumnRef } from './plan/columns.ts'
import type { Plan } from './plan/plan.ts'

/** Returns the warnings about the query at this position in the request. */
export function warningsAbout(executed: Executed, order: SourceOrder, query: number): readonly QueryWarning[] {
  if (executed.plan.aggregates.length === 0) return []
  return [...aboutSources(executed, order, query), ...aboutKinds(executed, order, query)]
}

function aboutSources(
  { plan, groups, candidates, merge }: Executed,
  order: SourceOrder,
  query: number,
): readonly QueryWarning[] {
  if (merge) {
    if (merge.naps > 0) return [{ code: 'naps_left_out', query, resource: plan.table, naps: merge.naps }]
    return [...merge.emptyTotals].map(([resource, totals]) => ({
      code: 'totals_without_value',
      query,
      resource,
      totals,
    }))
  }
  if (plan.keys.length === 0) return []
  return candidates.leftOut(groups.count, order).map(({ resource, ...counts }) => ({
    code: 'sources_left_out',
    query,
    resource: resource ?? plan.table,
    ...counts,
  }))
}

/** Warns if a function used several kinds of values. See docs/interface/kinds.md#kinds-2. */
function aboutKinds(
  { plan, groups, candidates }: Executed,
  order: SourceOrder,
  query: number,
): readonly QueryWarning[] {
  const used = candidates.usedKinds(groups.count, plan.keys.length === 0 ? null : order)
  return [...used].flatMap(([resource, counts]) => {
    if (counts.size < 2 || !usesValue(plan, resource) || separatesKinds(plan, resource)) return []
    const kinds = [...counts].map(([kind, samples]) => ({ kind, samples })).sort((a, b) => b.samples - a.samples)
    return [{ code: 'mixed_kinds', query, resource, kinds }]
  })
}

function usesValue({ aggregates }: Plan, resource: string): boolean {
  return aggregates.some(
    ({ func, argument }) => func.name !== 'count' && originIn(argument, resource)?.kind === 'value',
  )
}

function separatesKinds({ keys }: Plan, resource: string): boolean {
  return keys.some(key => {
    const origin = key.kind === 'column' ? originIn(key.ref, resource) : undefined
    return origin?.kind === 'kind' || (origin?.kind === 'text' && origin.column === 'type')
  })
}

/** Returns the origin of a column of the resource, or undefined for other columns. */
function originIn(ref: ColumnRef, resource: string) {
  return ref.kind === 'sample' && ref.resource === resource ? ref.field.origin : undefined
}
