/** What `data` of a webhook body is, for each type of event (interface.md 6, interface-gaps 6). */
import { z } from 'zod'
import { resourceEvent } from '../../catalogue/event-types.ts'
import { resourceQueried } from '../../catalogue/resources.ts'
import { SUMMARY_KINDS } from '../../core/sample.ts'
import { dateTime, openEnum, sensitive, userId, uuid } from '../kernel/primitives.ts'
import { CONNECTION_ERROR_TYPES, resourceAvailability } from '../links/provider.ts'
import { summaryItem, summarySource } from '../readings/summary.ts'
import { sample, sourceContext } from '../readings/timeseries.ts'
import { device } from '../users/device.ts'
import { labEventPayload } from './event-payload-labs.ts'

const old = <T extends z.ZodType>(schema: T) => schema.optional().meta({ deprecated: true })

/** Where a batch comes from; the last three were removed on 2024-07-31. */
const batchSource = () =>
  z
    .object({
      ...sourceContext().shape,
      name: old(z.string()),
      slug: old(z.string()),
      logo: old(z.string()),
    })
    .meta({ id: 'EventSource' })

/** A batch of samples of one source: a later value with the same key replaces the earlier one (interface.md 6.4). */
const batch = (resource: string) =>
  z.object({
    user_id: userId(),
    source_id: z.number().int().meta({ description: 'Number of the series: provider, source type and type' }),
    source: batchSource(),
    data: z.array(sample(resource)).min(1).meta({ description: 'At most 2,500 samples, in ascending order of start' }),
  })

/** The pull of a resource is complete: what it brought is read from the service (interface.md 6.7). */
const historicalPull = () =>
  z.object({
    user_id: userId(),
    start_date: dateTime(),
    end_date: dateTime(),
    provider: z.string(),
    source: summarySource(),
    is_final: old(z.literal(true)),
  })

/** Shallow: the stream can be read from now on (interface.md 6.5). */
const workoutStream = () =>
  z.object({
    user_id: userId(),
    workout_id: uuid(),
    provider_id: z.string().meta({ description: "Provider's id of the workout" }),
    message: z.string(),
    sport: z.object({ id: z.number().int(), name: z.string(), slug: z.string() }),
    source: summarySource(),
  })

const provider = () => z.object({ name: z.string(), slug: z.string(), logo: z.string() }).meta({ id: 'EventProvider' })

const connectionCreated = () =>
  z.object({
    user_id: userId(),
    provider: provider(),
    source: old(provider()),
    external_user_id: sensitive(z.string()).nullable(),
    resource_availability: resourceAvailability(),
  })

const connectionError = () =>
  z.object({
    user_id: userId(),
    provider: z.string().meta({ description: 'Slug of the provider' }),
    error_type: openEnum(CONNECTION_ERROR_TYPES),
    message: z.string(),
    error_details: z.string(),
  })

const resultTableChanged = () =>
  z
    .array(
      z.object({
        query_id: uuid(),
        query_slug: z.string(),
        data: z
          .record(z.string(), z.array(z.union([z.string(), z.number(), z.boolean(), z.null()])))
          .meta({ description: 'Columns of the new and changed rows' }),
      }),
    )
    .min(1)

/** What is given up is not sent again by itself: `svc event resend` does. */
const attemptsExhausted = () =>
  z.object({
    event_id: uuid(),
    event_type: z.string(),
    endpoint_id: z.string(),
    attempts: z.number().int(),
    last_status: z.number().int().nullable(),
    last_error: z.string().nullable(),
  })

const OTHERS: Readonly<Record<string, () => z.ZodType>> = {
  'provider.connection.created': connectionCreated,
  'provider.connection.error': connectionError,
  'provider.device.created': device,
  'provider.device.updated': device,
  'continuous_query.result_table.changed': resultTableChanged,
  'message.attempt.exhausted': attemptsExhausted,
}

/** The payload of a type; undefined for a type that there is not. */
export function eventPayload(type: string): z.ZodType | undefined {
  const about = resourceEvent(type)
  if (!about) return OTHERS[type]?.() ?? labEventPayload(type)
  const { resource, change } = about
  if (change === 'historical') return historicalPull()
  if (resource === 'workout_stream') return workoutStream()
  const kind = SUMMARY_KINDS.find(each => each === resource)
  if (kind) return summaryItem(kind)
  const series = resourceQueried(resource)
  return series && batch(series.name)
}

/** A whole webhook body (interface.md 6.1). */
export function eventBody(type: string): z.ZodObject | undefined {
  const data = eventPayload(type)
  return (
    data &&
    z.object({
      event_type: z.literal(type),
      data,
      team_id: uuid(),
      user_id: userId(),
      client_user_id: z.string().meta({ description: "Customer's reference for the user" }),
    })
  )
}
