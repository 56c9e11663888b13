/** Schemas of the operator operations that push and delete samples. */
import * as z from 'zod'
import type { ByteSource } from '../kernel/operation.ts'
import { component, dateOrDateTime, userId } from '../kernel/primitives.ts'

export const samplesParams = () => z.object({ user_id: userId() })

/** JSON or NDJSON, plain or gzipped, detected by content. See docs/samples.md for the fields of an item. */
export const samplesBody = () =>
  z.custom<ByteSource>(value => typeof value === 'object' && value !== null && 'kind' in value, 'must be bytes')

/** Media types that the body may declare. The service ignores them. */
export const SAMPLES_MEDIA_TYPES = ['application/json', 'application/x-ndjson', 'application/gzip'] as const

const count = () => z.int()

/** The result of a push: counts of samples by resource (as named in REST paths) and of summaries by kind. */
export const samplesReport = () =>
  component('SamplesReport', {
    user_id: userId(),
    samples: count().meta({ description: 'Number of samples in the body' }),
    stored: z.record(z.string(), z.object({ samples: count(), replaced: count(), unchanged: count() })),
    summaries: z.record(z.string(), z.object({ created: count(), updated: count(), unchanged: count() })),
    streams: z.object({ created: count(), updated: count(), unchanged: count() }),
    // absent in responses of services that have no limits
    implausible: z.record(z.string(), count()).optional().meta({
      description: 'Number of samples by resource whose values are outside its limits; they are stored',
    }),
    dropped: count().meta({
      description: "Number of items dropped because they are outside the user's ingestion bounds",
    }),
    truncated: count().meta({ description: 'Number of samples whose times were truncated to milliseconds' }),
  })

/** The time range to delete. Both ends are required, so that omitting one cannot delete everything. */
export const deleteSamplesQuery = () =>
  z.object({
    start_date: dateOrDateTime(),
    end_date: dateOrDateTime(),
    provider: z.string().max(64).default(''),
  })

export const deletedSamples = () =>
  z.object({ deleted: count().meta({ description: 'Number of samples deleted' }) }).meta({ id: 'Deleted' })
