/** Schemas of providers, and of users' connections to them. See docs/interface/connections.md. */
import * as z from 'zod'
import { component, dateTime, line, openEnum, userId } from '../kernel/primitives.ts'

/** Reasons for a connection's error state. See docs/interface/connections.md#connections-3. */
export const CONNECTION_ERROR_TYPES = [
  'token_refresh_failed',
  'webhook_registration_failed',
  'user_not_found',
  'deregistered_per_provider',
  'required_scopes_not_granted',
  'provider_credential_error',
  'provider_password_expired',
  'unknown',
] as const

const scopes = () => z.object({ required: z.array(z.string()), optional: z.array(z.string()) })

export const resourceAvailability = () =>
  z
    .record(
      z.string(),
      z.object({
        status: z.enum(['available', 'unavailable']),
        scope_requirements: z.object({ user_granted: scopes(), user_denied: scopes() }).nullable(),
      }),
    )
    .meta({ id: 'ResourceAvailability' })

const mode = (description: string) => z.enum(['live', 'simulated']).meta({ description })

export const providerEntry = () =>
  component('ProviderEntry', {
    name: z.string(),
    slug: z.string(),
    logo: z.string(),
    status: openEnum(['connected', 'error', 'paused']),
    created_on: dateTime(),
    external_user_id: z.string().nullish().meta({ sensitive: true }),
    resource_availability: resourceAvailability(),
    error_details: z
      .object({
        error_type: openEnum(CONNECTION_ERROR_TYPES),
        error_message: z.string(),
        errored_at: dateTime(),
      })
      .nullish()
      .meta({ description: 'Details of the error; set only while the status is error' }),
    mode: mode('live: data comes from the provider itself'),
  })

export const userProviders = () => z.object({ providers: z.array(providerEntry()) }).meta({ id: 'UserProviders' })

/** Identifies a user's connection. The handler refuses an unknown slug and suggests the nearest ones. */
export const connectionParams = () => z.object({ user_id: userId(), provider: line(64) })

/** The body of an operator's request to put a connection into the error state. */
export const connectionFailure = () =>
  component('ConnectionFailure', {
    error_type: z.enum(CONNECTION_ERROR_TYPES),
    error_message: line(500).optional().meta({ description: 'Debug text; by default, a text that fits error_type' }),
  })

/** One entry of GET /v2/providers. */
export const provider = () =>
  component('Provider', {
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    logo: z.string().nullable(),
    auth_type: z.string(),
    supported_resources: z.array(z.string()).meta({
      description:
        'Resources that the provider supplies; if it is live, those that its connector supplies with the requested scopes',
    }),
    regions: z
      .array(z.string())
      .meta({ description: 'Regions to choose from when linking; empty if the provider has none' }),
    mode: mode('live: the team has set up the provider, so new connections are live'),
    value_kinds: z.record(z.string(), z.array(z.string())).meta({
      description: 'Kinds of the values that the provider supplies, by resource; only for resources with several kinds',
    }),
  })

export const providerList = () => z.array(provider())
export const providerListQuery = () => z.object({ source_type: z.string().optional() })
