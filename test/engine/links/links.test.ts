/** Linking: every outcome of a sign-in, and the data of a new connection. */
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/core/time.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

async function tokenFor(h: Harness, user_id: UserId, extra: object = {}): Promise<string> {
  return (await h.call('link.token', { body: { user_id, ...extra } })).link_token
}

async function withUser(): Promise<{ h: Harness; user_id: UserId; token: string }> {
  const h = await openHarness()
  const { user_id } = await h.call('user.create', {
    body: { client_user_id: 'a', fallback_time_zone: 'Europe/Berlin' },
  })
  return { h, user_id, token: await tokenFor(h, user_id, { redirect_url: 'https://app.example/back' }) }
}

const signIn = (h: Harness, linkToken: string, provider: string, username: string, password = 'pw', region?: string) =>
  h.call(
    'link.password',
    { params: { provider }, body: { username, password, ...(region ? { region: region as 'us' } : {}) } },
    { linkToken },
  )

describe('a password link', () => {
  it('connects, echoes the redirect URL, and responds once the history is pulled', async () => {
    const { h, user_id, token } = await withUser()
    expect(await signIn(h, token, 'zwift', 'alice')).toEqual({
      state: 'success',
      provider: 'zwift',
      connected: true,
      provider_id: null,
      redirect_url: 'https://app.example/back',
      error_type: null,
      error: null,
      provider_mfa: null,
    })
    const { providers } = await h.call('user.providers', { params: { user_id } })
    expect(providers).toMatchObject([{ slug: 'zwift', status: 'connected', external_user_id: 'alice' }])
    expect(providers[0]?.resource_availability['steps']).toEqual({ status: 'available', scope_requirements: null })
    const page = await h.call('timeseries.grouped', {
      params: { user_id, resource: 'heartrate' },
      query: { start_date: '2026-10-21' },
    })
    const first = page.groups['zwift']?.[0]?.data[0] as unknown as { value: number; unit: string }
    expect(first.unit).toBe('bpm')
    expect(first.value).toBeGreaterThan(30)
    const types = (await h.engine.context.store.events.ofUser(user_id, 0, 1000)).map(event => event.type)
    expect(types[0]).toBe('provider.connection.created')
    expect(types).toContain('historical.data.steps.created')
    expect(
      types.filter(type => type.startsWith('daily.')),
      'a backfill is silent until it is complete',
    ).toEqual([])
    expect((await signIn(h, token, 'zwift', 'alice')).error_type).toBe('token_consumed')
  })

  it.each([
    ['expired@sandbox.test', 'pw', 'provider_password_expired'],
    ['down@sandbox.test', 'pw', 'provider_api_error'],
    ['taken@sandbox.test', 'pw', 'duplicate_connection'],
    ['scopes@sandbox.test', 'pw', 'required_scopes_not_granted'],
    ['alice', 'wrong', 'provider_credential_error'],
  ])('of %s with password %s ends in %s and leaves the token usable', async (username, password, errorType) => {
    const { h, user_id, token } = await withUser()
    const result = await signIn(h, token, 'whoop', username, password)
    expect(result).toMatchObject({ state: 'error', error_type: errorType, connected: false })
    expect((await h.call('user.providers', { params: { user_id } })).providers).toEqual([])
    expect((await signIn(h, token, 'whoop', 'alice')).state).toBe('success')
  })

  it('requires a region if the provider has regions, and refuses an unknown one', async () => {
    const { h, token } = await withUser()
    const missing = await h.refusal(
      'link.password',
      { params: { provider: 'abbott_libreview' }, body: { username: 'a', password: 'b' } },
      { linkToken: token },
    )
    expect([missing.status, missing.message]).toEqual([422, expect.stringContaining('Allowed: us')])
    expect((await signIn(h, token, 'zwift', 'a', 'b', 'us')).error_type).toBe('unsupported_region')
    expect((await signIn(h, token, 'abbott_libreview', 'a', 'b', 'us')).state).toBe('success')
  })

  it('distinguishes an expired token from an unknown one for a week, until the user’s next token removes it', async () => {
    const { h, user_id, token } = await withUser()
    h.time.ms += 6 * DAY_MS
    await tokenFor(h, user_id)
    expect((await signIn(h, token, 'zwift', 'a')).error_type).toBe('token_expired')
    h.time.ms += 2 * DAY_MS
    await tokenFor(h, user_id)
    expect((await signIn(h, token, 'zwift', 'a')).error_type).toBe('invalid_token')
  })

  it('gets no token for a provider outside the filter', async () => {
    const { h, user_id } = await withUser()
    const body = { user_id, provider: 'oura', filter_on_providers: ['whoop'] }
    const refused = await h.refusal('link.token', { body })
    expect([refused.status, refused.message]).toEqual([422, expect.stringContaining('must include the provider')])
  })

  it('can fail with invalid_token, token_expired and token_not_validated', async () => {
    const { h, user_id, token } = await withUser()
    expect((await signIn(h, 'rubbish', 'zwift', 'a')).error_type).toBe('invalid_token')
    const without = await h.call('link.password', {
      params: { provider: 'zwift' },
      body: { username: 'a', password: 'b' },
    })
    expect(without).toMatchObject({ error_type: 'invalid_token', error: 'The x-service-link-token header is missing' })
    const other = await tokenFor(h, user_id, { provider: 'whoop' })
    expect((await signIn(h, other, 'zwift', 'a')).error_type).toBe('token_not_validated')
    h.time.ms += 60 * MINUTE_MS + 1
    expect((await signIn(h, token, 'zwift', 'a')).error_type).toBe('token_expired')
  })

  it('suggests the nearest provider for an unknown one', async () => {
    const { h, token } = await withUser()
    const error = await h.refusal(
      'link.password',
      { params: { provider: 'zwit' }, body: { username: 'a', password: 'b' } },
      { linkToken: token },
    )
    expect([error.status, error.code, error.message]).toEqual([
      422,
      'unknown_provider',
      expect.stringContaining('"zwift"'),
    ])
  })
})

