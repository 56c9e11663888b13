/** Compares the kinds of samples with those that their connector or importer states. See docs/interface/kinds.md#kinds-4. */
import { expect } from 'vitest'
import { joinedKinds, kindsOfSamples, namesOfKinds, type SuppliedKinds } from '../../src/catalogue/supplied-kinds.ts'
import { type SampleBatch, TEXT_COLUMNS, textAt } from '../../src/core/sample.ts'
import { HOUR_MS } from '../../src/core/time.ts'

/** Samples of at least this length are totals of a day. See docs/interface/merging.md#merging-5. */
const DAY_TOTAL_MS = 20 * HOUR_MS

/** Returns the kinds of the samples. */
export function kindsIn(batches: readonly SampleBatch[]): SuppliedKinds {
  return joinedKinds(batches.map(kindsOfBatch))
}

/** Fails if a sample has a kind that is not stated. */
export function expectStated(stated: SuppliedKinds | null, batches: readonly SampleBatch[], who: string): void {
  if (stated === null) return
  for (const [resource, kinds] of Object.entries(kindsIn(batches))) {
    expect(stated[resource] ?? [], `kinds of ${resource} that ${who} states`).toEqual(
      expect.arrayContaining([...kinds]),
    )
  }
}

/** Fails if a statement has an unknown kind. */
export function expectKnownKinds(stated: SuppliedKinds): void {
  for (const [resource, kinds] of Object.entries(stated)) {
    expect(namesOfKinds(resource)).toEqual(expect.arrayContaining([...kinds]))
    expect(kinds).not.toEqual([])
  }
}

function kindsOfBatch({ series, n, start, end, text }: SampleBatch): SuppliedKinds {
  const { resource, provider, sourceType } = series
  return kindsOfSamples(
    Array.from({ length: n }, (_, i) => {
      const shown = TEXT_COLUMNS.flatMap(name => {
        const value = textAt(text.get(name), i)
        return value === null ? [] : [[name, value] as const]
      })
      const length = (end?.[i] ?? start[i] ?? 0) - (start[i] ?? 0)
      const covers = length >= DAY_TOTAL_MS ? 'day_total' : 'interval'
      return { resource, provider, sourceType, text: Object.fromEntries(shown), covers }
    }),
  )
}
