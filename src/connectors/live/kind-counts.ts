/** Counts unmapped records by the provider's name for their kind. */

/** Maximum number of kinds to count separately, because a provider could send any number of names. */
const MOST_KINDS = 200
/** Name under which all other kinds, and kinds whose name must not be shown, are counted. */
export const OTHER_KINDS = 'other fields'

/** Adds to a kind's count. */
export function countKind(counts: Map<string, number>, kind: string, count: number): void {
  const shown = counts.has(kind) || counts.size < MOST_KINDS ? kind : OTHER_KINDS
  counts.set(shown, (counts.get(shown) ?? 0) + count)
}