describe('an e-mail link', () => {
  const byMail = (h: Harness, linkToken: string, email: string, region?: 'us' | 'gb' | 'jo') =>
    h.call('link.email', { params: { provider: 'freestyle_libre' }, body: { email, region } }, { linkToken })

  it('connects and uses the address as the external ID', async () => {
    const { h, user_id, token } = await withUser()
    expect(await byMail(h, token, ' ada@example.com ', 'gb')).toMatchObject({
      state: 'success',
      provider: 'freestyle_libre',
      redirect_url: 'https://app.example/back',
    })
    const { providers } = await h.call('user.providers', { params: { user_id } })
    expect(providers).toMatchObject([{ slug: 'freestyle_libre', external_user_id: 'ada@example.com' }])
    expect((await byMail(h, token, 'ada@example.com')).error_type).toBe('token_consumed')
  })

  it.each([
    ['wrong@sandbox.test', undefined, 'provider_credential_error'],
    ['taken@sandbox.test', undefined, 'duplicate_connection'],
    ['down@sandbox.test', 'gb', 'provider_api_error'],
    ['ada@example.com', 'jo', 'unsupported_region'],
  ] as const)('of %s in %s ends in %s', async (email, region, errorType) => {
    const { h, token } = await withUser()
    expect(await byMail(h, token, email, region)).toMatchObject({ state: 'error', error_type: errorType })
  })

  it('accepts valid addresses only, and does not repeat invalid ones', async () => {
    const { h, token } = await withUser()
    const error = await h.refusal(
      'link.email',
      { params: { provider: 'freestyle_libre' }, body: { email: 'my-secret-name' } },
      { linkToken: token },
    )
    expect([error.status, error.message]).toEqual([422, expect.stringContaining('e-mail address')])
    expect(JSON.stringify([error.message, error.body])).not.toContain('my-secret-name')
  })
})

describe('a team that rejects duplicate connections', () => {
  it('lets only one user link an account, even if two try at once', async () => {
    const { h, token } = await withUser()
    await h.engine.context.store.teams.change(h.team.teamId, { rejectDuplicateConnection: true })
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'b' } })
    const second = await tokenFor(h, user_id)
    const results = await Promise.all([signIn(h, token, 'zwift', 'alice'), signIn(h, second, 'zwift', 'alice')])
    expect(results.map(each => each.error_type ?? each.state).sort()).toEqual(['duplicate_connection', 'success'])
    const loser = results[0]?.state === 'success' ? second : token
    expect((await signIn(h, loser, 'zwift', 'bob')).state, 'and the token of the other is not consumed').toBe('success')
  })
})

describe('the second step of a sign-in', () => {
  it.each([
    ['mfa-sms@sandbox.test', 'sms'],
    ['mfa-email@sandbox.test', 'email'],
  ])('of %s takes the same token and the right code', async (username, method) => {
    const { h, token } = await withUser()
    const pending = await signIn(h, token, 'zwift', username)
    expect(pending).toMatchObject({
      state: 'pending_provider_mfa',
      provider_mfa: { method, hint: expect.stringContaining('*') },
    })
    const complete = (mfa_code: string) =>
      h.call('link.complete_mfa', { params: { provider: 'zwift' }, body: { mfa_code } }, { linkToken: token })
    expect((await complete('000000')).error_type).toBe('incorrect_mfa_code')
    expect((await complete('123456')).state).toBe('success')
    expect((await complete('123456')).error_type).toBe('token_consumed')
  })

  it('is void after five wrong codes', async () => {
    const { h, user_id, token } = await withUser()
    await signIn(h, token, 'zwift', 'mfa-sms@sandbox.test')
    const complete = (mfa_code: string) =>
      h.call('link.complete_mfa_for_user', { params: { provider: 'zwift', user_id }, body: { mfa_code } })
    for (let i = 0; i < 5; i++) expect((await complete('000000')).error_type).toBe('incorrect_mfa_code')
    expect((await complete('123456')).error_type).toBe('token_not_validated')
  })

  it('without a pending sign-in results in token_not_validated', async () => {
    const { h, token } = await withUser()
    const result = await h.call(
      'link.complete_mfa',
      { params: { provider: 'zwift' }, body: { mfa_code: '123456' } },
      { linkToken: token },
    )
    expect(result).toMatchObject({ state: 'error', error_type: 'token_not_validated' })
  })
})
