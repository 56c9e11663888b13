/** Shows the OAuth apps of live providers. */
import type { ResponseOf } from '../../client/client.ts'
import { type Facts, factSheet, fields, ranked, type View, view } from '../../output/view.ts'

export type Setup = ResponseOf<'provider.setup'>

export function setupView({ scopes, settings, notes: _, ...setup }: Setup): View<Facts> {
  return factSheet({ ...setup, scopes: scopes.join(' '), settings: settingsText(settings) })
}

export function setupsView(setups: readonly Setup[]): View<Setup> {
  return ranked(
    ['provider', 'client_id', 'redirect_url', 'notification_url', 'scopes', 'updated_at'],
    view(
      setups,
      {
        ...fields<Setup>('provider', 'client_id', 'redirect_url', 'notification_url'),
        scopes: ({ scopes }) => scopes.join(' '),
        settings: ({ settings }) => settingsText(settings),
        ...fields<Setup>('keep_raw', 'authorize_url', 'token_url', 'api_url', 'created_at', 'updated_at'),
      },
      'No provider is live. Set one up with `svc provider setup PROVIDER --client-id ID`.',
    ),
  )
}

function settingsText(settings: Setup['settings']): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')
}
