/** Flattens a nested answer about one thing into facts: `address.city`. */
import type { Cell, Facts } from '../../output/view.ts'
import { cellOf } from '../../output/view.ts'

/** Flattens objects, but not lists. */
export function flatFacts(answer: object, prefix = ''): Facts {
  const facts: Record<string, Cell> = {}
  for (const [name, value] of Object.entries(answer)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      Object.assign(facts, flatFacts(value, `${prefix}${name}.`))
    } else facts[`${prefix}${name}`] = cellOf(value)
  }
  return facts
}
