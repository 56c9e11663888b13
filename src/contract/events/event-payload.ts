/** Schemas of `data` in a webhook body, for each event type. See docs/interface/events.md. */
import * as z from 'zod'
import { DATA_DELETED, DELETION_REASONS, resourceEvent } from '../../catalogue/event-types.ts'
import { resourceQueried } from '../../catalogue/resources.ts'
import { SUMMARY_KINDS } from '../../core/sample.ts'
import { tableColumns } from '../aggregates/aggregate.ts'
import { component, dateTime, openEnum, sensitiveText, userId, uuid } from '../kernel/primitives.ts'
import { CONNECTION_ERROR_TYPES, resourceAvailability } from '../links/provider.ts'
import { summaryItem, summarySource } from '../readings/summary.ts'
import { sample, sourceContext } from '../readings/timeseries.ts'
import { device } from '../users/device.ts'
import { labEventPayload } from './event-payload-labs.ts'

const old = <T extends z.ZodType>(schema: T) => schema.optional().meta({ deprecated: true })

/** A batch's source. The last three fields were removed on 2024-07-31. See docs/interface/versioning.md#versioning-4. */
const batchSource = () =>
  component('EventSource', {
    ...sourceContext().shape,
    name: old(z.string()),
    slug: old(z.string()),
    logo: old(z.string()),
  })

/**
 * A batch of samples of one source; a later value with the same key replaces the earlier one. See
 * docs/interface/timeseries.md#timeseries-4.
 */
const batch = (resource: string) =>
  z.object({
    user_id: userId(),
    source_id: z.int().meta({ description: 'Number that identifies the series' }),
    source: batchSource(),
    data: z.array(sample(resource)).min(1).meta({ description: 'At most 2,500 samples, in ascending order of start' }),
  })

/** A completed historical pull of one resource, whose data can now be read. See docs/interface/events.md#events-7. */
const historicalPull = () =>
  z.object({
    user_id: userId(),
    start_date: dateTime(),
    end_date: dateTime(),
    provider: z.string(),
    source: summarySource(),
    is_final: old(z.literal(true)),
  })

/** A workout stream that can now be read. The event itself does not contain measurements. See docs/interface/events.md#events-5. */
const workoutStream = () =>
  z.object({
    user_id: userId(),
    workout_id: uuid(),
    provider_id: z.string().meta({ description: 'Id of the workout at the provider' }),
    message: z.string(),
    sport: z.object({ id: z.int(), name: z.string(), slug: z.string() }),
    source: summarySource(),
  })

const provider = () => z.object({ name: z.string(), slug: z.string(), logo: z.string() }).meta({ id: 'EventProvider' })

const connectionCreated = () =>
  z.object({
    user_id: userId(),
    provider: provider(),
    source: old(provider()),
    external_user_id: sensitiveText().nullable(),
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
        data: tableColumns().meta({ description: 'New and changed rows, by column' }),
      }),
    )
    .min(1)

/** A delivery that was given up. It is sent again only by `svc event resend`. */
const attemptsExhausted = () =>
  z.object({
    event_id: uuid(),
    event_type: z.string(),
    endpoint_id: z.string(),
    attempts: z.int(),
    last_status: z.int().nullable(),
    last_error: z.string().nullable(),
  })

/** Removed data. It contains no values. See docs/interface/events.md#events-15. */
const dataDeleted = () =>
  z.object({
    user_id: userId(),
    reason: openEnum(DELETION_REASONS),
    timeseries: z
      .array(
        z.object({
          resource: z.string(),
          provider: z.string(),
          source_type: z.string(),
          source_id: z.int().meta({ description: 'Number that identifies the series' }),
          start: dateTime().meta({ description: 'No deleted sample starts before this time' }),
          end: dateTime().meta({ description: 'No deleted sample starts after this time' }),
          samples: z.int().meta({ description: 'Number of deleted samples; others in the range are still there' }),
        }),
      )
      .max(1_000),
    summaries: z
      .array(
        z.object({
          resource: z.string(),
          id: z.string(),
          provider: z.string(),
          source_type: z.string(),
          calendar_date: z.string().optional().meta({ description: 'Absent for a workout stream' }),
        }),
      )
      .max(1_000)
      .meta({ description: 'Summaries and workout streams' }),
  })

const OTHERS: Readonly<Record<string, () => z.ZodType>> = {
  'provider.connection.created': connectionCreated,
  'provider.connection.error': connectionError,
  'provider.device.created': device,
  'provider.device.updated': device,
  'continuous_query.result_table.changed': resultTableChanged,
  'message.attempt.exhausted': attemptsExhausted,
  [DATA_DELETED]: dataDeleted,
}

/** Returns the payload schema of an event type; undefined for an unknown type. */
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

/** Returns the schema of a complete webhook body; undefined for an unknown type. See docs/interface/events.md#events-1. */
export function eventBody(type: string): z.ZodObject | undefined {
  const data = eventPayload(type)
  return (
    data &&
    z.object({
      event_type: z.literal(type),
      data,
      team_id: uuid(),
      user_id: userId(),
      client_user_id: z.string().meta({ description: "The team's own id for the user" }),
    })
  )
}
