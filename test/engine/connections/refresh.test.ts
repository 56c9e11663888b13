/** Refresh: its pulls, its response, its rate limit, and its timeout. */
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS, HOUR_MS, SECOND_MS } from '../../../src/core/time.ts'
import { openHarness } from '../../kit/harness.ts'
import { eventCount, eventTypes, inBytes, type LinkedUser, link, linkedUser } from '../links/linked-user.ts'

const UNKNOWN = '99999999-9999-4999-8999-999999999999' as UserId

describe('a refresh', () => {
  it('pulls new data since the last pull, with daily events, and nothing if there is none', async () => {
    const { h, user_id, params } = await linkedUser(['whoop'])
    h.time.ms += 3 * DAY_MS
    const before = await eventCount(h, user_id)
    const response = await h.call('user.refresh', { params })
    expect(response).toMatchObject({ success: true, user_id, in_progress_sources: [], failed_sources: [] })
    expect(response.refreshed_sources).toEqual(expect.arrayContaining(['whoop/sleep', 'whoop/heartrate']))
    const types = await eventTypes(h, user_id, before)
    expect(types).toEqual(expect.arrayContaining(['daily.data.heartrate.created', 'daily.data.sleep.created']))
    expect(types.filter(type => !type.startsWith('daily.'))).toEqual([])
    const page = await h.call('timeseries.grouped', {
      params: { ...params, resource: 'heartrate' },
      query: { start_date: '2026-11-21', end_date: '2026-11-22' },
    })
    expect(page.groups['whoop']?.[0]?.data.length).toBeGreaterThan(100)
    const after = await eventCount(h, user_id)
    await h.call('user.refresh', { params })
    expect(await eventCount(h, user_id)).toBe(after)
  })

  it('gives the same data as a link on the later day', async () => {
    const samples = async ({ h, params }: LinkedUser) => {
      const path = { params: { ...params, resource: 'heartrate' }, query: { start_date: '2026-11-01' } }
      return (await h.call('timeseries.grouped', path)).groups
    }
    const refreshed = await linkedUser(['whoop'])
    refreshed.h.time.ms += 2 * DAY_MS
    await refreshed.h.call('user.refresh', { params: refreshed.params })
    // every harness has the same randomness, and so the same user
    const later = await linkedUser([])
    expect(later.user_id).toBe(refreshed.user_id)
    later.h.time.ms += 2 * DAY_MS
    await link(later.h, later.user_id, 'whoop')
    expect(await samples(refreshed)).toEqual(await samples(later))
  })

  it('for a user without connected sources is refused, and lists those in error', async () => {
    const { h, user_id, params } = await linkedUser(['zwift'])
    await h.call('provider.fail', { params: { ...params, provider: 'zwift' }, body: { error_type: 'unknown' } })
    const refused = await h.refusal('user.refresh', { params })
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        success: false,
        user_id,
        error: 'user has no connected sources',
        failed_sources: expect.arrayContaining(['zwift/workouts']),
      },
    ])
    expect(refused.suggestions).toEqual(['These connections have failed or are paused: zwift. Link them again.'])
    const { h: other } = await openHarness().then(h => ({ h }))
    const { user_id: fresh } = await other.call('user.create', { body: { client_user_id: 'fresh' } })
    expect((await other.refusal('user.refresh', { params: { user_id: fresh } })).body).toMatchObject({
      failed_sources: [],
    })
    expect((await h.refusal('user.refresh', { params: { user_id: UNKNOWN } })).body).toEqual({
      detail: 'User not found',
    })
  })

  it('lists a failed connection’s sources along with the pulled ones', async () => {
    const { h, params } = await linkedUser(['whoop', 'zwift'])
    await h.call('provider.fail', { params: { ...params, provider: 'zwift' }, body: { error_type: 'unknown' } })
    const response = await h.call('user.refresh', { params })
    expect(response.refreshed_sources.every(each => each.startsWith('whoop/'))).toBe(true)
    expect(response.failed_sources).toContain('zwift/workouts')
  })

  it('pulls nothing for a connection created by a push, which has no account', async () => {
    const h = await openHarness()
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'a' } })
    const sample = {
      resource: 'heartrate',
      provider: 'garmin',
      source_type: 'watch',
      timestamp: '2026-11-20T08:00:00Z',
      value: 60,
    }
    await h.call('samples.push', { params: { user_id }, body: inBytes({ samples: [sample] }) })
    const before = await eventCount(h, user_id)
    expect(await h.call('user.refresh', { params: { user_id } })).toMatchObject({
      success: true,
      refreshed_sources: [],
    })
    expect(await eventCount(h, user_id)).toBe(before)
  })

  it('is allowed 8 times an hour of real time; after that the refusal says when to retry', async () => {
    const { h, params } = await linkedUser(['whoop'])
    for (let i = 0; i < 8; i++) {
      h.time.ms += 60 * SECOND_MS
      await h.call('user.refresh', { params })
    }
    const refused = await h.refusal('user.refresh', { params })
    expect([refused.status, refused.headers]).toEqual([429, { 'retry-after': String(53 * 60) }])
    // the engine's clock does not count
    await h.call('clock.set', { body: { advance: '2h' } })
    expect((await h.refusal('user.refresh', { params })).status).toBe(429)
    h.time.ms += 53 * 60 * SECOND_MS
    expect((await h.call('user.refresh', { params })).success).toBe(true)
    expect((await h.refusal('user.refresh', { params })).status).toBe(429)
    h.time.ms += HOUR_MS
    await h.call('user.refresh', { params })
  })

  it('counts simultaneous calls separately', async () => {
    const { h, params } = await linkedUser(['whoop'])
    const calls = Array.from({ length: 12 }, () => h.call('user.refresh', { params }))
    const outcomes = await Promise.allSettled(calls)
    expect(outcomes.filter(each => each.status === 'fulfilled')).toHaveLength(8)
  })

  it('postpones pulls that do not fit into the timeout', async () => {
    const { h, user_id, params } = await linkedUser(['whoop', 'zwift'])
    h.time.ms += 2 * DAY_MS
    // every read of the clock takes 3 s
    const { context } = h.engine
    const slow = { ...context, time: { now: () => (h.time.ms += 3 * SECOND_MS) } }
    const { runOperation } = await import('../../../src/engine/engine.ts')
    const reply = await runOperation(slow, 'user.refresh', {
      input: { params, query: { timeout: 5 }, body: undefined },
      credentials: { kind: 'team', team: h.team, linkToken: null },
      accept: '*/*',
    })
    const body = (reply as { body: { refreshed_sources: string[]; in_progress_sources: string[] } }).body
    expect(body.refreshed_sources.every(each => each.startsWith('whoop/'))).toBe(true)
    expect(body.in_progress_sources).toContain('zwift/workouts')
    const before = await eventCount(h, user_id)
    expect((await h.call('engine.run_due', {})).ran).toEqual([{ kind: 'refresh', count: 1 }])
    expect(await eventTypes(h, user_id, before)).toContain('daily.data.steps.created')
    expect((await h.call('engine.run_due', {})).ran).toEqual([])
  })

  it.each([4, 61, 'soon'])('refuses a timeout of %s', async timeout => {
    const { h, params } = await linkedUser(['whoop'])
    const refused = await h.refusal('user.refresh', { params, query: { timeout: timeout as number } })
    expect(refused.status).toBe(422)
  })

  it('respects the ingestion bounds', async () => {
    const { h, user_id, params } = await linkedUser(['whoop'], { ingestion_end: '2026-11-20' })
    h.time.ms += 5 * DAY_MS
    const before = await eventCount(h, user_id)
    await h.call('user.refresh', { params })
    const events = (await h.engine.context.store.events.ofUser(user_id, before, 1000)).filter(
      ({ data }) => data.kind === 'samples',
    )
    const last = Math.max(...events.map(({ data }) => (data.kind === 'samples' ? (data.batch.start.at(-1) ?? 0) : 0)))
    expect(last).toBeLessThan(Date.UTC(2026, 10, 22))
  })
})
