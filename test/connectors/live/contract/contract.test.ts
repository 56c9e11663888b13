/** The common behavior of all live connectors, against their fake providers. differences.ts has the differences. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LiveConnector } from '../../../../src/connectors/live/live-connector.ts'
import { LIVE_PROVIDERS, liveConnector } from '../../../../src/connectors/live/live-connectors.ts'
import type { ProviderApp, ProviderResponse, TokenSession } from '../../../../src/connectors/provider-session.ts'
import type { TokenSet } from '../../../../src/connectors/token-set.ts'
import { present } from '../../../../src/core/present.ts'
import { DAY_MS, HOUR_MS } from '../../../../src/core/time.ts'
import { NOON } from '../../../kit/harness.ts'
import type { FakeProvider } from '../../../providers/fake-provider.ts'
import { hostileTargets } from '../../../providers/hostile-targets.ts'
import { testApp, testSession } from '../../../providers/test-session.ts'
import { pull } from '../pulled.ts'
import { DIFFERENCES } from './differences.ts'

const REDIRECT = 'http://localhost:8484/callback'
// verifier and challenge from RFC 7636, appendix B
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const WINDOW = { from: NOON - 5 * DAY_MS, to: NOON }
const ACCOUNT = 'person-1'

it('covers every live provider', () => {
  expect(Object.keys(DIFFERENCES).sort()).toEqual([...LIVE_PROVIDERS].sort())
})

describe.each(hostileTargets(NOON))('$provider', target => {
  const differs = present(DIFFERENCES[target.provider], 'an entry of the provider')
  const attacked = new RegExp(`^${target.path}$`)
  let fake: FakeProvider
  let connector: LiveConnector
  let app: ProviderApp
  beforeEach(async () => {
    fake = await target.open()
    fake.consent = { account: ACCOUNT }
    connector = present(await liveConnector(target.provider), 'a connector')
    app = testApp(fake, connector)
    app = { ...app, settings: { ...app.settings, ...differs.settings?.(fake.url) } }
  })
  afterEach(() => fake.close())

  const sessionOf = (tokenSet?: TokenSet, changed: Partial<ProviderApp> = {}): TokenSession =>
    testSession(fake, connector, { ...(tokenSet && { grant: tokenSet }), app: { ...app, ...changed }, now: () => NOON })

  /** Signs the person in, and returns the callback's parameters. */
  async function consent(): Promise<URLSearchParams> {
    const asked = { state: 'a-state-of-many-characters', codeChallenge: CHALLENGE, redirectUrl: REDIRECT }
    const back = await fetch(connector.authorizationUrl(app, asked), { redirect: 'manual' })
    const parameters = new URL(back.headers.get('location') ?? '').searchParams
    expect(parameters.get('state')).toBe(asked.state)
    return parameters
  }
  const exchange = (parameters: URLSearchParams, changed: Partial<ProviderApp> = {}): Promise<TokenSet> =>
    connector.exchange(sessionOf(undefined, changed), {
      code: parameters.get('code') ?? '',
      redirectUrl: REDIRECT,
      codeVerifier: VERIFIER,
      parameters,
    })
  const link = async (): Promise<TokenSet> => exchange(await consent())
  const pulled = (tokenSet: TokenSet, asked: Partial<Parameters<typeof pull>[2]> = {}) =>
    pull(connector, sessionOf(tokenSet), { collection: target.collection, window: WINDOW, now: NOON, ...asked })

  describe('access to an account', () => {
    it('has the granted scopes, an expiry time, and the person’s account', async () => {
      const tokenSet = await link()
      expect(tokenSet.scopes === null).toBe(!differs.saysScopes)
      expect(tokenSet.expiresAt).toBeGreaterThan(NOON)
      expect(tokenSet.refreshToken === null).toBe(differs.refresh === 'none')
      const { accountId } = await connector.profile(sessionOf(tokenSet))
      expect(accountId).not.toBe('')
    })

    it('is refused for a code that was used, and for a wrong client secret, which is not repeated', async () => {
      const parameters = await consent()
      await exchange(parameters)
      await expect(exchange(parameters)).rejects.toMatchObject({ kind: 'code_refused' })
      const refusal = exchange(await consent(), { clientSecret: 'a-wrong-secret' })
      await expect(refusal).rejects.toMatchObject({ kind: 'credentials' })
      await expect(refusal).rejects.not.toThrow(/a-wrong-secret/)
    })

    it('can be refreshed as the provider documents, and is lost when the refresh token is refused', async () => {
      const tokenSet = await link()
      const refreshed = () => connector.refresh(sessionOf(), tokenSet)
      if (differs.refresh !== 'none') {
        const next = await refreshed()
        expect(next.accessToken).not.toBe(tokenSet.accessToken)
        expect(next.refreshToken === tokenSet.refreshToken).toBe(differs.refresh === 'stays')
        expect(next).toMatchObject({ scopes: tokenSet.scopes, extra: tokenSet.extra })
        await pulled(next)
      }
      // a refresh token that rotates is used up
      if (differs.refresh === 'stays') for (const each of fake.tokenSets) each.isRevoked = true
      await expect(refreshed()).rejects.toMatchObject({ kind: 'grant_lost' })
    })

    it.each([
      [{ body: '<html>' }, 'bad_answer'],
      [{ body: { access_token: 7, status: 0, body: { access_token: 7 } } }, 'bad_answer'],
      [{ status: 429 }, 'rate_limited'],
      [{ status: 500 }, 'unavailable'],
    ])('fails with a reason if the token URL returns %j', async (fault, kind) => {
      const parameters = await consent()
      fake.fail({ path: new RegExp(`^${new URL(fake.tokenUrl).pathname}$`), ...fault })
      const error = await exchange(parameters).catch((failed: unknown) => failed as Error)
      expect(error).toMatchObject({ name: 'ProviderError', kind })
    })

    it('can be revoked, and revoking it again does no harm', async () => {
      const tokenSet = await link()
      await connector.revoke(sessionOf(tokenSet))
      await connector.revoke(sessionOf(tokenSet))
    })
  })

  describe('failures', () => {
    it.each([
      [{ status: 400 }, 'bad_request'],
      [{ status: 401 }, 'access_refused'],
      [{ status: 403 }, 'scope_missing'],
      [{ status: 404 }, 'not_found'],
      [{ status: 422, body: { detail: [] } }, 'bad_request'],
      [{ status: 429, headers: { 'retry-after': '7' } }, 'rate_limited'],
      [{ status: 500, body: 'oops' }, 'unavailable'],
      [{ status: 502, body: '<html>' }, 'unavailable'],
      [{ status: 503, body: {} }, 'unavailable'],
      [{ body: '<html>maintenance</html>' }, 'bad_answer'],
      [{ body: '{"records": [' }, 'bad_answer'],
      ...differs.failures,
    ] as const)('%j have the kind %s', async (fault, kind) => {
      const tokenSet = await link()
      fake.fail({ path: attacked, ...fault })
      const error = await pulled(tokenSet).catch((failed: unknown) => failed)
      expect(error).toMatchObject({ name: 'ProviderError', kind })
      expect(String(error)).not.toMatch(/a secret|oops|maintenance/)
    })

    it.each([[{}, null] as const, ...differs.limits])(
      'a 429 with the headers %j requests a wait of %s ms',
      (headers, waitMs) => {
        const response: ProviderResponse = {
          status: 429,
          header: name => (headers as Readonly<Record<string, string>>)[name] ?? null,
          text: '',
          json: () => null,
        }
        expect(connector.retryAfterMs(response)).toBe(waitMs)
      },
    )
  })

  describe('a collection', () => {
    it('is found only by its name', async () => {
      const tokenSet = await link()
      await expect(pulled(tokenSet, { collection: 'no such' })).rejects.toMatchObject({ kind: 'bad_answer' })
    })

    it('returns the rows of all its pages', async () => {
      const tokenSet = await link()
      const rows = [30, 54].map(hours => target.row(NOON - hours * HOUR_MS))
      const bodies = target.hasPages
        ? [target.page(rows.slice(0, 1), 'next-1'), target.page(rows.slice(1))]
        : [target.page(rows)]
      for (const body of bodies) fake.fail({ path: attacked, body })
      fake.forget()
      const { samples } = await pulled(tokenSet)
      expect(samples.filter(each => each.resource === target.resource)).toHaveLength(2)
      const sent = fake.requests.filter(({ path }) => attacked.test(path))
      expect(sent).toHaveLength(bodies.length)
      const cursors = sent.map(({ query, form }) => [...query.values(), ...form.values()].includes('next-1'))
      expect(cursors).toEqual(target.hasPages ? [false, true] : [false])
    })

    if (target.hasPages) {
      it('ends when a provider repeats a page', async () => {
        const tokenSet = await link()
        fake.fail({ path: attacked, times: 5, body: target.page([], 'again') })
        await expect(pulled(tokenSet)).rejects.toMatchObject({ kind: 'bad_answer' })
      })
    }

    it('counts fields that it does not read, unless they are empty', async () => {
      const tokenSet = await link()
      const row = { ...target.row(NOON - 30 * HOUR_MS), novelty: 1, nothing: null, empty: '' }
      fake.fail({ path: attacked, body: target.page([row]) })
      expect((await pulled(tokenSet)).unmapped).toEqual(differs.unmapped)
    })

    it.each(Object.entries(differs.missing))('of %s reports that a record is gone', async (collection, recordId) => {
      const tokenSet = await link()
      const { records } = await pulled(tokenSet, { collection, recordId })
      expect(records).toMatchObject([{ id: recordId, isDeleted: true, batches: [], summaries: [], streams: [] }])
    })
  })
})
