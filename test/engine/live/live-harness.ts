/** A harness whose team has set up the test provider at its fake provider. The file that uses it replaces the live connectors. */
import type { UserId } from '../../../src/core/ids.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { type Harness, type HarnessOptions, openHarness } from '../../kit/harness.ts'
import type { FakeProvider, FakeProviderOptions } from '../../providers/fake-provider.ts'
import { openTestProvider, TEST_PROVIDER } from '../../providers/test-connector.ts'

export const REDIRECT_URL = 'http://localhost:8484/callback'

export interface LiveHarness {
  readonly h: Harness
  readonly fake: FakeProvider
  readonly user_id: UserId
  setUp(changed?: object): Promise<Awaited<ReturnType<typeof setUpAt>>>
  newToken(of?: UserId): Promise<string>
  /** Starts a sign-in. Returns its state, and the URL of the provider's page. */
  begin(token: string): Promise<{ readonly state: string; readonly url: string }>
  /** Passes the provider's page, as a browser does. Returns the callback's parameters. */
  consent(url: string): Promise<Record<string, string>>
  postCallback(state: string, parameters: Record<string, string>): ReturnType<typeof postCallback>
  /** Links an account from beginning to end. */
  link(token?: string): ReturnType<typeof postCallback>
}

const params = { provider: TEST_PROVIDER }

export async function openLive({
  standIn: options = {},
  ...harness
}: HarnessOptions & { readonly standIn?: Partial<FakeProviderOptions> } = {}): Promise<LiveHarness> {
  const h = await openHarness(harness)
  const fake = await openTestProvider({ now: () => h.time.now(), redirectUrls: [REDIRECT_URL], ...options })
  atEndOfFile(() => fake.close())
  const { user_id } = await h.call('user.create', { body: { client_user_id: 'ada' } })
  const live: LiveHarness = {
    h,
    fake,
    user_id,
    setUp: (changed = {}) => setUpAt(h, fake, changed),
    newToken: async (of = user_id) => {
      const body = { user_id: of, redirect_url: 'https://app.example/back' }
      return (await h.call('link.token', { body })).link_token
    },
    async begin(linkToken) {
      const { state, oauth_url } = await h.call('link.oauth', { params }, { linkToken })
      return { state, url: oauth_url ?? '' }
    },
    async consent(url) {
      const { headers } = await fetch(url, { redirect: 'manual' })
      return Object.fromEntries(new URL(headers.get('location') ?? '').searchParams)
    },
    postCallback: (state, parameters) => postCallback(h, state, parameters),
    async link(token) {
      const { state, url } = await live.begin(token ?? (await live.newToken()))
      return live.postCallback(state, await live.consent(url))
    },
  }
  await live.setUp()
  return live
}

function setUpAt(h: Harness, fake: FakeProvider, changed: object) {
  const body = {
    client_id: fake.clientId,
    client_secret: fake.clientSecret,
    redirect_url: REDIRECT_URL,
    authorize_url: fake.authorizeUrl,
    token_url: fake.tokenUrl,
    api_url: fake.url,
    ...changed,
  }
  return h.call('provider.setup', { params, body })
}

function postCallback(h: Harness, linkToken: string, parameters: Record<string, string>) {
  return h.call('link.oauth_callback', { params, body: { parameters } }, { linkToken })
}
