/** Providers, and a user's connections to them (interface.md 2.2). */
import { z } from 'zod'
import { dateTime } from './primitives.ts'

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
      status: z.string(),
      created_on: dateTime(),
      external_user_id: z.string().nullable().optional().meta({ sensitive: true }),
      resource_availability: resourceAvailability(),
      error_details: z
        .object({ error_type: z.string(), error_message: z.string(), errored_at: dateTime() })
        .nullable()
        .optional(),
    })
    .meta({ id: 'ProviderEntry' })

export const userProviders = () => z.object({ providers: z.array(providerEntry()) }).meta({ id: 'UserProviders' })

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
      regions: z
        .array(z.string())
        .meta({ description: 'Regions to choose from when linking; empty where none applies' }),
    })
    .meta({ id: 'Provider' })

export const providerList = () => z.array(provider())
export const providerListQuery = () => z.object({ source_type: z.string().optional() })
