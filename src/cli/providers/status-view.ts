/** Shows the state of live providers: figures for each OAuth app, its connections, and the collections pulled for each connection. */
import type { ResponseOf } from '../../client/client.ts'
import { fields, ranked, type View, view } from '../../output/view.ts'

export type LiveStatus = ResponseOf<'provider.status'>
type Provider = LiveStatus['providers'][number]
type Connection = LiveStatus['connections'][number]
type Collection = Connection['collections'][number]
type CollectionRow = Pick<Connection, 'user_id' | 'provider'> & Collection

export function providersView({ providers }: LiveStatus): View<Provider> {
  return ranked(
    ['provider', 'connections', 'in_error', 'delivery', 'last_pull_at', 'next_pull_at', 'requests', 'blocked_until'],
    view(
      providers,
      {
        ...fields<Provider>('provider', 'connections', 'in_error', 'in_history'),
        delivery: ({ delivery }) => (delivery === 'polling' ? 'polling only' : delivery),
        waiting: ({ waiting_notifications }) => waiting_notifications,
        subscriptions: ({ subscriptions }) => subscriptionsText(subscriptions),
        requests: ({ limits }) => limits.map(limitText).join(', '),
        ...fields<Provider>('blocked_until', 'last_pull_at', 'next_pull_at'),
      },
      'No provider is live. Set one up with `svc provider setup PROVIDER --client-id ID`.',
    ),
  )
}

export function connectionsView({ connections }: LiveStatus): View<Connection> {
  return ranked(
    ['user_id', 'provider', 'status', 'error', 'grant', 'history', 'last_pull_at', 'next_pull_at', 'problems'],
    view(
      connections,
      {
        ...fields<Connection>('user_id', 'provider', 'status'),
        error: ({ error_type }) => error_type,
        grant: ({ grant }) => grant.state,
        renewals: ({ grant }) => grant.renewals,
        grant_expires_at: ({ grant }) => grant.expires_at,
        history: historyText,
        problems: problemsText,
        subscriptions: ({ subscriptions }) => subscriptionsText(subscriptions),
        ...fields<Connection>('last_pull_at', 'next_pull_at'),
      },
      NO_CONNECTION,
    ),
  )
}

export function collectionsView({ connections }: LiveStatus): View<CollectionRow> {
  const rows = connections.flatMap(({ user_id, provider, collections }) =>
    collections.map(collection => ({ user_id, provider, ...collection })),
  )
  return ranked(
    ['name', 'state', 'provider', 'user_id', 'reached', 'received', 'due_at', 'last_error', 'last_pull_at'],
    view(
      rows,
      {
        ...fields<CollectionRow>('user_id', 'provider', 'name', 'state', 'reached', 'until', 'goal', 'received'),
        unmapped: ({ unmapped }) => Object.values(unmapped).reduce((sum, count) => sum + count, 0),
        ...fields<CollectionRow>('failures'),
        last_error: ({ last_error }) => last_error && `${last_error.kind}: ${last_error.message}`,
        ...fields<CollectionRow>('last_pull_at', 'due_at'),
      },
      NO_CONNECTION,
    ),
  )
}

const NO_CONNECTION = 'No live connections. Link a provider with `svc link oauth PROVIDER --user USER`.'

function limitText({ most, window_seconds, used }: Provider['limits'][number]): string {
  return `${used} of ${most} in ${spanText(window_seconds)}`
}

function spanText(seconds: number): string {
  const [unit, size] = UNITS.find(([, each]) => seconds >= each && seconds % each === 0) ?? ['s', 1]
  return `${seconds / size} ${unit}`
}

const UNITS: readonly (readonly [string, number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
]

function subscriptionsText(subscriptions: Provider['subscriptions']): string {
  const failing = subscriptions.filter(({ last_error }) => last_error !== null).length
  return failing === 0 ? String(subscriptions.length) : `${subscriptions.length}, ${failing} failing`
}

function historyText({ collections }: Connection): string {
  const complete = collections.filter(({ state }) => state !== 'history').length
  return complete === collections.length ? 'complete' : `${complete} of ${collections.length}`
}

/** Returns the names of the collections whose last pull failed. */
function problemsText({ error_message, collections }: Connection): string | null {
  if (error_message !== null) return error_message
  const failing = collections.flatMap(({ name, last_error }) => (last_error ? [`${name}: ${last_error.kind}`] : []))
  return failing.join(', ') || null
}
