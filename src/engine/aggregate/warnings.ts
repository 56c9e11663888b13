/** Builds warnings about what a result alone does not show. See docs/interface/merging.md#merging-8. */
import { columnKindsNamed, kindField } from '../../catalogue/column-kinds.ts'
import { resourceNamed } from '../../catalogue/resources.ts'
import type { QueryWarning } from '../../contract/aggregates/warnings.ts'
import { formatCount, listText } from '../../core/text.ts'
import type { Executed } from './execute.ts'
import type { SourceOrder } from './functions/priority.ts'
import { implausibleSamples } from './implausible.ts'
import { groupsByMark, mixableResources } from './plan/kinds.ts'
import { type Loc, refuse } from './plan/refusal.ts'

type MixedKinds = Extract<QueryWarning, { code: 'mixed_kinds' }>

/** Returns the warnings about the query at this position in the request. */
export function warningsAbout(executed: Executed, order: SourceOrder, query: number): readonly QueryWarning[] {
  if (executed.plan.aggregates.length === 0) return []
  return [
    ...aboutSources(executed, order, query),
    ...aboutKinds(executed, order, query),
    ...aboutImplausible(executed, order, query),
  ]
}

function aboutSources(
  { plan, groups, candidates, merge }: Executed,
  order: SourceOrder,
  query: number,
): readonly QueryWarning[] {
  if (merge) {
    const naps = merge.naps.length
    if (naps > 0) return [{ code: 'naps_left_out', query, resource: plan.table, naps }]
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

/** Throws a 422 `mixed_kinds` if a function used several kinds of values. `loc` is the query's path in the body. */
export function refuseMixedKinds(executed: Executed, order: SourceOrder, loc: Loc): void {
  const mixed = aboutKinds(executed, order, 0)
  if (mixed.length === 0) return
  const named = mixed.map(each => ({ ...each, name: resourceNamed(each.resource)?.queryName ?? each.resource }))
  const found = named.map(
    ({ name, kinds }) => `${listText(kinds.map(each => kindText(each, countedWord(name))))} of ${name}`,
  )
  const conditions = named.flatMap(({ resource, kinds }) =>
    kinds.map(({ kind }) => `where ${kindField(resource)} = '${kind}'`),
  )
  // a condition on one resource also drops the rows of all others
  const alone = executed.plan.resources.length > 1 ? ' in a query of this resource alone' : ''
  const msg = `the result would mix ${found.join(', and ')}. Add ${conditions.join(' or ')}${alone}, or use split to compute both.`
  throw refuse([...loc, 'mixed_kinds'], msg, 'mixed_kinds')
}

const countedWord = (name: string): string => (columnKindsNamed(name) ? 'rows' : 'samples')

const kindText = ({ kind, samples }: MixedKinds['kinds'][number], what: string): string =>
  `${kind} (${what}: ${formatCount(samples)})`

/** Warns if a function used several kinds of values. See docs/interface/kinds.md#kinds-2. */
function aboutKinds({ plan, groups, candidates }: Executed, order: SourceOrder, query: number): readonly MixedKinds[] {
  const mixable = mixableResources(plan)
  if (mixable.length === 0) return []
  const used = candidates.usedKinds(groups.count, plan.keys.length === 0 ? null : order, resource =>
    groupsByMark(plan, resource),
  )
  return [...used].flatMap(([resource, counts]) => {
    if (counts.size < 2 || !mixable.includes(resource)) return []
    const kinds = [...counts]
      .map(([kind, samples]) => ({ kind, samples }))
      .sort((a, b) => b.samples - a.samples || (a.kind < b.kind ? -1 : 1))
    return [{ code: 'mixed_kinds', query, resource, kinds }]
  })
}

/** Warns about samples outside the limits, used or left out. See docs/interface/plausibility.md#plausibility-3. */
function aboutImplausible(executed: Executed, order: SourceOrder, query: number): readonly QueryWarning[] {
  const { isUsed, rows } = implausibleSamples(executed, order)
  const code = isUsed ? 'implausible_values' : 'implausible_left_out'
  return [...rows].map(([resource, samples]) => ({ code, query, resource, samples }))
}
