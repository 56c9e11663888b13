/** Warnings about the result of an aggregate query. See docs/interface/merging.md#merging-8. */
import * as z from 'zod'

const shared = () => ({
  query: z.int().meta({ description: 'Position of the query in the request, counted from 0' }),
  resource: z
    .string()
    .meta({ description: 'The resource in the REST path, or the name of another table or of its column' }),
})

const sourcesLeftOut = () =>
  z.object({
    code: z.literal('sources_left_out'),
    ...shared(),
    sources: z.int().meta({ description: 'Number of sources that were left out of at least one group' }),
    groups: z.int().meta({ description: 'Number of groups that left out a source' }),
    of: z.int().meta({ description: 'Number of groups with data of the resource' }),
  })

const totalsWithoutValue = () =>
  z.object({
    code: z.literal('totals_without_value'),
    ...shared(),
    totals: z.int().meta({ description: 'Number of totals of days, which have no value in shorter buckets' }),
  })

const napsLeftOut = () =>
  z.object({
    code: z.literal('naps_left_out'),
    ...shared(),
    naps: z.int().meta({ description: 'Number of naps in the timeframe that functions do not count' }),
  })

const mixedKinds = () =>
  z.object({
    code: z.literal('mixed_kinds'),
    ...shared(),
    kinds: z
      .array(z.object({ kind: z.string(), samples: z.int() }))
      .meta({ description: 'The kinds of the samples or rows that functions used, most frequent first' }),
  })

const implausibleValues = () =>
  z.object({
    code: z.literal('implausible_values'),
    ...shared(),
    samples: z.int().meta({ description: 'Number of samples outside the limits that functions used' }),
  })

const implausibleLeftOut = () =>
  z.object({
    code: z.literal('implausible_left_out'),
    ...shared(),
    samples: z.int().meta({ description: 'Number of samples outside the limits that were left out' }),
  })

export const queryWarning = () =>
  z
    .discriminatedUnion('code', [
      sourcesLeftOut(),
      totalsWithoutValue(),
      napsLeftOut(),
      mixedKinds(),
      implausibleValues(),
      implausibleLeftOut(),
    ])
    .meta({ id: 'QueryWarning' })

export type QueryWarning = z.output<ReturnType<typeof queryWarning>>
