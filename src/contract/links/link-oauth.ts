/** Linking at a provider's consent page, and what a link token may be used for (interface-gaps 2.5). */
import { z } from 'zod'
import { PROVIDERS } from '../../catalogue/providers.ts'
import { line, openEnum, sensitive } from '../kernel/primitives.ts'

const oauthProvider = () =>
  z.enum(PROVIDERS.filter(each => each.authType === 'oauth').map(each => each.slug) as [string, ...string[]])

const authType = () => openEnum(['oauth', 'team_oauth', 'sdk', 'password', 'email', 'app', ''])

export const oauthParams = () => z.object({ provider: oauthProvider() })

/** A provider and where the user signs in at it. */
export const oauthSource = () =>
  z
    .object({
      id: z.number().int(),
      name: z.string(),
      slug: z.string(),
      description: z.string(),
      logo: z.string(),
      oauth_url: sensitive(z.string())
        .nullable()
        .meta({ sensitive: true, description: 'Consent page; null on the embedded engine while no server is running' }),
      auth_type: authType(),
      source_type: z.string().meta({ description: 'Main source type of the provider' }),
      is_active: z.boolean(),
      backfill_num_days: z.number().int(),
      group: z.string().nullable(),
      state: sensitive(z.string()).meta({
        sensitive: true,
        description: 'State of oauth_url, to answer the consent page without a browser',
      }),
    })
    .meta({ id: 'OAuthSource' })

/** A field of a provider's sign-in form. */
const formComponent = () =>
  z.object({
    label: z.string(),
    type: openEnum(['text', 'password', 'email', 'select']),
    required: z.boolean(),
    options: z.array(z.string()).optional(),
  })

/** One line of GET /v2/link/providers. */
export const sourceLink = () =>
  z
    .object({
      id: z.number().int(),
      name: z.string(),
      slug: z.string(),
      description: z.string(),
      logo: z.string(),
      oauth_url: z.string().nullable().meta({ description: 'Null: GET /v2/link/provider/oauth/{provider} makes one' }),
      auth_type: authType(),
      form_components: z.record(z.string(), formComponent()).meta({ description: 'Fields of the sign-in form' }),
    })
    .meta({ id: 'SourceLink' })

export const sourceLinks = () => z.array(sourceLink())

/** The answer of the user at the consent page; for whom, says the page's state in place of a link token. */
export const consentRequest = () =>
  z
    .object({
      decision: z.enum(['approve', 'deny']),
      scopes: z
        .array(z.string().min(1).max(128))
        .max(100)
        .nullish()
        .meta({ description: 'Granted scopes; absent means all' }),
      account: sensitive(line(512)).nullish().meta({ sensitive: true, description: 'Account at the provider' }),
    })
    .meta({ id: 'OAuthConsent' })
