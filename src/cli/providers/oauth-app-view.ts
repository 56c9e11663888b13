/** Shows the OAuth apps of live providers. */
import type { ResponseOf } from '../../client/client.ts'
import { type Facts, factSheet, fields, ranked, type View, view } from '../../output/view.ts'

export type OAuthApp = ResponseOf<'provider.setup'>

export function oauthAppView({ scopes, settings, notes: _, ...app }: OAuthApp): View<Facts> {
  return factSheet({ ...app, scopes: scopes.join(' '), settings: settingsText(settings) })
}

export function oauthAppsView(apps: readonly OAuthApp[]): View<OAuthApp> {
  return ranked(
    ['provider', 'client_id', 'redirect_url', 'notification_url', 'scopes', 'updated_at'],
    view(
      apps,
      {
        ...fields<OAuthApp>('provider', 'client_id', 'redirect_url', 'notification_url'),
        scopes: ({ scopes }) => scopes.join(' '),
        settings: ({ settings }) => settingsText(settings),
        ...fields<OAuthApp>('keep_raw', 'authorize_url', 'token_url', 'api_url', 'created_at', 'updated_at'),
      },
      'No provider is live. Set one up with `svc provider setup PROVIDER --client-id ID`.',
    ),
  )
}

function settingsText(settings: OAuthApp['settings']): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}
