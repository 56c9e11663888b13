/**
 * Schemas for linking through a provider's consent page, and for the providers that a link token can be used for. See
 * docs/interface/linking.md#linking-24.
 */
import * as z from 'zod'
import type { ProviderRegistry } from '../../catalogue/providers.ts'
import { component, line, openEnum, sensitive, sensitiveText } from '../kernel/primitives.ts'
import { slugWith } from './link.ts'

const authType = () => openEnum(['oauth', 'team_oauth', 'sdk', 'password', 'email', 'app', ''])

export const oauthParams = (providers: ProviderRegistry) => z.object({ provider: slugWith('oauth', providers) })

/** A provider with the URL of its consent page. */
export const oauthSource = () =>
  component('OAuthSource', {
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    logo: z.string(),
    oauth_url: sensitiveText().nullable().meta({
      sensitive: true,
      description:
        'URL of the consent page; null while no server is running, unless a live provider has a redirect URL of its own',
    }),
    auth_type: authType(),
    source_type: z.string().meta({ description: 'Main source type of the provider' }),
    is_active: z.boolean(),
    backfill_num_days: z.int(),
    group: z.string().nullable(),
    state: sensitiveText().meta({
      sensitive: true,
      description: 'State parameter of oauth_url, needed to submit the consent page without a browser',
    }),
  })

/** A field of a provider's sign-in form. */
const formComponent = () =>
  z.object({
    label: z.string(),
    type: openEnum(['text', 'password', 'email', 'select']),
    required: z.boolean(),
    options: z.array(z.string()).optional(),
  })

/** One entry of GET /v2/link/providers. */
export const sourceLink = () =>
  component('SourceLink', {
    id: z.int(),
    name: z.string(),
    slug: z.string(),
    description: z.string(),
    logo: z.string(),
    oauth_url: z
      .string()
      .nullable()
      .meta({ description: 'Always null; use GET /v2/link/provider/oauth/{provider} to get the URL' }),
    auth_type: authType(),
    form_components: z.record(z.string(), formComponent()).meta({ description: 'Fields of the sign-in form' }),
  })

export const sourceLinks = () => z.array(sourceLink())

/** The parameters that a live provider's consent page returns. */
export const callbackRequest = () =>
  component('OAuthCallback', {
    parameters: sensitive(z.record(z.string().max(128), z.string().max(4_096))).meta({
      sensitive: true,
      description: 'All query parameters of the URL that the provider redirected to',
    }),
  })

/** The user's decision on the consent page. The page's state replaces the link token and identifies the user. */
export const consentRequest = () =>
  component('OAuthConsent', {
    decision: z.enum(['approve', 'deny']),
    scopes: z
      .array(z.string().min(1).max(128))
      .max(100)
      .nullish()
      .meta({ description: 'Granted scopes; all if absent' }),
    account: sensitive(line(512)).nullish().meta({ sensitive: true, description: 'Account name at the provider' }),
  })
