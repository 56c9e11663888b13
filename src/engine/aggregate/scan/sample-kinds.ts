/** Finds the kinds of samples. See docs/interface/kinds.md#kinds-1. Indexed reads are unchecked (`as number`) because the loops are hot. */
import { kindNames, kindsOf } from '../../../catalogue/kinds.ts'
import type { SampleColumns } from '../../../core/sample.ts'

/** The kind of each row: `names[code]`. Code 0 is the usual kind. */
export interface RowKinds {
  readonly names: readonly string[]
  readonly codes: Uint8Array
}

/** Returns the kinds of the rows, or null if every row is of the usual kind. */
export function rowKinds(resource: string | null, columns: SampleColumns): RowKinds | null {
  const kinds = resource === null ? undefined : kindsOf(resource)
  if (kinds === undefined) return null
  const { n, text } = columns
  if (text.size === 0) return null
  const names = kindNames(kinds)
  const codes = new Uint8Array(n)
  let isUsual = true
  for (const { name, column, values } of kinds.others) {
    const known = text.get(column)
    const marks = known?.values.map(value => values.includes(value)) ?? []
    if (!known || !marks.includes(true)) continue
    const kind = names.indexOf(name)
    for (let row = 0; row < n; row++) {
      const code = known.codes[row] as number
      if (code === 0 || !marks[code - 1] || codes[row] !== 0) continue
      codes[row] = kind
      isUsual = false
    }
  }
  return isUsual ? null : { names, codes }
}
