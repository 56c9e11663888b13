/** Links to a live provider: their URLs, every response of the provider, and the validity of codes. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { HOUR_MS, MINUTE_MS } from '../../../src/core/time.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import { tokenOfState } from '../../../src/engine/links/states.ts'
import { TEST_PROVIDER } from '../../providers/test-connector.ts'
import { Recorder } from '../recordings/recording-tools.ts'
import { type LiveHarness, openLive, REDIRECT_URL } from './live-harness.ts'

vi.mock('../../../src/connectors/live/live-connectors.ts', () => import('./live-connectors.ts'))

const params = { provider: TEST_PROVIDER }
let live: LiveHarness

beforeEach(async () => {
  live = await openLive()
})

const connections = async () => (await live.h.call('user.providers', { params: { user_id: live.user_id } })).providers
const failed = (error_type: string, error: string) => ({
  state: 'error',
  connected: false,
  error_type,
  error: expect.stringContaining(error),
})

describe('a link to a live provider', () => {
  it('leads to the provider’s page, with a state and a PKCE challenge', async () => {
    const { state, url } = await live.begin(await live.newToken())
    const { origin, pathname, searchParams } = new URL(url)
    expect(origin + pathname).toBe(live.fake.authorizeUrl)
    expect(Object.fromEntries(searchParams)).toEqual({
      response_type: 'code',
      client_id: live.fake.clientId,
      redirect_uri: REDIRECT_URL,
      scope: 'daily heartrate',
      state,
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
  })

  it('connects the account, with a history that is due at once', async () => {
    live.fake.consent = { account: 'account-7' }
    expect(await live.link()).toEqual({
      state: 'success',
      provider: TEST_PROVIDER,
      connected: true,
      provider_id: null,
      redirect_url: 'https://app.example/back',
      error_type: null,
      error: null,
      provider_mfa: null,
    })
    expect(await connections()).toMatchObject([
      { slug: TEST_PROVIDER, status: 'connected', external_user_id: 'account-7', mode: 'live' },
    ])
    const now = live.h.time.ms
    const key = { userId: live.user_id, provider: TEST_PROVIDER }
    expect(await live.h.engine.context.store.live.pulls.find(key)).toMatchObject({
      dueAt: now,
      progress: {
        days: { until: now, reached: now, goal: now - 90 * 24 * HOUR_MS, isComplete: false, dueAt: now },
        pulse: { goal: null, isComplete: false },
      },
    })
    const user = await live.h.call('user.get', { params: { user_id: live.user_id } })
    expect(user.fallback_time_zone).toMatchObject({ id: 'Europe/Berlin', source_slug: TEST_PROVIDER })
  })

  it('supplies the resources that the granted scopes allow, also in its event', async () => {
    live.fake.consent = { scopes: ['daily'] }
    expect(await live.link()).toMatchObject({ state: 'success' })
    const availability = {
      steps: { status: 'available' },
      heartrate: { status: 'unavailable', scope_requirements: { user_denied: { required: ['heartrate'] } } },
    }
    const [connection] = await connections()
    expect(connection?.resource_availability).toMatchObject(availability)
    expect(Object.keys(connection?.resource_availability ?? {})).toEqual(['steps', 'heartrate'])
    const { data } = await live.h.call('event.list', { query: { type: 'provider.connection.created' } })
    const event = await live.h.call('event.get', { params: { event_id: data[0]?.event_id ?? '' } })
    expect(JSON.stringify(event)).toContain(JSON.stringify(connection?.resource_availability))
    const record = await live.h.engine.context.store.live.pulls.find({ userId: live.user_id, provider: TEST_PROVIDER })
    expect(Object.keys(record?.progress ?? {})).toEqual(['days'])
  })

  it('is refused if a required scope was unticked, and revokes the access', async () => {
    live.fake.consent = { scopes: ['heartrate'] }
    expect(await live.link()).toMatchObject(failed('required_scopes_not_granted', 'daily'))
    expect(await connections()).toEqual([])
    expect(live.fake.tokenSets.map(each => each.isRevoked)).toEqual([true])
  })

  it('is refused if the person denied it, and can be tried again', async () => {
    live.fake.consent = { isDenied: true }
    const token = await live.newToken()
    expect(await live.link(token)).toMatchObject(failed('provider_credential_error', 'access_denied'))
    live.fake.consent = {}
    expect(await live.link(token)).toMatchObject({ state: 'success' })
  })

  it('reports the provider’s refusal, but not its text', async () => {
    const { state } = await live.begin(await live.newToken())
    const words = { error: 'person@mail.example', error_description: 'a value of the person' }
    const result = await live.postCallback(state, words)
    expect(result).toMatchObject(failed('provider_api_error', 'an unknown error code'))
    expect(JSON.stringify(result)).not.toMatch(/mail|value of/)
  })

  it('reports a wrong client secret', async () => {
    await live.setUp({ client_secret: 'mistyped-secret' })
    const result = await live.link()
    expect(result).toMatchObject(failed('provider_credential_error', "the OAuth app's client ID or client secret"))
    expect(JSON.stringify(result)).not.toContain('mistyped')
  })

  it('is refused for a code that was issued for another redirect URL or verifier', async () => {
    const first = await live.begin(await live.newToken())
    const parameters = await live.consent(first.url)
    const second = await live.begin(await live.newToken())
    const stolen = { ...parameters, state: second.state }
    expect(await live.postCallback(second.state, stolen), 'PKCE').toMatchObject(
      failed('provider_credential_error', 'the code'),
    )
    const third = await live.begin(await live.newToken())
    const back = await live.consent(third.url)
    await live.setUp({ redirect_url: 'http://localhost:8485/callback' })
    expect(await live.postCallback(third.state, back)).toMatchObject(
      failed('provider_credential_error', 'redirect URL'),
    )
  })

  it.each([
    ['failed', { path: /token/, status: 503 }],
    ['failed', { path: /token/, body: '<html>maintenance</html>', headers: { 'content-type': 'text/html' } }],
    ['failed', { path: /me/, status: 403 }],
  ])('reports that the provider %s (%j)', async (word, fault) => {
    live.fake.fail(fault)
    expect(await live.link()).toMatchObject(failed('provider_api_error', word))
    expect(await connections()).toEqual([])
  })

  it('refuses another user’s account if the team rejects duplicates, and leaves that user connected', async () => {
    const { team } = live.h
    await live.h.call('team.update', { params: { team_id: team.teamId }, body: { reject_duplicate_connection: true } })
    await live.link()
    const other = await live.h.call('user.create', { body: { client_user_id: 'grace' } })
    expect(await live.link(await live.newToken(other.user_id))).toMatchObject({ error_type: 'duplicate_connection' })
    expect(live.fake.tokenSets[0]?.isRevoked).toBe(false)
    expect(await connections()).toMatchObject([{ status: 'connected' }])
  })
})

describe('a state', () => {
  it('is used once: the code is never exchanged again', async () => {
    const token = await live.newToken()
    const { state, url } = await live.begin(token)
    const parameters = await live.consent(url)
    const [first, second] = await Promise.all([
      live.postCallback(state, parameters),
      live.postCallback(state, parameters),
    ])
    expect([first.state, second.state].sort()).toEqual(['error', 'success'])
    expect((await live.postCallback(state, parameters)).error_type).toBe('token_consumed')
    expect(live.fake.requests.filter(each => each.path === '/token')).toHaveLength(1)
  })

  it('cannot be used again after a failure', async () => {
    const { state, url } = await live.begin(await live.newToken())
    const parameters = await live.consent(url)
    live.fake.fail({ path: /token/, status: 503 })
    expect(await live.postCallback(state, parameters)).toMatchObject({ error_type: 'provider_api_error' })
    expect(await live.postCallback(state, parameters)).toMatchObject(failed('token_not_validated', 'already completed'))
    expect(live.fake.requests.filter(each => each.path === '/token')).toHaveLength(1)
  })

  it('of another session, or a missing one, is refused before the code is used', async () => {
    const first = await live.begin(await live.newToken())
    const second = await live.begin(await live.newToken())
    const parameters = await live.consent(second.url)
    expect(await live.postCallback(first.state, parameters)).toMatchObject(failed('token_not_validated', 'state'))
    expect(await live.postCallback('made-up', parameters)).toMatchObject({ error_type: 'token_not_validated' })
    expect(live.fake.requests.filter(each => each.path === '/token')).toEqual([])
  })

  it('expires after an hour', async () => {
    const { state, url } = await live.begin(await live.newToken())
    live.h.time.ms += 60 * MINUTE_MS + 1
    expect(await live.postCallback(state, await live.consent(url))).toMatchObject({ error_type: 'token_expired' })
  })

  it('of a live sign-in cannot be used on the simulated page, or the other way round', async () => {
    const { state } = await live.begin(await live.newToken())
    const consent = { params, body: { decision: 'approve' as const } }
    expect(await live.h.call('link.oauth_consent', consent, { linkToken: state })).toMatchObject({
      error_type: 'token_not_validated',
    })
    await live.h.call('provider.teardown', { params })
    const simulated = await live.begin(await live.newToken())
    await live.setUp()
    expect(await live.postCallback(simulated.state, { code: 'c' })).toMatchObject({ error_type: 'token_not_validated' })
    const asked = { provider: TEST_PROVIDER, mode: 'simulated', state: simulated.state, teamId: null } as const
    const found = await tokenOfState(live.h.engine.context, { ...asked, now: live.h.time.ms })
    expect(found.kind).toBe('found')
  })
})

describe('secrets of a link', () => {
  it('are in no event, audit entry or stored response', async () => {
    const { state, url } = await live.begin(await live.newToken())
    const parameters = await live.consent(url)
    const reply = await runOperation(live.h.engine.context, 'link.oauth_callback', {
      input: { params, query: {}, body: { parameters }, headers: { 'x-idempotency-key': 'once' } },
      credentials: { kind: 'headers', apiKey: null, linkToken: state },
      accept: 'application/json',
    })
    const shown = [
      reply,
      await live.h.call('audit.list', {}),
      await live.h.call('event.list', {}),
      await live.h.engine.context.store.live.tokenSets.ofUser(live.user_id),
    ]
    const [tokenSet] = live.fake.tokenSets
    for (const secret of [parameters['code'], tokenSet?.accessToken, tokenSet?.refreshToken, live.fake.clientSecret]) {
      expect(secret).toEqual(expect.any(String))
      for (const each of shown) expect(JSON.stringify(each)).not.toContain(secret)
      const [stored] = await live.h.engine.context.store.live.tokenSets.ofUser(live.user_id)
      expect(Buffer.from(stored?.sealed ?? []).includes(String(secret))).toBe(false)
    }
  })

  it('are not recorded', async () => {
    const recorder = await Recorder.start(live.h)
    const { state, url } = await live.begin(await live.newToken())
    const parameters = await live.consent(url)
    expect(await live.postCallback(state, parameters)).toMatchObject({ state: 'success' })
    await live.setUp()
    const text = await recorder.stop()
    expect(text).toContain('link.oauth')
    const [tokenSet] = live.fake.tokenSets
    for (const secret of ['oauth_callback', 'provider.setup', parameters['code'], tokenSet?.accessToken]) {
      expect(text).not.toContain(secret)
    }
  })
})
