/** Consent pages: their URL, every outcome, and the effect of scopes. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { MINUTE_MS } from '../../../src/core/time.ts'
import { consentPage } from '../../../src/engine/links/oauth.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

let h: Harness
let user_id: UserId
let token: string

beforeEach(async () => {
  h = await openHarness()
  user_id = (await h.call('user.create', { body: { client_user_id: 'a' } })).user_id
  token = await newToken()
})

async function newToken(extra: object = {}, of: UserId = user_id): Promise<string> {
  const body = { user_id: of, redirect_url: 'https://app.example/back', ...extra }
  return (await h.call('link.token', { body })).link_token
}
const begin = (provider: string, linkToken = token) => h.call('link.oauth', { params: { provider } }, { linkToken })
const postCallback = (provider: string, state: string, body: object = {}) =>
  h.call('link.oauth_consent', { params: { provider }, body: { decision: 'approve', ...body } }, { linkToken: state })
const connections = async () => (await h.call('user.providers', { params: { user_id } })).providers

describe('a sign-in on a consent page', () => {
  it('starts with the provider, and has no page while no server runs', async () => {
    expect(await begin('oura')).toEqual({
      id: 1,
      name: 'Oura',
      slug: 'oura',
      description: expect.any(String),
      logo: expect.stringContaining('oura'),
      oauth_url: null,
      auth_type: 'oauth',
      source_type: 'ring',
      is_active: true,
      backfill_num_days: 180,
      group: null,
      state: expect.stringMatching(/^[\w-]{64}$/),
    })
  })

  it('connects with the granted scopes, and uses the account as the external ID', async () => {
    const { state } = await begin('oura')
    const result = await postCallback('oura', state, { scopes: ['daily', 'workout'], account: ' ada@example.com ' })
    expect(result).toEqual({
      state: 'success',
      provider: 'oura',
      connected: true,
      provider_id: null,
      redirect_url: 'https://app.example/back',
      error_type: null,
      error: null,
      provider_mfa: null,
    })
    const [connection] = await connections()
    expect(connection).toMatchObject({ slug: 'oura', status: 'connected', external_user_id: 'ada@example.com' })
    const { resource_availability: available } = connection as NonNullable<typeof connection>
    expect(available['steps']).toEqual({
      status: 'available',
      scope_requirements: {
        user_granted: { required: ['daily'], optional: [] },
        user_denied: { required: [], optional: [] },
      },
    })
    expect(available['sleep'], 'an optional scope that is denied leaves it available').toMatchObject({
      status: 'available',
      scope_requirements: { user_denied: { required: [], optional: ['heartrate', 'spo2Daily'] } },
    })
    expect(available['heartrate']).toMatchObject({
      status: 'unavailable',
      scope_requirements: { user_denied: { required: ['heartrate'] } },
    })
  })

  it('adds no data for denied scopes', async () => {
    const { state } = await begin('oura')
    await postCallback('oura', state, { scopes: ['daily'] })
    const groups = async (resource: string) =>
      Object.keys(
        (
          await h.call('timeseries.grouped', {
            params: { user_id, resource },
            query: { start_date: '2026-11-15' },
          })
        ).groups,
      )
    expect(await groups('steps')).toEqual(['oura'])
    expect(await groups('heartrate')).toEqual([])
    const query = { start_date: '2026-11-01' }
    const { workouts } = (await h.call('summary.get', { params: { user_id, resource: 'workouts' }, query })) as {
      workouts: unknown[]
    }
    expect(workouts).toEqual([])
  })

  it('without an account gets its own ID, the same each time', async () => {
    await postCallback('oura', (await begin('oura')).state)
    const first = (await connections())[0]?.external_user_id
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    const again = await newToken()
    await postCallback('oura', (await begin('oura', again)).state)
    expect((await connections())[0]?.external_user_id).toBe(first)
  })

  it.each([
    [{ decision: 'deny' }, 'provider_credential_error'],
    [{ scopes: ['email', 'heartrate'] }, 'required_scopes_not_granted'],
    [{ scopes: [] }, 'required_scopes_not_granted'],
    [{ account: 'TAKEN@sandbox.test' }, 'duplicate_connection'],
    [{ account: 'down@sandbox.test' }, 'provider_api_error'],
    [{ account: 'expired@sandbox.test' }, 'provider_password_expired'],
    [{ account: 'scopes@sandbox.test' }, 'required_scopes_not_granted'],
    [{ account: 'wrong@sandbox.test' }, 'provider_credential_error'],
  ])('answered with %o ends in %s, and can be answered again', async (body, errorType) => {
    const { state } = await begin('oura')
    expect(await postCallback('oura', state, body)).toMatchObject({
      state: 'error',
      error_type: errorType,
      connected: false,
    })
    expect(await connections()).toEqual([])
    expect((await postCallback('oura', state)).state).toBe('success')
    expect((await postCallback('oura', state)).error_type).toBe('token_consumed')
  })

  it('suggests the nearest scope for one that the provider does not have', async () => {
    const { state } = await begin('oura')
    const error = await h.refusal(
      'link.oauth_consent',
      { params: { provider: 'oura' }, body: { decision: 'approve', scopes: ['daly'] } },
      { linkToken: state },
    )
    expect([error.status, error.message]).toEqual([422, expect.stringContaining('"daily"')])
  })

  it('that was not started, or was started elsewhere, results in token_not_validated', async () => {
    const { state } = await begin('oura')
    expect(await postCallback('fitbit', state)).toMatchObject({
      error_type: 'token_not_validated',
      redirect_url: 'https://app.example/back',
    })
    expect(await postCallback('oura', token), 'a link token is no state').toMatchObject({
      error_type: 'token_not_validated',
      redirect_url: 'https://app.example/back',
    })
    expect(await postCallback('oura', 'rubbish')).toMatchObject({
      error_type: 'token_not_validated',
      redirect_url: null,
    })
    const unused = await h.call(
      'link.password',
      { params: { provider: 'whoop' }, body: { username: 'a', password: 'b' } },
      { linkToken: state },
    )
    expect(unused.error_type, 'and a state is no link token').toBe('invalid_token')
  })

  it('keeps the pages of several providers open at once, and drops the oldest of too many', async () => {
    const first = await begin('oura')
    const second = await begin('fitbit')
    expect((await postCallback('oura', first.state, { decision: 'deny' })).error_type).toBe('provider_credential_error')
    for (let i = 0; i < 7; i++) await begin('garmin')
    expect((await postCallback('oura', first.state)).error_type).toBe('token_not_validated')
    expect((await postCallback('fitbit', second.state)).state).toBe('success')
  })

  it('ends with its token after 60 minutes', async () => {
    const { state } = await begin('oura')
    h.time.ms += 60 * MINUTE_MS + 1
    expect((await postCallback('oura', state)).error_type).toBe('token_expired')
    const error = await h.refusal('link.oauth', { params: { provider: 'oura' } }, { linkToken: token })
    expect([error.status, error.code, error.body]).toEqual([
      401,
      'invalid_link_token',
      { detail: { error_type: 'token_expired', error_message: 'The link token is older than 60 minutes' } },
    ])
  })

  it('has a page that shows the requested scopes, and none for a provider without consent', async () => {
    const { state } = await begin('strava')
    const page = (provider: string) =>
      consentPage(h.engine.context, { provider, state, mode: 'simulated', now: h.time.ms })
    expect(await page('strava')).toMatchObject({ kind: 'open', scopes: [{ name: 'read', required: true }, {}, {}, {}] })
    expect(await page('whoop')).toEqual({ kind: 'unknown_provider' })
  })
})

describe('the providers of a link token', () => {
  const list = (linkToken: string) => h.call('link.providers', {}, { linkToken })

  it('are all providers that can be linked on a page, with their form fields', async () => {
    const all = await list(token)
    expect(all).toHaveLength(31)
    expect(new Set(all.map(each => each.auth_type))).toEqual(new Set(['oauth', 'password', 'email']))
    const formOf = (slug: string) => all.find(each => each.slug === slug)?.form_components
    expect(Object.keys(formOf('dexcom') ?? {})).toEqual(['username', 'password', 'region'])
    expect(formOf('dexcom')?.['region']).toEqual({
      label: 'Region',
      type: 'select',
      required: true,
      options: ['us', 'eu'],
    })
    expect(Object.keys(formOf('freestyle_libre') ?? {})).toEqual(['email', 'region'])
    expect(formOf('oura')).toEqual({})
  })

  it('are limited to the ones that it was issued for', async () => {
    const filtered = await newToken({ filter_on_providers: ['zwift', 'apple_health_kit', 'whoop'] })
    expect((await list(filtered)).map(each => each.slug)).toEqual(['whoop', 'zwift'])
    const single = await newToken({ provider: 'oura' })
    expect((await list(single)).map(each => each.slug)).toEqual(['oura'])
  })

  it('are refused if the token is unknown, used or missing', async () => {
    const typeOf = async (how: { linkToken?: string }) => {
      const error = await h.refusal('link.providers', {}, how)
      return [error.status, (error.body['detail'] as { error_type: string }).error_type]
    }
    expect(await typeOf({ linkToken: 'rubbish' })).toEqual([401, 'invalid_token'])
    expect(await typeOf({})).toEqual([401, 'invalid_token'])
    await postCallback('oura', (await begin('oura')).state)
    expect(await typeOf({ linkToken: token })).toEqual([401, 'token_consumed'])
  })
})
