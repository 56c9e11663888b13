import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ouraConnector } from '../../../src/connectors/live/oura/connector.ts'
import { type FakeOura, openOura } from '../../providers/oura/oura.ts'
import { testApp, testSession } from '../../providers/test-session.ts'

let oura: FakeOura
beforeAll(async () => {
  oura = await openOura()
})
afterAll(() => oura.close())

const REDIRECT = 'http://localhost:8484/callback'
const now = () => Date.parse('2026-11-20T12:00:00Z')

/** Gives consent, and returns the callback's parameters. */
async function consent(): Promise<URLSearchParams> {
  const asked = { state: 'state-1', codeChallenge: 'unused', redirectUrl: REDIRECT }
  const consentUrl = ouraConnector.authorizationUrl(testApp(oura, ouraConnector), asked)
  const response = await fetch(consentUrl, { redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '').searchParams
}

async function exchange(parameters: URLSearchParams, changed: Parameters<typeof testApp>[2] = {}) {
  const session = testSession(oura, ouraConnector, { app: testApp(oura, ouraConnector, changed), now })
  const code = parameters.get('code') ?? ''
  return ouraConnector.exchange(session, { code, redirectUrl: REDIRECT, codeVerifier: 'unused', parameters })
}

describe('access to Oura', () => {
  it('requests all scopes, and returns a token set with those that stayed ticked', async () => {
    oura.consent = { account: 'ada', scopes: ['daily', 'workout'] }
    const parameters = await consent()
    expect(parameters.get('state')).toBe('state-1')
    const tokenSet = await exchange(parameters)
    expect(tokenSet).toMatchObject({
      scopes: ['daily', 'workout'],
      expiresAt: now() + 86_400_000,
      extra: { token_url: oura.tokenUrl },
    })
    expect(oura.requests.at(-1)?.form.has('code_verifier')).toBe(false)
  })

  it('accepts scope names with a prefix, and older scope names', async () => {
    oura.consent = {}
    const parameters = await consent()
    const body = { access_token: 'a', refresh_token: 'r', expires_in: '60', token_type: 'bearer' }
    oura.fail({ path: /token/, body: { ...body, scope: 'extapi:daily extapi:v2:spo2Daily' } })
    expect(await exchange(parameters)).toMatchObject({ scopes: ['daily', 'spo2'], expiresAt: now() + 60_000 })
  })

  it.each([
    [{ status: 400, body: '<html>' }, 'bad_answer'],
    [{ status: 400, body: { detail: 'already used' } }, 'code_refused'],
    [{ status: 401, body: { title: 'Unauthorized' } }, 'credentials'],
    [{ status: 400, body: { error: 'temporarily_unavailable' } }, 'unavailable'],
  ])('an exchange with the response %j fails as %s, and does not repeat the response', async (fault, kind) => {
    const parameters = await consent()
    oura.fail({ path: /token/, ...fault })
    const error = await exchange(parameters).catch((failed: unknown) => failed as Error)
    expect(error).toMatchObject({ name: 'ProviderError', kind })
    expect((error as Error).cause).toBeUndefined()
  })

  it('is refreshed at the host that issued it, whatever the OAuth app says now', async () => {
    const first = await exchange(await consent())
    const app = testApp(oura, ouraConnector, { tokenUrl: 'http://127.0.0.1:9/elsewhere' })
    const session = testSession(oura, ouraConnector, { app, now })
    expect((await ouraConnector.refresh(session, first)).accessToken).not.toBe(first.accessToken)
  })

  it('is revoked, and revoking it again does no harm', async () => {
    oura.consent = { account: 'ada' }
    const tokenSet = await exchange(await consent())
    const app = testApp(oura, ouraConnector, { settings: { revoke_url: `${oura.url}/oauth/revoke` } })
    const session = testSession(oura, ouraConnector, { app, grant: tokenSet, now })
    expect(await ouraConnector.profile(session)).toEqual({ accountId: 'ada' })
    await ouraConnector.revoke(session)
    await ouraConnector.revoke(session)
    expect(oura.tokenSets.at(-1)?.isRevoked).toBe(true)
    await expect(ouraConnector.profile(session)).rejects.toMatchObject({ kind: 'access_refused' })
  })

  it('never uses plain http to another machine', () => {
    const app = testApp(oura, ouraConnector, { authorizeUrl: 'http://oura.example/authorize' })
    const asked = { state: 's', codeChallenge: '', redirectUrl: REDIRECT }
    expect(() => ouraConnector.authorizationUrl(app, asked)).toThrow(/https/)
  })
})
