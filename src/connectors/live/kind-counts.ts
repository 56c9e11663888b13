/** Counts of what is not mapped, by the provider's name of its kind. */

/** Number of kinds that are counted apart: a provider could invent any number of names. */
const MOST_KINDS = 200
/** What the others, and kinds whose name is not shown, are counted as. */
export const OTHER_KINDS = 'other fields'

/** Adds to the count of a kind. */
export function countKind(counts: Map<string, number>, kind: string, count: number): void {
  const shown = counts.has(kind) || counts.size < MOST_KINDS ? kind : OTHER_KINDS
  counts.set(shown, (counts.get(shown) ?? 0) + count)
}
