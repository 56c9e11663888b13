/** The token responses that each live connector accepts: RFC 6749, section 5.1 and appendix A. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LIVE_PROVIDERS, liveConnector } from '../../../src/connectors/live/live-connectors.ts'
import type { TokenSet } from '../../../src/connectors/token-set.ts'
import { type FakeProvider, openFakeProvider } from '../../providers/fake-provider.ts'
import { testSession } from '../../providers/test-session.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const OLD: TokenSet = { accessToken: 'old', refreshToken: 'old-refresh', expiresAt: NOW, scopes: ['a'], extra: {} }
const GOOD = { access_token: 'at-1', refresh_token: 'rt-1', token_type: 'Bearer', expires_in: 3600, x_user_id: 7 }
const without = (name: keyof typeof GOOD) => Object.fromEntries(Object.entries(GOOD).filter(([key]) => key !== name))

let fake: FakeProvider
beforeAll(async () => {
  fake = await openFakeProvider({
    authorizePath: '/authorize',
    tokenPath: '/token',
    clientAuth: 'body',
    refresh: 'rotates',
    expiresInS: 3600,
    // Polar registers the person right after the exchange
    handle: ({ path }) => (path === '/v3/users' ? { body: {} } : undefined),
  })
})
afterAll(() => fake.close())

/** Polar has no token refresh. */
const REFRESHING = LIVE_PROVIDERS.filter(each => each !== 'polar')

async function asked(provider: string, call: 'exchange' | 'refresh', tokens: unknown): Promise<TokenSet> {
  const connector = await liveConnector(provider)
  if (!connector) throw new Error(`no connector of ${provider}`)
  const body = provider === 'withings' ? { status: 0, body: tokens } : tokens
  fake.fail({ path: /^\/token$/, status: 200, body: body as Record<string, unknown> })
  const session = testSession(fake, connector, { now: () => NOW })
  if (call === 'refresh') return connector.refresh(session, OLD)
  const parameters = new URLSearchParams({ code: 'code-1' })
  const granted = { code: 'code-1', redirectUrl: 'http://localhost/callback', codeVerifier: 'v'.repeat(43), parameters }
  return connector.exchange(session, granted)
}

const CALLS = [
  ...LIVE_PROVIDERS.map(each => [each, 'exchange'] as const),
  ...REFRESHING.map(each => [each, 'refresh'] as const),
]

describe.each(CALLS)('a token response of %s to an %s', (provider, call) => {
  it.each([
    ['a number', 3600, NOW + 3_600_000],
    ['digits in a text', '3600', NOW + 3_600_000],
    ['ten years', 315_359_999, NOW + 315_359_999_000],
    ['longer than a hundred years', 4_000_000_000, null],
    ['the largest number of JSON', 1e300, null],
    ['absent', undefined, null],
  ])('may have an expires_in that is %s', async (_, expires_in, expiresAt) => {
    const tokens = expires_in === undefined ? without('expires_in') : { ...GOOD, expires_in }
    expect(await asked(provider, call, tokens)).toMatchObject({ accessToken: 'at-1', refreshToken: 'rt-1', expiresAt })
  })

  it.each([
    ['no access_token', without('access_token'), /access_token/],
    ['a number as access_token', { ...GOOD, access_token: 918_273 }, /access_token/],
    ['an empty access_token', { ...GOOD, access_token: '' }, /access_token/],
    ['an access_token with a line break', { ...GOOD, access_token: 'at-918273\r\nx: y' }, /access_token/],
    ['a number as refresh_token', { ...GOOD, refresh_token: 918_273 }, /refresh_token/],
    ['an expires_in of 0', { ...GOOD, expires_in: 0 }, /expires_in/],
    ['a negative expires_in', { ...GOOD, expires_in: -918_273 }, /expires_in/],
    ['a fraction as expires_in', { ...GOOD, expires_in: 3600.5 }, /expires_in/],
    ['an expires_in that begins with a number', { ...GOOD, expires_in: '918273 seconds' }, /expires_in/],
    ['an expires_in of null', { ...GOOD, expires_in: null }, /expires_in/],
    ['another token_type', { ...GOOD, token_type: 'mac' }, /token_type/],
    ['a list', [GOOD], /JSON object/],
  ])('is refused with %s, naming the member but not its value', async (_, tokens, named) => {
    const error = await asked(provider, call, tokens).catch((failed: unknown) => failed as Error)
    expect(error).toMatchObject({ name: 'ProviderError', kind: 'bad_answer' })
    expect((error as Error).message).toMatch(named)
    expect((error as Error).message).not.toMatch(/918273/)
    expect((error as Error).cause).toBeUndefined()
  })
})
