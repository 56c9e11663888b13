/** A small live connector for a provider without one, and its fake provider, for tests of OAuth apps, links, token sets and revocation. */
import type { ProviderScope } from '../../src/catalogue/provider.ts'
import type { LiveConnector } from '../../src/connectors/live/live-connector.ts'
import {
  buildAuthorizationUrl,
  type StandardOAuth,
  standardExchange,
  standardRefresh,
} from '../../src/connectors/live/oauth.ts'
import { member } from '../../src/connectors/shared/json-fields.ts'
import { type FakeProvider, type FakeProviderOptions, openFakeProvider } from './fake-provider.ts'

const OAUTH: StandardOAuth = { clientAuth: 'body', takesPkce: true }

const scope = (name: string, required: boolean, resources: readonly string[]): ProviderScope => ({
  name,
  description: name,
  required,
  resources,
  enriches: [],
})

const shared = {
  windowDays: 30,
  historyDays: 90,
  pollMs: 3_600_000,
  overlapDays: 3,
}

export const TEST_PROVIDER = 'garmin'

export const testConnector: LiveConnector = {
  provider: TEST_PROVIDER,
  mode: 'live',
  defaults: {
    authorizeUrl: 'https://provider.example/authorize',
    tokenUrl: 'https://provider.example/token',
    apiUrl: 'https://provider.example/api',
  },
  settings: [
    { name: 'units', description: 'Units', default: 'metric', values: ['metric', 'imperial'] },
    { name: 'revoke_url', description: 'Address that ends access', default: 'https://provider.example/revoke' },
  ],
  kinds: {},
  scopes: [scope('daily', true, ['steps']), scope('heartrate', false, ['heartrate'])],
  resources: ['steps', 'heartrate'],
  collections: [
    { ...shared, name: 'days', resources: ['steps'], scopes: ['daily'] },
    {
      ...shared,
      name: 'pulse',
      resources: ['heartrate'],
      scopes: ['heartrate'],
      historyDays: Number.POSITIVE_INFINITY,
    },
  ],
  notifications: {
    receive: async () => ({ kind: 'refused', status: 401, reason: 'unsigned' }),
    subscriptions: null,
    instructions: url => [`Enter ${url} as the address of webhooks.`],
  },
  limits: [],
  responseTimeoutMs: 2_000,
  mapping: [],
  unchecked: [],
  failureIn: () => null,
  retryAfterMs: () => null,
  authorizationUrl: (app, request) => buildAuthorizationUrl(app, request, { usesPkce: true }),
  exchange: (session, callback) => standardExchange(session, OAUTH, callback),
  refresh: (session, tokenSet) => standardRefresh(session, OAUTH, tokenSet),
  async revoke(session) {
    await session.send({ method: 'DELETE', url: new URL(`${session.app.apiUrl}/access`) })
  },
  async profile(session) {
    const response = await session.send({ method: 'GET', url: new URL(`${session.app.apiUrl}/me`) })
    return { accountId: String(member(response.json(), 'id')), timeZone: 'Europe/Berlin' }
  },
  async *pull() {},
}

/** Opens the fake provider of the test connector. */
export function openTestProvider(options: Partial<FakeProviderOptions> = {}): Promise<FakeProvider> {
  return openFakeProvider({
    authorizePath: '/authorize',
    tokenPath: '/token',
    clientAuth: 'body',
    refresh: 'rotates',
    expiresInS: 3_600,
    handle({ method, path, tokenSet }) {
      if (tokenSet === null) return { status: 401, body: { error: 'unauthorized' } }
      if (path === '/me') return { body: { id: tokenSet.account } }
      if (path !== '/access' || method !== 'DELETE') return undefined
      tokenSet.isRevoked = true
      return { status: 204 }
    },
    ...options,
  })
}
