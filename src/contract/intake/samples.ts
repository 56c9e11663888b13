/** Samples in and out by hand, audience operator: what an application pushes, and what is deleted. */
import { z } from 'zod'
import type { ByteSource } from '../kernel/operation.ts'
import { dateOrDateTime, userId } from '../kernel/primitives.ts'

export const samplesParams = () => z.object({ user_id: userId() })

/** JSON or NDJSON, as it is or in gzip: told apart by content. docs/samples.md has the fields of an item. */
export const samplesBody = () =>
  z.custom<ByteSource>(value => typeof value === 'object' && value !== null && 'kind' in value, 'must be bytes')

/** Media types that the body may say it is; none is looked at. */
export const SAMPLES_MEDIA_TYPES = ['application/json', 'application/x-ndjson', 'application/gzip'] as const

const count = () => z.number().int()

/** What became of a push: samples by resource under the names of the REST paths, summaries by kind. */
export const samplesReport = () =>
  z
    .object({
      user_id: userId(),
      samples: count().meta({ description: 'Number of samples in the body' }),
      stored: z.record(z.string(), z.object({ samples: count(), replaced: count(), unchanged: count() })),
      summaries: z.record(z.string(), z.object({ created: count(), updated: count(), unchanged: count() })),
      streams: z.object({ created: count(), updated: count(), unchanged: count() }),
      dropped: count().meta({ description: "Number of items outside the user's ingestion bounds" }),
      truncated: count().meta({ description: 'Number of samples whose times were truncated to milliseconds' }),
    })
    .meta({ id: 'SamplesReport' })

/** Both ends are asked for: nobody deletes everything by leaving one out. */
export const deleteSamplesQuery = () =>
  z.object({
    start_date: dateOrDateTime(),
    end_date: dateOrDateTime(),
    provider: z.string().max(64).default(''),
  })

export const deletedSamples = () =>
  z.object({ deleted: count().meta({ description: 'Number of samples deleted' }) }).meta({ id: 'Deleted' })
