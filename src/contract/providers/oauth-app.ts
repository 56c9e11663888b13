/**
 * Schemas of OAuth apps: a team's registrations at providers, which make the providers live for that team. See docs/live-providers.md.
 */
import * as z from 'zod'
import { component, dateTime, flag, line, sensitive, sensitiveText, strictComponent } from '../kernel/primitives.ts'

const MOST_URL_CHARACTERS = 2_048
const MOST_SCOPES = 50
const MOST_SETTING_CHARACTERS = 500
const MOST_KEY_FILE_CHARACTERS = 20_000

/** Identifies a provider. The handler refuses a provider that cannot be set up, and lists the ones that can. */
export const oauthAppParams = () => z.object({ provider: line(64) })

const url = (description: string) => line(MOST_URL_CHARACTERS).nullish().meta({ description })

/** A new or changed OAuth app. In both cases, absent fields have their defaults. */
export const newOAuthApp = () =>
  strictComponent('NewProviderSetup', {
    client_id: line(500).meta({ description: 'Client ID of the registration at the provider' }),
    client_secret: sensitive(line(2_000)).meta({
      sensitive: true,
      description: 'Client secret; stored encrypted and never shown',
    }),
    redirect_url: url(
      'Redirect URL registered at the provider; by default /oauth/{provider}/callback of the public URL',
    ),
    scopes: z
      .array(line(200))
      .min(1)
      .max(MOST_SCOPES)
      .nullish()
      .meta({ description: 'Scopes to request; by default, all known scopes' }),
    authorize_url: url('URL of the consent page, if it is not the usual one'),
    token_url: url('URL that exchanges and refreshes tokens, if it is not the usual one'),
    api_url: url('URL of the API, if it is not the usual one'),
    settings: z
      .record(line(64), line(MOST_SETTING_CHARACTERS))
      .nullish()
      .meta({ description: 'Values of provider-specific settings' }),
    service_account: sensitive(z.string().min(1).max(MOST_KEY_FILE_CHARACTERS).nullish()).meta({
      sensitive: true,
      description:
        "Content of a service account's key file (JSON), if subscriptions need one (google_health); stored encrypted and never shown",
    }),
    keep_raw: z
      .boolean()
      .nullish()
      .meta({ description: "Keep the provider's responses, encrypted, for 30 days; false by default" }),
  })

/** An OAuth app without its secrets. */
export const oauthAppView = () =>
  component('ProviderSetup', {
    provider: z.string(),
    client_id: z.string(),
    redirect_url: z.string().nullable().meta({
      description: 'Redirect URL to register at the provider; null while no server is running and none is set',
    }),
    scopes: z.array(z.string()),
    authorize_url: z.string(),
    token_url: z.string(),
    api_url: z.string(),
    settings: z.record(z.string(), z.string()),
    keep_raw: z.boolean(),
    notification_url: sensitiveText().nullable().meta({
      sensitive: true,
      description: "URL that receives the provider's notifications; null without a public https URL",
    }),
    notes: z
      .array(z.string())
      .meta({ description: 'Values to enter by hand at the provider, and features that do not work' }),
    created_at: dateTime(),
    updated_at: dateTime(),
  })

/** The team's OAuth apps, by provider. */
export const oauthAppList = () => z.object({ setups: z.array(oauthAppView()) }).meta({ id: 'ProviderSetupList' })

export const teardownQuery = () =>
  z.object({
    disconnect: flag()
      .default(false)
      .meta({ description: 'Disconnect the live connections first, and end their access at the provider' }),
  })

export const teardownReply = () =>
  component('ProviderTeardown', {
    provider: z.string(),
    disconnected: z.int().meta({ description: 'Number of connections that were disconnected' }),
    not_revoked: z.int().meta({ description: 'Number of connections whose access could not be ended at the provider' }),
  })
