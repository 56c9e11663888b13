/** Our own operations on events: what happened, how its deliveries stand, and what each type of event holds. */
import { z } from 'zod'
import { allEventTypes, EVENT_PATTERN, matchesSomeType } from '../../catalogue/event-types.ts'
import { didYouMean } from '../../core/errors.ts'
import { dateOrDateTime, dateTime, flag, sensitive, userId, uuid, wholeNumber } from '../kernel/primitives.ts'

export const DELIVERY_FILTERS = ['pending', 'failing', 'delivered', 'dead'] as const
export const MOST_EVENTS_LISTED = 500
const MOST_PATTERNS_CHARACTERS = 1_000

/** Event types, each with `*` for any characters, separated by commas; one that no type has is refused. */
export const eventPatterns = () =>
  z
    .string()
    .min(1)
    .max(MOST_PATTERNS_CHARACTERS)
    .superRefine((text, context) => {
      const refuse = (message: string): void =>
        context.addIssue({ code: 'custom', message, params: { type: 'value_error' } })
      for (const pattern of text.split(',')) {
        if (!EVENT_PATTERN.test(pattern)) {
          refuse('must be event types or patterns with * for any characters, separated by commas')
          return
        }
        if (matchesSomeType(pattern)) continue
        // what was given is not said back
        refuse(`matches no event type.${didYouMean(pattern, allEventTypes())} \`svc event types\` lists them`)
      }
    })
    .meta({ description: 'Event types or patterns with * for any characters, separated by commas' })

const lowerUuid = () => uuid().transform(id => id.toLowerCase())

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
    order: z.enum(['asc', 'desc']).default('desc').meta({ description: 'In the order of arrival, or newest first' }),
    from: z.literal('now').optional().meta({
      description: 'With order=asc: return no events and a next_cursor for events from now on',
    }),
    payload: flag().default(false).meta({ description: 'Include the webhook body of each event' }),
    limit: wholeNumber(1, MOST_EVENTS_LISTED).default(50),
    next_cursor: z.string().max(512).nullish(),
  })

/** Of the webhook body of an event: `eventBody` of its type says what it holds. */
const body = () => sensitive(z.looseObject({ event_type: z.string(), data: z.unknown() }))

const event = () => ({
  event_id: uuid(),
  event_type: z.string(),
  at: dateTime().meta({ description: "Time of the event, by the engine's clock" }),
  sequence: z.number().int().meta({ description: 'Increases by one for each event of a user' }),
  user_id: userId(),
  client_user_id: z.string(),
  samples: z.number().int().nullable().meta({ description: 'Number of samples in the event; null if it carries none' }),
})

const count = () => z.number().int()

export const eventPage = () =>
  z
    .object({
      data: z.array(
        z.object({
          ...event(),
          deliveries: z.object({ pending: count(), delivered: count(), dead: count() }),
          payload: body().optional(),
        }),
      ),
      next_cursor: z.string().nullable().meta({ description: 'Always set with order=asc, to read later events' }),
    })
    .meta({ id: 'EventPage' })

export const eventParams = () => z.object({ event_id: lowerUuid() })

/** An event with its webhook body and every attempt to deliver it. */
export const eventView = () =>
  z
    .object({
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
    .meta({ id: 'Event' })

const typeSummary = () => ({
  type: z.string(),
  description: z.string(),
  resource: z.string().nullable().meta({ description: 'Resource of the event, under its event name' }),
})

export const eventTypeQuery = () => z.object({ type: eventPatterns().optional() })
export const eventTypeList = () => z.object({ data: z.array(z.object(typeSummary())) }).meta({ id: 'EventTypeList' })
export const eventTypeParams = () => z.object({ type: z.string().min(1).max(128) })

/** A type of event, with the JSON Schema of its webhook body and a body that fits it. */
export const eventType = () =>
  z
    .object({
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
    .meta({ id: 'EventType' })
