/** A live provider offers its connector's resources, including those that the simulated provider of the same name does not have. */
import { describe, expect, it } from 'vitest'
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { liveConnector } from '../../../src/connectors/live/live-connectors.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { openOura } from '../../providers/oura/oura.ts'
import { openPolar } from '../../providers/polar/polar.ts'
import { openWhoop } from '../../providers/whoop/whoop.ts'
import { linked, refresh, values } from './linked-account.ts'

async function offered(h: Harness, slug: string) {
  const found = (await h.call('provider.list', {})).find(each => each.slug === slug)
  return [...(found?.supported_resources ?? [])].sort()
}

const loadConnector = async (slug: string) => {
  const connector = await liveConnector(slug)
  if (!connector) throw new Error(`no connector of ${slug}`)
  return connector
}

describe('a live provider', () => {
  it('offers its connector’s resources once it is set up, while simulated providers do not change', async () => {
    const h = await openHarness()
    const simulated = await h.call('provider.list', {})
    for (const { slug, supported_resources } of simulated) {
      expect(supported_resources).toEqual(SHIPPED_REGISTRY.find(slug)?.supportedResources)
    }
    await h.call('provider.setup', {
      params: { provider: 'whoop_v2' },
      body: { client_id: 'c', client_secret: 's', redirect_url: 'http://localhost:8484/callback' },
    })
    const { resources } = await loadConnector('whoop_v2')
    expect(await offered(h, 'whoop_v2')).toEqual([...resources].sort())
    expect(await offered(h, 'whoop_v2')).toEqual(
      expect.arrayContaining(['body', 'body_temperature', 'profile', 'weight']),
    )
    const others = (await h.call('provider.list', {})).filter(each => each.slug !== 'whoop_v2')
    expect(others).toEqual(simulated.filter(each => each.slug !== 'whoop_v2'))
  })

  it('has the kinds of its connector, while simulated providers have those of their people and files', async () => {
    const h = await openHarness()
    const kinds = async (slug: string) =>
      (await h.call('provider.list', {})).find(each => each.slug === slug)?.value_kinds
    expect(await kinds('whoop_v2')).toMatchObject({ heartrate: ['point'], steps: ['interval'] })
    // simulated people have RMSSD, and exports of Apple Health SDNN
    expect(await kinds('apple_health_kit')).toMatchObject({ hrv: ['rmssd', 'sdnn'] })
    const setUp = (scopes: string[] | null) =>
      h.call('provider.setup', {
        params: { provider: 'whoop_v2' },
        body: { client_id: 'c', client_secret: 's', redirect_url: 'http://localhost:8484/callback', scopes },
      })
    await setUp(null)
    const recovery = {
      blood_oxygen: ['night_mean'],
      body_temperature: ['skin'],
      heartrate: ['resting'],
      hrv: ['rmssd_night'],
    }
    expect(await kinds('whoop_v2')).toEqual(recovery)
    await setUp(['offline', 'read:profile', 'read:cycles', 'read:sleep'])
    // the kinds in WHOOP's exports stay
    const { heartrate: _, ...exported } = recovery
    expect(await kinds('whoop_v2')).toEqual(exported)
  })

  it('does not offer resources that need a scope left out of its OAuth app', async () => {
    const h = await openHarness()
    const scopes = ['offline', 'read:profile', 'read:cycles', 'read:sleep']
    await h.call('provider.setup', {
      params: { provider: 'whoop_v2' },
      body: { client_id: 'c', client_secret: 's', redirect_url: 'http://localhost:8484/callback', scopes },
    })
    expect(await offered(h, 'whoop_v2')).toEqual(['activity', 'respiratory_rate', 'sleep'])
  })
})

describe('a live connection', () => {
  it('supplies, announces and lists resources that the simulated provider does not have', async () => {
    const h = await openHarness()
    const whoop = await openWhoop({ days: 5, now: () => h.time.now() })
    const user_id = await linked(h, whoop, 'whoop_v2')
    await refresh(h, user_id, 'whoop_v2')
    const { resources } = await loadConnector('whoop_v2')
    const [connection] = (await h.call('user.providers', { params: { user_id } })).providers
    expect(Object.keys(connection?.resource_availability ?? {}).sort()).toEqual([...resources].sort())
    expect(await values(h, user_id, 'body_weight', 'whoop_v2')).toMatchObject([{ value: 74.2 }])
    expect(await values(h, user_id, 'body_temperature', 'whoop_v2')).not.toEqual([])
    const query = { start_date: '2026-11-01', end_date: '2026-11-21', provider: '' }
    const { body } = await h.call('summary.get', { params: { user_id, resource: 'body' }, query })
    expect(body).toMatchObject([{ weight: 74.2, source: { provider: 'whoop_v2' } }])
    const profile = await h.call('summary.get', { params: { user_id, resource: 'profile' }, query })
    expect(profile).toMatchObject({ height: 179 })
    const { data } = await h.call('event.list', { query: { limit: 100, order: 'desc' } })
    const types = data.map(each => each.event_type)
    for (const name of ['body', 'weight', 'profile', 'body_temperature']) {
      expect(types.filter(type => type === `historical.data.${name}.created`)).toHaveLength(1)
    }
    const { data: pulls } = await h.call('introspect.historical_pulls', { query: { user_id, user_limit: 1 } })
    const shown = pulls[0]?.provider['whoop_v2']
    expect(Object.keys(shown?.pulled ?? {}).sort()).toEqual([...resources].sort())
    expect(shown?.not_pulled).toEqual([])
    const { data: stored } = await h.call('introspect.resources', { query: { user_id, user_limit: 1 } })
    expect(stored[0]?.provider['whoop_v2']).toMatchObject({ weight: { sent_count: 1 }, body: {}, profile: {} })
  })

  it('also lists resources that its connector did not pull', async () => {
    const h = await openHarness()
    const polar = await openPolar({ days: 3, now: () => h.time.now() })
    const user_id = await linked(h, polar, 'polar')
    const { data } = await h.call('introspect.historical_pulls', { query: { user_id, user_limit: 1 } })
    expect(data[0]?.provider['polar']?.not_pulled).toEqual((await loadConnector('polar')).resources)
  })

  it('invents no device', async () => {
    const h = await openHarness()
    const oura = await openOura({ now: () => h.time.now() })
    const user_id = await linked(h, oura, 'oura')
    await refresh(h, user_id, 'oura')
    expect(await h.call('user.devices', { params: { user_id }, query: {} })).toEqual([])
  })

  it('gets no invented data from events on demand', async () => {
    const h = await openHarness()
    const oura = await openOura({ now: () => h.time.now() })
    const user_id = await linked(h, oura, 'oura')
    await refresh(h, user_id, 'oura')
    await h.call('event.trigger', { body: { user_id, type: 'historical.data.steps.created' } })
    await h.call('event.trigger', { body: { user_id, type: 'daily.data.steps.created' } })
    expect(await values(h, user_id, 'steps', 'oura')).toEqual([])
    const named = { user_id, type: 'historical.data.steps.created', set: { 'data.provider': 'oura' } }
    expect((await h.refusal('event.trigger', { body: named })).message).toContain('live connection')
  })
})
