/** Schemas of the operator operations on events: the events, the state of their deliveries, and the event types. */
import * as z from 'zod'
import { allEventTypes, EVENT_PATTERN, matchesSomeType } from '../../catalogue/event-types.ts'
import { didYouMean } from '../../core/errors.ts'
import {
  component,
  dateOrDateTime,
  dateTime,
  flag,
  lowerUuid,
  sensitive,
  userId,
  uuid,
  wholeNumber,
  wrongValue,
} from '../kernel/primitives.ts'

export const DELIVERY_FILTERS = ['pending', 'failing', 'delivered', 'dead'] as const
export const MOST_EVENTS_LISTED = 500
const MOST_PATTERNS_CHARACTERS = 1_000

/** Event types or patterns with `*`, separated by commas. A pattern that matches no type is refused. */
export const eventPatterns = () =>
  z
    .string()
    .min(1)
    .max(MOST_PATTERNS_CHARACTERS)
    .superRefine((text, context) => {
      const refuse = (message: string): void => context.addIssue({ code: 'custom', ...wrongValue(message) })
      for (const pattern of text.split(',')) {
        if (!EVENT_PATTERN.test(pattern)) {
          refuse('must be event types or patterns with * for any characters, separated by commas')
          return
        }
        if (matchesSomeType(pattern)) continue
        // the message must not repeat the given value
        refuse(`matches no event type.${didYouMean(pattern, allEventTypes())} Run \`svc event types\` to list them`)
      }
    })
    .meta({ description: 'Event types or patterns with * for any characters, separated by commas' })

export const eventQuery = () =>
  z.object({
    type: eventPatterns().optional(),
    user_id: userId().optional(),
    since: dateOrDateTime().optional(),
    until: dateOrDateTime().optional(),
    state: z.enum(DELIVERY_FILTERS).optional().meta({
      description:
        'Only events with a delivery in this state: pending, failing (waiting after a failure), delivered or dead',
    }),
    endpoint_id: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({ description: 'Only events with a delivery to this endpoint' }),
    order: z
      .enum(['asc', 'desc'])
      .default('desc')
      .meta({ description: 'asc: in the order of arrival; desc: newest first' }),
    from: z.literal('now').optional().meta({
      description: 'With order=asc: skip past events and return a next_cursor for events from now on',
    }),
    payload: flag().default(false).meta({ description: 'Include the webhook body of each event' }),
    limit: wholeNumber(1, MOST_EVENTS_LISTED).default(50),
    next_cursor: z.string().max(512).nullish(),
  })

/** An event's webhook body. `eventBody` returns the exact schema for a type. */
const body = () => sensitive(z.looseObject({ event_type: z.string(), data: z.unknown() }))

const event = () => ({
  event_id: uuid(),
  event_type: z.string(),
  at: dateTime().meta({ description: "Time of the event on the engine's clock" }),
  sequence: z.int().meta({ description: "Increasing position among the user's events" }),
  user_id: userId(),
  client_user_id: z.string(),
  samples: z.int().nullable().meta({ description: 'Number of samples in the event; null if it carries none' }),
})

const count = () => z.int()

export const eventPage = () =>
  component('EventPage', {
    data: z.array(
      z.object({
        ...event(),
        deliveries: z.object({ pending: count(), delivered: count(), dead: count() }),
        payload: body().optional(),
      }),
    ),
    next_cursor: z
      .string()
      .nullable()
      .meta({ description: 'Cursor for the next page; always set with order=asc, so that later events can be read' }),
  })

export const eventParams = () => z.object({ event_id: lowerUuid() })

/** An event with its webhook body and every attempt to deliver it. */
export const eventView = () =>
  component('Event', {
    ...event(),
    deliveries: z.array(
      z.object({
        endpoint_id: z.string(),
        url: z.string(),
        state: z.enum(['waiting', 'delivered', 'dead', 'cancelled']),
        attempts: z.array(
          z.object({
            number: count(),
            at: dateTime(),
            status: count().nullable(),
            error: z.string().nullable(),
            ms: count(),
          }),
        ),
        next_attempt_at: dateTime().nullable(),
      }),
    ),
    payload: body(),
  })

const typeSummary = () => ({
  type: z.string(),
  description: z.string(),
  resource: z.string().nullable().meta({ description: 'Resource of the event, as named in event types' }),
})

export const eventTypeQuery = () => z.object({ type: eventPatterns().optional() })
export const eventTypeList = () => z.object({ data: z.array(z.object(typeSummary())) }).meta({ id: 'EventTypeList' })
export const eventTypeParams = () => z.object({ type: z.string().min(1).max(128) })

/** An event type, with the JSON Schema of its webhook body and an example body. */
export const eventType = () =>
  component('EventType', {
    ...typeSummary(),
    schema: z.record(z.string(), z.unknown()),
    example: sensitive(
      z.object({
        event_type: z.string(),
        data: z.unknown(),
        team_id: z.string(),
        user_id: z.string(),
        client_user_id: z.string(),
      }),
    ),
  })
