/** Introspection and devices: facts about pulls, about the available data, and about its sources. */
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS, HOUR_MS } from '../../../src/core/time.ts'
import { openHarness } from '../../kit/harness.ts'
import { eventCount, eventTypes, inBytes, linkedUser } from '../links/linked-user.ts'

const UNKNOWN = '99999999-9999-4999-8999-999999999999' as UserId
const DEVICE = '4B1F7C1E-0000-4000-8000-0000000000aa'
const HEART = {
  resource: 'heartrate',
  provider: 'polar',
  source_type: 'watch',
  timestamp: '2026-11-19T08:00:00Z',
  value: 60,
}

describe('introspection', () => {
  it('shows when each resource was pulled, the number of new records, and the range of the data', async () => {
    const { h, user_id, params } = await linkedUser(['whoop'])
    const { data, next_cursor } = await h.call('introspect.resources', { query: { user_id } })
    expect(next_cursor).toBeNull()
    expect(data).toHaveLength(1)
    const whoop = data[0]?.provider['whoop'] ?? {}
    expect(whoop['sleep']).toMatchObject({
      last_attempt: { timestamp: '2026-11-20T12:00:00+00:00', status: 'success' },
      sent_count: expect.any(Number),
    })
    expect(whoop['heartrate']?.oldest_data?.slice(0, 10)).toBe('2026-10-20')
    expect(whoop['heartrate']?.newest_data?.slice(0, 10)).toBe('2026-11-20')
    const sent = whoop['heartrate']?.sent_count ?? 0
    h.time.ms += DAY_MS
    await h.call('user.refresh', { params })
    const later = (await h.call('introspect.resources', { query: { user_id } })).data[0]?.provider['whoop'] ?? {}
    expect(later['heartrate']?.sent_count).toBeGreaterThan(sent)
    expect(later['heartrate']?.last_attempt?.timestamp).toBe('2026-11-21T12:00:00+00:00')
    await h.call('provider.fail', { params: { ...params, provider: 'whoop' }, body: { error_type: 'unknown' } })
    const failed = (await h.call('introspect.resources', { query: { user_id } })).data[0]?.provider['whoop'] ?? {}
    expect(failed['heartrate']?.last_attempt?.status).toBe('failure')
  })

  it('includes pushed data, which was never pulled', async () => {
    const { h, user_id, params } = await linkedUser([])
    await h.call('samples.push', { params, body: inBytes({ samples: [HEART] }) })
    expect((await h.call('introspect.resources', { query: { user_id } })).data).toEqual([
      {
        user_id,
        provider: {
          polar: {
            heartrate: {
              last_attempt: null,
              oldest_data: '2026-11-19T08:00:00+00:00',
              newest_data: '2026-11-19T08:00:00+00:00',
              sent_count: 0,
            },
          },
        },
      },
    ])
    const [pulls] = (await h.call('introspect.historical_pulls', { query: { user_id } })).data
    expect(pulls?.provider['polar']).toMatchObject({ pulled: {}, not_pulled: expect.arrayContaining(['heartrate']) })
  })

  it('shows the range of a historical pull, which a refresh does not change', async () => {
    const { h, user_id, params } = await linkedUser(['whoop'])
    const read = async () =>
      (await h.call('introspect.historical_pulls', { query: { user_id } })).data[0]?.provider['whoop']
    const first = await read()
    expect(first?.pulled['sleep']).toMatchObject({
      status: 'success',
      range_end: '2026-11-20T12:00:00+00:00',
      timeline: { started_at: '2026-11-20T12:00:00+00:00', ended_at: '2026-11-20T12:00:00+00:00' },
      days_with_data: expect.any(Number),
      trace_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      error_details: null,
    })
    expect(first?.pulled['sleep']?.days_with_data).toBeGreaterThan(25)
    expect(first?.not_pulled).toEqual([])
    h.time.ms += DAY_MS
    await h.call('user.refresh', { params })
    expect(await read()).toEqual(first)
  })

  it('pages through the team’s users, with cursors that are valid for no other list', async () => {
    const h = await openHarness()
    const ids: string[] = []
    for (let i = 0; i < 5; i++) ids.push((await h.call('user.create', { body: { client_user_id: `u${i}` } })).user_id)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const query: { user_limit: number; next_cursor?: string | null } = { user_limit: 2, next_cursor: cursor }
      const page: { data: { user_id: string }[]; next_cursor: string | null } = await h.call('introspect.resources', {
        query,
      })
      expect(page.data.length).toBeLessThanOrEqual(2)
      seen.push(...page.data.map(each => each.user_id))
      cursor = page.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(ids.toSorted())
    const { next_cursor } = await h.call('introspect.resources', { query: { user_limit: 2 } })
    const other = await h.refusal('introspect.resources', { query: { provider: 'oura', next_cursor } })
    expect([other.status, other.code]).toEqual([422, 'invalid_cursor'])
  })

  it('is limited to the requested provider, and refuses an unknown one', async () => {
    const { h, user_id } = await linkedUser(['whoop', 'zwift'])
    const { data } = await h.call('introspect.resources', { query: { provider: 'zwift' } })
    expect(data.map(each => Object.keys(each.provider))).toEqual([['zwift']])
    expect((await h.refusal('introspect.resources', { query: { provider: 'zwif' } })).code).toBe('unknown_provider')
    expect((await h.refusal('introspect.resources', { query: { user_id: UNKNOWN } })).body).toEqual({
      detail: 'User not found',
    })
    await h.call('user.disconnect', { params: { user_id, provider: 'zwift' } })
    const left = (await h.call('introspect.historical_pulls', { query: { user_id } })).data
    expect(left.map(each => Object.keys(each.provider))).toEqual([['whoop']])
  })
})

