/** Schemas of the operator operations on webhook endpoints. See docs/webhooks.md. */
import * as z from 'zod'
import { allEventTypes, isEventType } from '../../catalogue/event-types.ts'
import { didYouMean } from '../../core/errors.ts'
import { parseSigningSecret } from '../../core/signing-secret.ts'
import { eventPattern } from '../events/event-pattern.ts'
import {
  component,
  date,
  dateTime,
  line,
  lowerUuid,
  sensitive,
  sensitiveText,
  strictComponent,
  wrongValue,
} from '../kernel/primitives.ts'

/** Maximum number of endpoints per team. */
export const MOST_ENDPOINTS = 500
export const DEFAULT_CONCURRENCY = 10
export const DEFAULT_OVERLAP_HOURS = 24
/** Event type that a test sends by default. */
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
    .meta({ description: 'https URL; http to localhost, 127.0.0.1 or [::1] if the key and the server allow it' }),
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
      'must have 2 to 31 of the characters a-z, 0-9 and -, begin with a letter and end with -, such as svix-',
    )
    .refine(prefix => prefix !== 'webhook-', wrongValue('must not be webhook-, because these headers are always sent'))
    .nullable()
    .meta({ description: 'Also send the webhook-… headers with this prefix' }),
  concurrency: z.int().min(1).max(MOST_CONCURRENCY).meta({ description: 'Maximum number of concurrent deliveries' }),
  rate_limit: z
    .int()
    .min(1)
    .max(MOST_RATE)
    .nullable()
    .meta({ description: 'Maximum number of deliveries per second; null for no limit' }),
})

/** A secret chosen by the team. Messages never repeat any part of it. */
const givenSecret = () =>
  sensitive(
    z.string().superRefine((text, context) => {
      const read = parseSigningSecret(text)
      if ('problem' in read) {
        context.addIssue({ code: 'custom', ...wrongValue(read.problem) })
      }
    }),
  ).meta({ description: 'whsec_ followed by the base64 of 24 to 64 bytes; defaults to 32 random bytes' })

/** A new endpoint; absent fields have their defaults. */
export const newEndpoint = () => {
  const { url, description, event_types, header_prefix, concurrency, rate_limit } = settings()
  return strictComponent('NewWebhookEndpoint', {
    url,
    description: description.default(''),
    event_types: event_types.default(['*']),
    header_prefix: header_prefix.default(null),
    concurrency: concurrency.default(DEFAULT_CONCURRENCY),
    rate_limit: rate_limit.default(null),
    secret: givenSecret().optional(),
  })
}

/** A change to an endpoint; absent fields stay unchanged. */
export const endpointChange = () => z.strictObject(settings()).partial().meta({ id: 'WebhookEndpointChange' })

/** An endpoint without its secret. */
export const endpointView = () =>
  component('WebhookEndpoint', {
    endpoint_id: z.string(),
    url: z.string(),
    description: z.string(),
    event_types: z.array(z.string()),
    header_prefix: z.string().nullable(),
    concurrency: z.int(),
    rate_limit: z.int().nullable(),
    state: z.enum(['enabled', 'disabled']),
    disabled_reason: z
      .enum(['manual', 'failing', 'gone'])
      .nullable()
      .meta({ description: 'manual, failing (every attempt failed for five days) or gone (it responded with 410)' }),
    disabled_at: dateTime().nullable(),
    failing_since: dateTime()
      .nullable()
      .meta({ description: 'Time since which every attempt failed; null if the last one succeeded' }),
    target_problem: z.string().nullable().meta({
      description:
        "Why this process's settings prevent deliveries to the URL, and how to fix this; null if they allow them",
    }),
    former_secret_until: dateTime()
      .nullable()
      .meta({ description: 'Real time until which the previous secret also signs' }),
    waiting: z.int().meta({ description: 'Number of waiting deliveries' }),
    dead: z.int().meta({ description: 'Number of dead deliveries, which can be resent' }),
    created_at: dateTime(),
    updated_at: dateTime(),
  })

/** The only response that contains the secret. */
export const endpointWithSecret = () =>
  z.object({ ...endpointView().shape, secret: sensitiveText() }).meta({ id: 'WebhookEndpointWithSecret' })

/** All of the team's endpoints, oldest first. */
export const endpointList = () => z.object({ endpoints: z.array(endpointView()) }).meta({ id: 'WebhookEndpointList' })

/** Delivery attempts to an endpoint in the last 14 UTC days, oldest first. */
export const endpointDays = () =>
  component('WebhookEndpointDays', {
    days: z.array(
      z.object({
        date: date(),
        delivered: z.int().meta({ description: 'Number of successful attempts' }),
        failed: z.int().meta({ description: 'Number of failed attempts' }),
        mean_ms: z.number().nullable().meta({ description: 'Mean duration of the attempts; null if there were none' }),
      }),
    ),
  })

export const endpointParams = () => z.object({ endpoint_id: lowerUuid() })

export const secretRotation = () =>
  strictComponent('WebhookSecretRotation', {
    overlap_hours: z
      .int()
      .min(0)
      .max(MOST_OVERLAP_HOURS)
      .default(DEFAULT_OVERLAP_HOURS)
      .meta({ description: 'Hours during which the previous secret also signs; 0 ends it immediately' }),
    secret: givenSecret().optional(),
  })

/** The request body for a test event. `type` is one event type, never a pattern. */
export const endpointTest = () =>
  strictComponent('WebhookTest', {
    type: z
      .string()
      .max(128)
      .superRefine((type, context) => {
        if (isEventType(type)) return
        const message = `is not an event type.${didYouMean(type, allEventTypes())} Run \`svc event types\` to list them`
        context.addIssue({ code: 'custom', ...wrongValue(message) })
      })
      .default(DEFAULT_TEST_TYPE),
  })

/** The event that was queued for this endpoint only. */
export const endpointTestReply = () =>
  component('WebhookTestEvent', {
    event_id: z.string(),
    event_type: z.string(),
    endpoint_id: z.string(),
    user_id: z.string().meta({ description: "Id of the team's newest user, who is named in the example" }),
  })
