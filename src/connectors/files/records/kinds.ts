/** The kinds of values that the rules of a file format make. */
import { AMOUNT_KINDS, type AmountKind, kindsOfSamples, type SuppliedKinds } from '../../../catalogue/supplied-kinds.ts'
import type { TextColumn } from '../../../core/sample.ts'

/** What a rule makes of a record. Rules that make no samples have no resource. */
interface Rule {
  readonly reads?: string
  readonly resource?: string
  readonly text?: Readonly<Partial<Record<TextColumn, string>>> | undefined
}

/** Returns the kinds of the rules' samples. `covers` is what amounts cover: by default, a file determines it. */
export function kindsOfRules(rules: Iterable<Rule>, covers: readonly AmountKind[] = AMOUNT_KINDS): SuppliedKinds {
  return kindsOfSamples(
    [...rules].flatMap(({ resource, text = {} }) =>
      resource === undefined
        ? []
        : covers.map(each => ({ resource, text, covers: each, provider: 'manual', sourceType: 'unknown' })),
    ),
  )
}