describe('devices', () => {
  it('are added once by a link, with manufacturer and model', async () => {
    const { h, user_id, params } = await linkedUser(['whoop'])
    const devices = await h.call('user.devices', { params })
    expect(devices).toMatchObject([
      { user_id, provider: 'whoop', source_type: 'watch', device_manufacturer: 'Whoop', device_model: '4.0' },
    ])
    const id = devices[0]?.id as string
    expect(await h.call('user.device', { params: { ...params, device_id: id.toUpperCase() } })).toEqual(devices[0])
    const types = await eventTypes(h, user_id)
    expect(types.filter(type => type === 'provider.device.created')).toHaveLength(1)
    h.time.ms += HOUR_MS
    await h.call('user.refresh', { params })
    expect(await eventTypes(h, user_id)).not.toContain('provider.device.updated')
  })

  it('are added by data with their ID, samples as well as summaries', async () => {
    const { h, user_id, params } = await linkedUser([])
    const sample = { ...HEART, device_id: DEVICE, app_id: 'com.example.heart' }
    await h.call('samples.push', {
      params,
      body: inBytes({ samples: [sample, { ...sample, timestamp: '2026-11-19T08:05:00Z' }] }),
    })
    const before = await eventCount(h, user_id)
    expect(await h.call('user.devices', { params })).toEqual([
      {
        id: DEVICE.toLowerCase(),
        user_id,
        provider: 'polar',
        source_type: 'watch',
        app_id: 'com.example.heart',
        device_manufacturer: null,
        device_model: null,
        device_version: null,
        device_id: DEVICE.toLowerCase(),
      },
    ])
    await h.call('samples.push', {
      params,
      body: inBytes({ samples: [{ ...sample, timestamp: '2026-11-19T08:10:00Z' }] }),
    })
    expect(await eventTypes(h, user_id, before)).toEqual(['daily.data.heartrate.created'])
  })

  it('return 404 for an unknown user, and for an unknown device', async () => {
    const { h, params } = await linkedUser([])
    expect(await h.call('user.devices', { params })).toEqual([])
    expect((await h.refusal('user.devices', { params: { user_id: UNKNOWN } })).body).toEqual({
      detail: 'User not found',
    })
    const unknown = await h.refusal('user.device', { params: { ...params, device_id: UNKNOWN } })
    expect([unknown.status, unknown.body]).toEqual([404, { detail: 'Device not found' }])
  })
})
