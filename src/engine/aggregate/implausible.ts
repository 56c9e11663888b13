/** Counts the implausible samples that a query used or left out. See docs/interface/plausibility.md. */
import type { Executed } from './execute.ts'
import type { SourceOrder } from './functions/priority.ts'
import { uncheckedResources } from './plan/implausible.ts'

/** Number of implausible samples by resource, without resources that have none. */
export interface ImplausibleSamples {
  /** Whether functions used them; otherwise, they were left out. */
  readonly isUsed: boolean
  readonly rows: ReadonlyMap<string, number>
}

/** Returns the implausible samples of a whole query. */
export function implausibleSamples(executed: Executed, order: SourceOrder): ImplausibleSamples {
  const { groups, leftOut } = executed
  if (leftOut !== null) return { isUsed: false, rows: leftOut.total() }
  const rows = new Map<string, number>()
  if (uncheckedResources(executed.plan).length === 0) return { isUsed: true, rows }
  const used = implausibleIn(executed, order)
  for (let group = 0; group < groups.count; group++) {
    for (const [resource, samples] of used(group).rows) rows.set(resource, (rows.get(resource) ?? 0) + samples)
  }
  return { isUsed: true, rows }
}

/** Returns the implausible samples of a group. `order` is ignored for a query without groups, in which sources do not compete. */
export function implausibleIn(
  { plan, groups, candidates, leftOut }: Executed,
  order: SourceOrder | null,
): (group: number) => ImplausibleSamples {
  if (leftOut !== null) {
    return group => ({ isUsed: false, rows: leftOut.in(plan.keys.map((_, k) => groups.value(k, group))) })
  }
  const unchecked = uncheckedResources(plan)
  const used = candidates.implausibleIn(plan.keys.length === 0 ? null : order)
  return group => ({
    isUsed: true,
    rows: new Map([...used(group)].filter(([resource]) => unchecked.includes(resource))),
  })
}
