/** Generated data of one user. */
import fc from 'fast-check'
import type { PlainCorrection, PlainData, PlainSummary } from '../data.ts'
import { contradict } from '../several-sources/declared.ts'
import { otherSummaries, workouts } from '../summary-kinds.ts'
import { base, resources, source, zone } from './pools.ts'
import { samples } from './sample-arbitrary.ts'
import { days, nights } from './summary-arbitrary.ts'

export interface Case {
  /** Midnight of the day around which the data is spread. */
  readonly base: number
  readonly data: PlainData
}

/** Samples only: their queries need nothing else. */
export const sampleCase: fc.Arbitrary<Case> = fc
  .record({ base, zone, resources, sources: fc.array(source, { minLength: 1, maxLength: 4 }) })
  .chain(({ base, zone, resources, sources }) =>
    samples(base, resources, sources).map(list => ({ base, data: { zone, samples: list, summaries: [] } })),
  )

/** Summaries of every kind. */
export const summaryCase: fc.Arbitrary<Case> = fc
  .record({ base, zone, sources: fc.array(source, { minLength: 1, maxLength: 3 }) })
  .chain(({ base, zone, sources }) =>
    fc
      .tuple(nights(base, sources), days(base, sources), otherSummaries(base, sources))
      .map(lists => ({ base, data: { zone, samples: [], summaries: lists.flat() } })),
  )

/** Nights and workouts of several sources on a few days. */
export const crowdedCase: fc.Arbitrary<Case> = fc
  .record({ base, zone, sources: fc.array(source, { minLength: 2, maxLength: 4 }) })
  .chain(({ base, zone, sources }) =>
    fc
      .tuple(nights(base, sources, 2), workouts(base, sources, 60, 0))
      .map(lists => ({ base, data: { zone, samples: [], summaries: lists.flat() } })),
  )

/** The same with corrections, of which some are about sessions that are not there. */
export const correctedCase: fc.Arbitrary<Case> = crowdedCase.chain(({ base, data }) =>
  corrections(base, data.summaries).map(list => ({ base, data: { ...data, corrections: list } })),
)

function corrections(base: number, summaries: readonly PlainSummary[]): fc.Arbitrary<PlainCorrection[]> {
  const lists = ['sleep', 'workouts'].map(kind => {
    const ids = [...new Set(summaries.filter(each => each.kind === kind).map(({ id }) => id))]
    const id = fc.constantFrom(...ids, `a missing ${kind}`)
    const each = fc.record({
      kind: fc.constant(kind),
      ids: fc.uniqueArray(id, { minLength: Math.min(2, ids.length + 1), maxLength: 2 }),
      isSame: fc.boolean(),
      declaredMs: fc.constant(base),
    })
    return fc.array(each, { maxLength: 12 })
  })
  return fc.tuple(...lists).map(found => {
    const kept: PlainCorrection[] = []
    for (const { ids, ...each } of found.flat()) {
      const [a, b] = ids
      if (a === undefined || b === undefined) continue
      const added = { ...each, ids: [a, b] as const }
      const isKnown = kept.some(other => other.ids.includes(a) && other.ids.includes(b))
      if (!isKnown && !contradict([...kept, added])) kept.push(added)
    }
    return kept
  })
}
