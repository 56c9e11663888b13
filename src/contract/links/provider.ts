/** Providers, and a user's connections to them (interface.md 2.2). */
import { z } from 'zod'
import { dateTime, line, openEnum, userId } from '../kernel/primitives.ts'

/** What ends a connection (interface-gaps 2.2). */
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

export const providerEntry = () =>
  z
    .object({
      name: z.string(),
      slug: z.string(),
      logo: z.string(),
      status: openEnum(['connected', 'error', 'paused']),
      created_on: dateTime(),
      external_user_id: z.string().nullable().optional().meta({ sensitive: true }),
      resource_availability: resourceAvailability(),
      error_details: z
        .object({
          error_type: openEnum(CONNECTION_ERROR_TYPES),
          error_message: z.string(),
          errored_at: dateTime(),
        })
        .nullable()
        .optional()
        .meta({ description: 'Set while the status is error' }),
    })
    .meta({ id: 'ProviderEntry' })

export const userProviders = () => z.object({ providers: z.array(providerEntry()) }).meta({ id: 'UserProviders' })

/** A connection of a user; an unknown slug is refused by the handler, which names the nearest ones. */
export const connectionParams = () => z.object({ user_id: userId(), provider: line(64) })

/** What an operator brings about. */
export const connectionFailure = () =>
  z
    .object({
      error_type: z.enum(CONNECTION_ERROR_TYPES),
      error_message: line(500).optional().meta({ description: 'Debug text; defaults to one that fits the type' }),
    })
    .meta({ id: 'ConnectionFailure' })

/** One line of GET /v2/providers (interface-gaps 2.5). */
export const provider = () =>
  z
    .object({
      name: z.string(),
      slug: z.string(),
      description: z.string(),
      logo: z.string().nullable(),
      auth_type: z.string(),
      supported_resources: z.array(z.string()),
      regions: z.array(z.string()).meta({ description: 'Regions to choose from when linking; empty if none applies' }),
    })
    .meta({ id: 'Provider' })

export const providerList = () => z.array(provider())
export const providerListQuery = () => z.object({ source_type: z.string().optional() })
