/** Schemas of the state of live providers: figures per OAuth app, and pulls per connection. See docs/live-providers.md. */
import * as z from 'zod'
import { component, dateTime, line, openEnum, userId, wholeNumber } from '../kernel/primitives.ts'

const DEFAULT_CONNECTIONS = 50
const MOST_CONNECTIONS = 500

export const statusQuery = () =>
  z.object({
    provider: line(64).optional().meta({ description: 'Only this provider' }),
    user_id: userId().optional().meta({ description: 'Only the connections of this user' }),
    limit: wholeNumber(1, MOST_CONNECTIONS)
      .default(DEFAULT_CONNECTIONS)
      .meta({ description: 'Maximum number of connections to return' }),
    cursor: z.string().max(500).optional().meta({ description: 'Continue from this cursor' }),
  })

const failure = () =>
  component('PullFailure', {
    kind: z.string().meta({ description: 'Kind of the failure, such as unavailable or rate_limited' }),
    message: z.string(),
    at: dateTime(),
  })

const subscription = () =>
  component('ProviderSubscription', {
    name: z.string(),
    expires_at: dateTime().nullable(),
    failures: z.int().meta({ description: 'Failures in a row' }),
    last_error: z.string().nullable(),
  })

const limit = () =>
  component('ProviderLimit', {
    most: z.int().meta({ description: 'Maximum number of requests in the window' }),
    window_seconds: z.number(),
    used: z.int().meta({ description: 'Number of requests in the current window' }),
  })

/** Figures for one OAuth app. */
export const providerStatus = () =>
  component('LiveProviderStatus', {
    provider: z.string(),
    connections: z.int(),
    in_error: z.int().meta({ description: 'Number of connections in state error' }),
    in_history: z.int().meta({ description: 'Number of connections whose history is being pulled' }),
    last_pull_at: dateTime().nullable(),
    next_pull_at: dateTime().nullable(),
    delivery: openEnum(['notifications', 'polling']).meta({
      description: 'Whether the provider can announce new data, or is only polled',
    }),
    waiting_notifications: z.int(),
    limits: z.array(limit()),
    blocked_until: dateTime().nullable().meta({ description: 'End of a pause that the provider requested' }),
    subscriptions: z.array(subscription()),
  })

const collection = () =>
  component('CollectionStatus', {
    name: z.string().meta({ description: "The provider's name for the collection" }),
    state: openEnum(['history', 'polling']),
    reached: dateTime().meta({ description: 'Time since which all data is stored' }),
    until: dateTime(),
    goal: dateTime().nullable().meta({ description: 'Start of the history; null while it is unknown' }),
    due_at: dateTime(),
    last_pull_at: dateTime().nullable(),
    failures: z.int().meta({ description: 'Failures in a row' }),
    last_error: failure().nullable(),
    received: z.int().meta({ description: 'Number of records and samples so far' }),
    unmapped: z
      .record(z.string(), z.int())
      .meta({ description: "Number of values without a mapping, by the provider's name for their kind" }),
  })

/** One live connection. */
export const connectionStatus = () =>
  component('LiveConnectionStatus', {
    user_id: z.string(),
    provider: z.string(),
    status: openEnum(['connected', 'error', 'paused']),
    error_type: z.string().nullable(),
    error_message: z.string().nullable(),
    grant: z
      .object({
        state: openEnum(['active', 'moved', 'missing']).meta({
          description:
            'moved: another store has used it since the engine was copied; missing: the user must connect again',
        }),
        expires_at: dateTime().nullable().meta({ description: 'When the access token expires and is refreshed' }),
        renewals: z.int(),
      })
      .meta({ id: 'GrantStatus' }),
    last_pull_at: dateTime().nullable(),
    next_pull_at: dateTime().nullable(),
    collections: z.array(collection()),
    subscriptions: z.array(subscription()),
  })

export const statusReply = () =>
  component('LiveStatus', {
    providers: z.array(providerStatus()),
    connections: z.array(connectionStatus()).meta({ description: 'Connections by user and provider' }),
    next_cursor: z.string().nullable(),
  })
