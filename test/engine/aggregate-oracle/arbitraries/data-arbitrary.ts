/** Generated data of one user. */
import fc from 'fast-check'
import type { PlainData } from '../data.ts'
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
