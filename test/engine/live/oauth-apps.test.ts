/** OAuth apps: the operator's view, refusals, and the view of a team without one. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { ServiceError } from '../../../src/core/errors.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import { TEST_PROVIDER } from '../../providers/test-connector.ts'
import { type LiveHarness, openLive, REDIRECT_URL } from './live-harness.ts'

vi.mock('../../../src/connectors/live/live-connectors.ts', () => import('./live-connectors.ts'))

const params = { provider: TEST_PROVIDER }
let live: LiveHarness

beforeEach(async () => {
  live = await openLive()
})

const modes = async () => {
  const all = await live.h.call('provider.list', {})
  return Object.fromEntries(all.map(each => [each.slug, each.mode]))
}

describe('an OAuth app', () => {
  it('is shown without its secrets, with the values to enter at the provider', async () => {
    const view = await live.setUp()
    expect(view).toMatchObject({
      provider: TEST_PROVIDER,
      client_id: live.fake.clientId,
      redirect_url: REDIRECT_URL,
      scopes: ['daily', 'heartrate'],
      api_url: live.fake.url,
      settings: { units: 'metric', revoke_url: 'https://provider.example/revoke' },
      keep_raw: false,
      notification_url: null,
      notes: [expect.stringContaining(REDIRECT_URL), expect.stringMatching(/^Polling only: .*SVC_PUBLIC_URL/)],
    })
    expect(JSON.stringify(view)).not.toContain(live.fake.clientSecret)
    expect(await live.h.call('provider.setups', {})).toEqual({ setups: [view] })
  })

  it('makes the provider live for the team, and no other', async () => {
    const known = await modes()
    expect(known[TEST_PROVIDER]).toBe('live')
    expect(Object.values(known).filter(mode => mode === 'live')).toHaveLength(1)
    await live.h.call('provider.teardown', { params })
    expect((await modes())[TEST_PROVIDER]).toBe('simulated')
  })

  it('keeps its notification URL when it is changed', async () => {
    const engine = { ...live.h.engine.context, publicUrl: () => 'https://svc.example' }
    const setUp = async () => {
      const reply = await runOperation(engine, 'provider.setup', {
        input: { params, query: {}, body: { client_id: 'other', client_secret: 'changed' } },
        credentials: { kind: 'team', team: live.h.team, linkToken: null },
        accept: 'application/json',
      })
      return (reply as { body: Awaited<ReturnType<LiveHarness['setUp']>> }).body
    }
    const first = await setUp()
    expect(first.notification_url).toMatch(/^https:\/\/svc\.example\/providers\/garmin\/notifications\/[\w-]{64}$/)
    expect(first.redirect_url).toBe('https://svc.example/oauth/garmin/callback')
    expect(first.notes[1]).toBe(`Enter ${first.notification_url} as the address of webhooks.`)
    expect((await setUp()).notification_url).toBe(first.notification_url)
  })

  it('is not stored in plain text', async () => {
    const oauthApp = await live.h.engine.context.store.live.oauthApps.find(live.h.team.teamId, TEST_PROVIDER)
    expect(JSON.stringify(oauthApp)).not.toContain(live.fake.clientSecret)
    expect(Buffer.from(oauthApp?.sealed ?? []).includes(live.fake.clientSecret)).toBe(false)
  })

  it('leaves no secret in the audit trail', async () => {
    const trail = JSON.stringify(await live.h.call('audit.list', {}))
    expect(trail).toContain('provider.setup')
    expect(trail).not.toContain(live.fake.clientSecret)
  })
})

describe('an OAuth app is refused', () => {
  const refused = (body: object, slug = TEST_PROVIDER) =>
    live.h.refusal('provider.setup', {
      params: { provider: slug },
      body: { client_id: 'id', client_secret: 'a secret that is typed', ...body },
    })

  it.each([
    [{ redirect_url: 'http://app.example/callback' }, 'must begin with https'],
    [{ api_url: 'http://10.0.0.1' }, 'must begin with https'],
    [{ token_url: 'https://user:word@provider.example' }, 'must not contain a user name or password'],
    [{ authorize_url: 'ftp://provider.example' }, 'must begin with https'],
    [{ settings: { revoke_url: 'http://provider.example' } }, 'must begin with https'],
    [{ settings: { units: 'metrik' } }, 'must be one of metric, imperial. Did you mean "metric"?'],
    [{ settings: { unit: 'metric' } }, 'Did you mean "units"?'],
    [{ scopes: ['daily', 'hartrate'] }, 'Did you mean "heartrate"?'],
    [{ scopes: ['heartrate'] }, 'must include the scopes that every connection requires: daily'],
  ])('for %j', async (body, words) => {
    const error = await refused(body)
    expect([error.status, error.message]).toEqual([422, expect.stringContaining(words)])
    expect(JSON.stringify(error.body)).not.toContain('a secret')
  })

  it('for a provider without a live connector, with a list of those that have one', async () => {
    expect((await refused({}, 'zwift')).message).toContain(`Providers that can be set up: ${TEST_PROVIDER}`)
    expect((await refused({}, 'gramin')).message).toContain('Did you mean "garmin"')
  })

  it('if a caller without an operator key chooses where requests are sent', async () => {
    const caller = { team: live.h.team, linkToken: null, actor: 'key:1', isOperator: false } as const
    const setUp = (body: object) =>
      runOperation(live.h.engine.context, 'provider.setup', {
        input: { params, query: {}, body: { client_id: 'id', client_secret: 'secret', ...body } },
        credentials: { kind: 'team', team: live.h.team, linkToken: null },
        caller,
        accept: 'application/json',
      })
    for (const body of [
      { api_url: 'https://inside.example' },
      { settings: { revoke_url: 'https://inside.example' } },
    ]) {
      const error = await setUp(body).catch(thrown => thrown)
      expect(error).toBeInstanceOf(ServiceError)
      expect(error.code).toBe('operator_only')
    }
    expect(await setUp({})).toMatchObject({ kind: 'json' })
  })
})

describe('a teardown', () => {
  it('is refused while live connections exist, and disconnects them on request', async () => {
    await live.link()
    const error = await live.h.refusal('provider.teardown', { params })
    expect([error.status, error.message]).toEqual([409, '1 live connection uses the OAuth app for garmin.'])
    expect(await live.h.call('provider.teardown', { params, query: { disconnect: true } })).toEqual({
      provider: TEST_PROVIDER,
      disconnected: 1,
      not_revoked: 0,
    })
    expect(live.fake.tokenSets.map(each => each.isRevoked)).toEqual([true])
    expect(await live.h.call('user.providers', { params: { user_id: live.user_id } })).toEqual({ providers: [] })
    expect((await live.h.refusal('provider.teardown', { params })).status).toBe(404)
  })

  it('reports how many accesses it could not revoke', async () => {
    await live.link()
    live.fake.fail({ path: /access/, status: 403 })
    const ended = await live.h.call('provider.teardown', { params, query: { disconnect: true } })
    expect(ended).toMatchObject({ disconnected: 1, not_revoked: 1 })
  })

  it('does not change simulated connections of the provider', async () => {
    await live.h.call('provider.teardown', { params })
    const linkToken = await live.newToken()
    const { state } = await live.h.call('link.oauth', { params }, { linkToken })
    await live.h.call('link.oauth_consent', { params, body: { decision: 'approve' } }, { linkToken: state })
    await live.setUp()
    const { providers } = await live.h.call('user.providers', { params: { user_id: live.user_id } })
    expect(providers).toMatchObject([{ slug: TEST_PROVIDER, mode: 'simulated' }])
    expect(await live.h.call('provider.teardown', { params })).toMatchObject({ disconnected: 0 })
  })
})
