/** Schemas for linking: link tokens, sign-in by password or e-mail, and multi-factor codes. See docs/interface/linking.md. */
import * as z from 'zod'
import type { AuthType, ProviderRegistry } from '../../catalogue/providers.ts'
import { REGIONS } from '../../catalogue/regions.ts'
import { isPlainHost } from '../../core/web-host.ts'
import { component, line, openEnum, sensitive, sensitiveText, userId, wrongValue } from '../kernel/primitives.ts'

const REDIRECT_URL_RULE =
  'must be an http or https URL, with a host of letters, digits, ".", "-" and "_" or an IP address'

/**
 * The slug of a provider that is linked in this way. Twelve of the shipped providers are linked by password. See
 * docs/interface/linking.md#linking-4.
 */
export const slugWith = (authType: AuthType, { all }: ProviderRegistry) =>
  z.enum(all.filter(each => each.authType === authType).map(each => each.slug))
const slug = ({ slugs }: ProviderRegistry) => z.enum<readonly string[]>(slugs)
const region = () => z.enum<readonly string[]>(REGIONS)

/** Body of POST /v2/link/token. */
export const linkTokenRequest = (providers: ProviderRegistry) =>
  z
    .object({
      user_id: userId(),
      provider: slug(providers).nullish(),
      redirect_url: z.string().max(2048).refine(isWebUrl, wrongValue(REDIRECT_URL_RULE)).nullish(),
      filter_on_providers: z.array(slug(providers)).min(1).nullish(),
      on_error: z
        .literal('redirect')
        .nullish()
        .meta({ description: 'Redirect after an error; by default the user can try again on the link page' }),
      on_close: z
        .literal('redirect')
        .nullish()
        .meta({ description: 'Redirect with user_cancelled when the link page is closed' }),
    })
    .refine(body => !body.provider || !body.filter_on_providers || body.filter_on_providers.includes(body.provider), {
      path: ['filter_on_providers'],
      ...wrongValue('must include the provider of the token'),
    })
    .meta({ id: 'LinkTokenRequest' })

export const linkTokenReply = () =>
  component('LinkToken', {
    link_token: sensitiveText(),
    link_web_url: z
      .string()
      .nullable()
      .meta({ description: 'URL of the link page; null on the embedded engine while no server is running' }),
  })

export const passwordParams = (providers: ProviderRegistry) => z.object({ provider: slugWith('password', providers) })

export const passwordRequest = () =>
  component('PasswordSignIn', {
    username: sensitive(line(512)),
    password: sensitive(z.string().min(1).max(1024)),
    region: region().nullish(),
  })

export const emailParams = (providers: ProviderRegistry) => z.object({ provider: slugWith('email', providers) })

/** Minimal pattern of an e-mail address: one @ with text on both sides, and no white space. */
const MAIL = /^[^\s@]+@[^\s@]+$/

export const emailRequest = (providers: ProviderRegistry) =>
  component('EmailSignIn', {
    email: sensitive(line(320).refine(text => MAIL.test(text.trim()), wrongValue('must be an e-mail address'))),
    region: region().nullish().meta({ description: "Defaults to us, or to the provider's first region" }),
    provider: slug(providers)
      .nullish()
      .meta({ deprecated: true, description: 'Ignored, because the provider is in the path' }),
  })

export const mfaRequest = () => z.object({ mfa_code: sensitive(z.string().min(1).max(64)) }).meta({ id: 'MfaCode' })

/** Number of wrong codes after which the pending step is no longer valid. See docs/interface/linking.md#linking-7. */
export const MOST_WRONG_CODES = 5

/** Identifies a pending step by user and provider, without its link token (operators only). */
export const userMfaParams = (providers: ProviderRegistry) =>
  z.object({ user_id: userId(), provider: slugWith('password', providers) })

export const LINK_ERROR_TYPES = [
  'invalid_token',
  'token_expired',
  'token_not_validated',
  'token_consumed',
  'provider_credential_error',
  'provider_password_expired',
  'provider_api_error',
  'unsupported_region',
  'duplicate_connection',
  'required_scopes_not_granted',
  'incorrect_mfa_code',
  'user_cancelled',
] as const
export type LinkErrorType = (typeof LINK_ERROR_TYPES)[number]

/** The 200 response of every link call, including failures. See docs/interface/linking.md#linking-9. */
export const linkResult = () =>
  component('LinkResult', {
    state: openEnum(['success', 'error', 'pending_provider_mfa']),
    provider: z.string(),
    connected: z.boolean(),
    provider_id: z.string().nullable(),
    redirect_url: z.string().nullable(),
    error_type: openEnum(LINK_ERROR_TYPES).nullable(),
    error: z.string().nullable(),
    provider_mfa: z.object({ method: openEnum(['sms', 'email']), hint: sensitiveText() }).nullable(),
  })

function isWebUrl(text: string): boolean {
  try {
    const url = new URL(text)
    // the URL parser drops white space and line breaks, but the stored text must be the text that was checked
    if (url.href.length < text.trim().length && /\s/.test(text)) return false
    const isWeb = (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === ''
    return isWeb && (isPlainHost(url.hostname) || url.hostname.startsWith('['))
  } catch {
    return false
  }
}
