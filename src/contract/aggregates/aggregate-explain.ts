/** Schemas of the operator operation `aggregate.explain`: how an aggregate query computed its result. */
import * as z from 'zod'
import { component, strictComponent } from '../kernel/primitives.ts'
import { queryBatch } from './aggregate.ts'
import { storedSession } from './conflicts.ts'

/** The body of an aggregate query, with an optional priority order to compare with. */
export const explainRequest = () =>
  strictComponent('ExplainRequest', {
    query: queryBatch(),
    diff: z.array(z.string().min(1)).nullish().meta({
      description:
        'Priority order to compare with, as provider or lab slugs, best first; the response lists the rows that it would change',
    }),
  })

const cell = () => z.union([z.string(), z.number(), z.boolean(), z.null()])
const cells = () => z.record(z.string(), cell())

const source = () => ({
  resource: z.string().nullable().meta({ description: 'Null for summary tables' }),
  provider: z.string(),
  source_type: z.string(),
})

const read = () =>
  z.object({
    ...source(),
    type: z.string().nullable(),
    chunks: z.int().meta({ description: 'Number of sample chunks read; 0 for summaries' }),
    rows: z.int().meta({ description: 'Number of rows in the chunks, including rows outside the window' }),
    bytes: z.int().meta({ description: 'Total size of the chunks in bytes' }),
  })

/** What a source contributes to a group of a merged timeseries query. Absent in other queries. */
const contribution = () => ({
  type: z.string().nullable().optional(),
  app_id: z.string().nullable().optional(),
  device_id: z.string().nullable().optional(),
  parts: z.int().optional().meta({ description: 'Number of parts of samples that count' }),
  value: z.number().nullable().optional().meta({ description: 'Sum of the parts; null if it is not an amount' }),
  minutes: z.number().nullable().optional().meta({ description: 'Time that the parts cover' }),
  share: z.number().nullable().optional().meta({ description: 'Share of the amount or, for others, of the parts' }),
})

/** Samples outside the limits of their resource. See docs/interface/plausibility.md. */
const implausible = () =>
  z.array(
    z.object({
      resource: z.string(),
      rows: z.int(),
      used: z.boolean().meta({ description: 'Whether functions used them; otherwise, they were left out' }),
      reason: z.string(),
    }),
  )

const group = () =>
  z.object({
    key: cells(),
    sources: z.array(
      z.object({
        ...source(),
        rows: z.int().meta({ description: 'In a merged query, number of stored samples that begin in the group' }),
        used: z.boolean(),
        reason: z.string(),
        ...contribution(),
      }),
    ),
    kinds: z
      .array(z.object({ resource: z.string(), kind: z.string(), rows: z.int() }))
      .meta({ description: 'Number of used rows of each kind, of resources whose values must not be mixed' }),
    implausible: implausible().optional().meta({ description: 'Absent if there are none' }),
    rows_used: z.int(),
    rows_dropped: z.int().meta({ description: 'Number of rows from sources that a better source outranked' }),
  })

const mergedSource = () =>
  z.object({
    ...source(),
    type: z.string().nullable(),
    app_id: z.string().nullable(),
    device_id: z.string().nullable(),
    rank: z.int().meta({ description: "The source's rank, starting at 1" }),
    rows: z.int().meta({
      description: 'Number of samples or stored sessions that `where` keeps, including those beside the timeframe',
    }),
    parts: z.int().meta({
      description:
        'Number of parts of samples that count, including those beside the timeframe; for nights and workouts, number of rows in the timeframe that have values of the source',
    }),
    reason: z.string(),
  })

const mergedSession = () =>
  z.object({
    index: z.string().meta({ description: "The merged row's index, in local time" }),
    role: z.string().nullable().meta({ description: 'main_sleep, nap or second_sleep; null for a workout' }),
    members: z
      .array(
        z.object({
          ...storedSession(),
          use: z.enum(['values', 'fields', 'none']).meta({
            description: 'Whether the row has its times and values, only some fields, or nothing of it',
          }),
          fields: z.array(z.string()).meta({ description: 'What it fills' }),
          reason: z.string(),
        }),
      )
      .meta({ description: 'The stored sessions, best source first' }),
  })

const difference = () =>
  z.object({
    priority: z.array(z.string()),
    rows: z.array(z.object({ key: cells(), before: cells(), after: cells() })),
  })

/** One entry per query, in request order. */
export const explainReply = () =>
  component('Explanation', {
    results: z.array(
      z.object({
        table: z.string(),
        window: z.object({ from: z.string(), to: z.string() }).meta({ description: 'Local time; `to` is exclusive' }),
        stages: z.array(z.object({ stage: z.string(), milliseconds: z.number() })),
        reads: z.array(read()),
        groups: z.array(group()),
        implausible: implausible().optional().meta({
          description:
            'All samples of the timeframe outside their limits, also those of groups without a row; absent if there are none',
        }),
        merged: z
          .array(mergedSource())
          .nullable()
          .meta({ description: 'What each source contributes, best first; null if the query does not merge' }),
        sessions: z.array(mergedSession()).meta({
          description:
            'The merged nights or workouts in the timeframe that consist of several stored ones, without naps that are left out',
        }),
        diff: difference().nullable(),
      }),
    ),
  })
