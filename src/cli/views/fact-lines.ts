/** Flattens a nested response about one object into facts: `address.city`. */
import { type Cell, type Facts, factSheet, type View } from '../../output/view.ts'
import { toCell } from '../../table/cells.ts'

/** Returns the view of a response about one object. */
export function flatSheet(response: object): View<Facts> {
  return factSheet(flatFacts(response))
}

/** Flattens objects, but not lists. */
export function flatFacts(response: object, prefix = ''): Facts {
  const facts: Record<string, Cell> = {}
  for (const [name, value] of Object.entries(response)) {
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
      Object.assign(facts, flatFacts(value, `${prefix}${name}.`))
    } else facts[`${prefix}${name}`] = toCell(value)
  }
  return facts
}
