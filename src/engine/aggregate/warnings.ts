/** Warnings about a result: what it does not show by itself. See docs/interface/merging.md#merging-8. */
import type { QueryWarning } from '../../contract/aggregates/warnings.ts'
import type { Executed } from './execute.ts'
import type { SourceOrder } from './functions/priority.ts'

/** Returns the warnings about the query at this position in the request. */
export function warningsAbout(
  { plan, groups, candidates, merge }: Executed,
  order: SourceOrder,
  query: number,
): readonly QueryWarning[] {
  if (merge) {
    return [...merge.emptyTotals].map(([resource, totals]) => ({
      code: 'totals_without_value',
      query,
      resource,
      totals,
    }))
  }
  if (plan.keys.length === 0 || plan.aggregates.length === 0) return []
  return candidates.leftOut(groups.count, order).map(({ resource, ...counts }) => ({
    code: 'sources_left_out',
    query,
    resource: resource ?? plan.table,
    ...counts,
  }))
}
