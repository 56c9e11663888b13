/** Decides what a query does with implausible values. See docs/interface/plausibility.md. */
import { limitsOf } from '../../../catalogue/plausibility.ts'
import type { ColumnRef } from './columns.ts'
import { type Plan, planColumns } from './plan.ts'

type Planned = Pick<Plan, 'resources' | 'aggregates' | 'keys' | 'outputs' | 'where' | 'merges'>

/** Returns the resources whose implausible samples a plan leaves out. */
export function leftOutResources(plan: Planned): readonly string[] {
  return plan.merges && plan.aggregates.length + plan.keys.length > 0 ? unnamed(plan) : []
}

/** Returns the resources whose values the functions of a plan use, plausible or not. */
export function uncheckedResources(plan: Planned): readonly string[] {
  if (plan.aggregates.length === 0) return []
  const leftOut = leftOutResources(plan)
  return unnamed(plan).filter(resource => !leftOut.includes(resource) && valueFunctions(plan, resource).length > 0)
}

/** Returns whether the functions of a resource's values each use a single sample in a group: the oldest or the newest one. */
export function usesOnlyEdges(plan: Pick<Plan, 'aggregates'>, resource: string): boolean {
  return valueFunctions(plan, resource).every(({ func: { name } }) => name === 'oldest' || name === 'newest')
}

/** Returns whether a column is a value of a sample: its number, or one of its two pressures. */
export function isMeasured(ref: ColumnRef): boolean {
  return ref.kind === 'sample' && (ref.field.origin.kind === 'value' || ref.field.origin.kind === 'second')
}

/** Returns the functions of a resource's values. A count does not depend on how high they are. */
function valueFunctions({ aggregates }: Pick<Plan, 'aggregates'>, resource: string) {
  return aggregates.filter(
    ({ func, argument }) =>
      func.name !== 'count' && isMeasured(argument) && 'resource' in argument && argument.resource === resource,
  )
}

/** Returns the resources with limits whose field `implausible` a plan does not name. */
function unnamed(plan: Planned): readonly string[] {
  const named = new Set(
    planColumns(plan as Plan).map(ref =>
      ref.kind === 'sample' && ref.field.origin.kind === 'implausible' ? ref.resource : null,
    ),
  )
  return plan.resources.filter(resource => limitsOf(resource) !== undefined && !named.has(resource))
}
