/** Finds the kinds of samples. See docs/interface/kinds.md#kinds-1. Indexed reads are unchecked (`as number`) because the loops are hot. */
import { allKinds, kindsOf, unmarkedKind } from '../../../catalogue/kinds.ts'
import type { SampleColumns, TextColumn } from '../../../core/sample.ts'
import type { BlockSource, RowKinds } from './block.ts'

/** Returns the kinds of the rows, or null if every row is of the usual kind. */
export function rowKinds({ resource, provider, sourceType }: BlockSource, columns: SampleColumns): RowKinds | null {
  const kinds = resource === null ? undefined : kindsOf(resource)
  if (kinds === undefined) return null
  const { n, text } = columns
  const unmarked = unmarkedKind(kinds, provider, sourceType)
  if (text.size === 0 && unmarked === 0) return null
  const codes = new Uint8Array(n)
  let isUsual = unmarked === 0
  // from the last one to the first one, which counts
  for (const [i, { marks }] of [...kinds.others.entries()].reverse()) {
    for (const [column, values] of Object.entries(marks)) {
      const known = text.get(column as TextColumn)
      const marked = known?.values.map(value => values.includes(value)) ?? []
      if (!known || !marked.includes(true)) continue
      for (let row = 0; row < n; row++) {
        const code = known.codes[row] as number
        if (code === 0 || !marked[code - 1]) continue
        codes[row] = i + 1
        isUsual = false
      }
    }
  }
  if (isUsual) return null
  if (unmarked > 0) for (let row = 0; row < n; row++) if (codes[row] === 0) codes[row] = unmarked
  return { names: allKinds(kinds).map(({ name }) => name), codes }
}
