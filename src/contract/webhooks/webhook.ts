/** Our own operations on webhook endpoints, where events are sent to: their schemas (interface.md 6). */
import { z } from 'zod'
import { allEventTypes, isEventType } from '../../catalogue/event-types.ts'
import { didYouMean } from '../../core/errors.ts'
import { readSecret } from '../../core/signing-secret.ts'
import { eventPattern } from '../events/event-pattern.ts'
import { dateTime, line, sensitive, uuid } from '../kernel/primitives.ts'

/** Of a team. */
export const MOST_ENDPOINTS = 500
export const DEFAULT_CONCURRENCY = 10
export const DEFAULT_OVERLAP_HOURS = 24
/** What a test sends unless it is told otherwise. */
export const DEFAULT_TEST_TYPE = 'provider.connection.created'
const MOST_CONCURRENCY = 100
const MOST_RATE = 10_000
const MOST_PATTERNS = 100
const MOST_DESCRIPTION_CHARACTERS = 200
const MOST_URL_CHARACTERS = 2_048
const MOST_OVERLAP_HOURS = 7 * 24
const HEADER_PREFIX = /^[a-z][a-z0-9-]{0,29}-$/

const settings = () => ({
  url: z
    .string()
    .min(1)
    .max(MOST_URL_CHARACTERS)
    .meta({ description: 'https; or http to localhost, 127.0.0.1 or [::1], where the key and the server allow it' }),
  description: z.union([z.literal(''), line(MOST_DESCRIPTION_CHARACTERS)]),
  event_types: z
    .array(eventPattern())
    .min(1)
    .max(MOST_PATTERNS)
    .meta({ description: 'Event types or patterns with * for any characters; * for all' }),
  header_prefix: z
    .string()
    .regex(
      HEADER_PREFIX,
      'must have 2 to 31 characters of a-z, 0-9 and -, begin with a letter and end with -, such as svix-',
    )
    .refine(prefix => prefix !== 'webhook-', {
      message: 'must not be webhook-, because these headers are always sent',
      params: { type: 'value_error' },
    })
    .nullable()
    .meta({ description: 'Also send the webhook-… headers with this prefix' }),
  concurrency: z
    .number()
    .int()
    .min(1)
    .max(MOST_CONCURRENCY)
    .meta({ description: 'Maximum number of deliveries at the same time' }),
  rate_limit: z
    .number()
    .int()
    .min(1)
    .max(MOST_RATE)
    .nullable()
    .meta({ description: 'Maximum number of deliveries a second; null for no limit' }),
})

/** A secret that somebody chose; what is wrong with it is said without a part of it. */
const givenSecret = () =>
  sensitive(
    z.string().superRefine((text, context) => {
      const read = readSecret(text)
      if ('problem' in read) {
        context.addIssue({ code: 'custom', message: read.problem, params: { type: 'value_error' } })
      }
    }),
  ).meta({ description: 'whsec_ and the base64 of 24 to 64 bytes; defaults to 32 random bytes' })

/** What is not sent has its default. */
export const newEndpoint = () => {
  const { url, description, event_types, header_prefix, concurrency, rate_limit } = settings()
  return z
    .strictObject({
      url,
      description: description.default(''),
      event_types: event_types.default(['*']),
      header_prefix: header_prefix.default(null),
      concurrency: concurrency.default(DEFAULT_CONCURRENCY),
      rate_limit: rate_limit.default(null),
      secret: givenSecret().optional(),
    })
    .meta({ id: 'NewWebhookEndpoint' })
}

/** What is not sent stays as it is. */
export const endpointChange = () => z.strictObject(settings()).partial().meta({ id: 'WebhookEndpointChange' })

/** An endpoint without its secret. */
export const endpointView = () =>
  z
    .object({
      endpoint_id: z.string(),
      url: z.string(),
      description: z.string(),
      event_types: z.array(z.string()),
      header_prefix: z.string().nullable(),
      concurrency: z.number().int(),
      rate_limit: z.number().int().nullable(),
      state: z.enum(['enabled', 'disabled']),
      disabled_reason: z
        .enum(['manual', 'failing', 'gone'])
        .nullable()
        .meta({ description: 'manual, failing (five days of failures) or gone (it answered 410)' }),
      disabled_at: dateTime().nullable(),
      failing_since: dateTime()
        .nullable()
        .meta({ description: 'Time since which every attempt failed; null if the last one succeeded' }),
      target_problem: z.string().nullable().meta({
        description: 'Why nothing is sent to the URL as this process is set up, and what to do; null: it is',
      }),
      former_secret_until: dateTime()
        .nullable()
        .meta({ description: 'Time until which the previous secret also signs, by real time' }),
      waiting: z.number().int().meta({ description: 'Number of waiting deliveries' }),
      dead: z.number().int().meta({ description: 'Number of dead deliveries, which can be resent' }),
      created_at: dateTime(),
      updated_at: dateTime(),
    })
    .meta({ id: 'WebhookEndpoint' })

/** The only time the secret is shown. */
export const endpointWithSecret = () =>
  z.object({ ...endpointView().shape, secret: sensitive(z.string()) }).meta({ id: 'WebhookEndpointWithSecret' })

/** All of the team, oldest first. */
export const endpointList = () => z.object({ endpoints: z.array(endpointView()) }).meta({ id: 'WebhookEndpointList' })

export const endpointParams = () => z.object({ endpoint_id: uuid().transform(id => id.toLowerCase()) })

export const secretRotation = () =>
  z
    .strictObject({
      overlap_hours: z
        .number()
        .int()
        .min(0)
        .max(MOST_OVERLAP_HOURS)
        .default(DEFAULT_OVERLAP_HOURS)
        .meta({ description: 'How long the previous secret also signs; 0 ends it immediately' }),
      secret: givenSecret().optional(),
    })
    .meta({ id: 'WebhookSecretRotation' })

/** `type` is one event type, never a pattern. */
export const endpointTest = () =>
  z
    .strictObject({
      type: z
        .string()
        .max(128)
        .superRefine((type, context) => {
          if (isEventType(type)) return
          const message = `is no event type.${didYouMean(type, allEventTypes())} \`svc event types\` lists them`
          context.addIssue({ code: 'custom', message, params: { type: 'value_error' } })
        })
        .default(DEFAULT_TEST_TYPE),
    })
    .meta({ id: 'WebhookTest' })

/** The event that was queued for the endpoint alone. */
export const endpointTestReply = () =>
  z
    .object({
      event_id: z.string(),
      event_type: z.string(),
      endpoint_id: z.string(),
      user_id: z.string().meta({ description: 'Newest user of the team, named in the example' }),
    })
    .meta({ id: 'WebhookTestEvent' })
