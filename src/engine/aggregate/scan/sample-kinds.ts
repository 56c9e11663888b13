/** Finds the kinds of samples. See docs/interface/kinds.md#kinds-1. */
import { allKinds, kindsOf, markedKinds, unmarkedKind } from '../../../catalogue/kinds.ts'
import type { SampleColumns } from '../../../core/sample.ts'
import type { BlockSource, RowKinds } from './block.ts'

/** Returns the kinds of the rows, or null if every row is of the usual kind. */
export function rowKinds({ resource, provider, sourceType }: BlockSource, columns: SampleColumns): RowKinds | null {
  const kinds = resource === null ? undefined : kindsOf(resource)
  if (kinds === undefined) return null
  const unmarked = unmarkedKind(kinds, provider, sourceType)
  const marked = markedKinds(kinds, columns)
  if (marked === null && unmarked === 0) return null
  const codes = marked ?? new Uint8Array(columns.n)
  if (unmarked > 0) for (let row = 0; row < codes.length; row++) if (codes[row] === 0) codes[row] = unmarked
  return { names: allKinds(kinds).map(({ name }) => name), codes }
}
