/** The states of a connection, and their causes. */
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { eventCount, eventTypes, inBytes, link, linkedUser } from '../links/linked-user.ts'

const UNKNOWN = '99999999-9999-4999-8999-999999999999' as UserId
const HEART = {
  resource: 'heartrate',
  provider: 'whoop',
  source_type: 'watch',
  timestamp: '2026-11-20T08:00:00Z',
  value: 60,
}

describe('a connection', () => {
  it('that fails shows the reason, with an event, and a new link restores it', async () => {
    const { h, user_id, params } = await linkedUser(['whoop', 'zwift'])
    const before = await eventCount(h, user_id)
    const entry = await h.call('provider.fail', {
      params: { ...params, provider: 'whoop' },
      body: { error_type: 'token_refresh_failed', error_message: 'for a test' },
    })
    const error_details = {
      error_type: 'token_refresh_failed',
      error_message: 'for a test',
      errored_at: '2026-11-20T12:00:00+00:00',
    }
    expect(entry).toMatchObject({ slug: 'whoop', status: 'error', error_details })
    const { providers } = await h.call('user.providers', { params })
    expect(providers).toMatchObject([
      { slug: 'whoop', status: 'error', error_details },
      { slug: 'zwift', status: 'connected', error_details: null },
    ])
    const [event] = await h.engine.context.store.events.ofUser(user_id, before, 10)
    expect(event).toMatchObject({
      type: 'provider.connection.error',
      data: {
        document: {
          provider: 'whoop',
          error_type: 'token_refresh_failed',
          message: 'for a test',
          error_details: 'for a test',
        },
      },
    })
    const failed = await eventCount(h, user_id)
    await link(h, user_id, 'whoop')
    expect((await h.call('user.providers', { params })).providers[0]).toMatchObject({
      slug: 'whoop',
      status: 'connected',
      error_details: null,
    })
    expect((await eventTypes(h, user_id, failed))[0]).toBe('provider.connection.created')
  })

  it('that fails without a message gets the one for its error type, every time', async () => {
    const { h, user_id, params } = await linkedUser(['whoop'])
    const before = await eventCount(h, user_id)
    for (const error_type of ['unknown', 'provider_password_expired'] as const) {
      const { error_details } = await h.call('provider.fail', {
        params: { ...params, provider: 'whoop' },
        body: { error_type },
      })
      expect(error_details).toMatchObject({ error_type, error_message: expect.stringContaining('provider') })
    }
    expect(await eventTypes(h, user_id, before)).toEqual(['provider.connection.error', 'provider.connection.error'])
  })

  it('in error stays in error when data is pushed or imported', async () => {
    const { h, params } = await linkedUser(['whoop'])
    await h.call('provider.fail', { params: { ...params, provider: 'whoop' }, body: { error_type: 'unknown' } })
    await h.call('samples.push', { params, body: inBytes({ samples: [HEART] }) })
    expect((await h.call('user.providers', { params })).providers).toMatchObject([{ slug: 'whoop', status: 'error' }])
  })

  it('disappears when disconnected, while its data stays, and a link creates a new one', async () => {
    const { h, user_id, params } = await linkedUser(['whoop'])
    const path = { params: { ...params, provider: 'whoop' } }
    expect(await h.call('user.disconnect', path)).toEqual({ success: true })
    expect((await h.call('user.providers', { params })).providers).toEqual([])
    const page = await h.call('timeseries.grouped', {
      params: { ...params, resource: 'heartrate' },
      query: { start_date: '2026-11-01' },
    })
    expect(Object.keys(page.groups)).toEqual(['whoop'])
    const before = await eventCount(h, user_id)
    await link(h, user_id, 'whoop')
    expect((await eventTypes(h, user_id, before))[0]).toBe('provider.connection.created')
    const refused = await h.refusal('user.disconnect', { params: { ...params, provider: 'zwift' } })
    expect([refused.status, refused.message]).toEqual([404, 'The user has no connection to zwift.'])
  })

  it('gets 404 for an unknown user, and 422 with the nearest name for an unknown provider', async () => {
    const { h, params } = await linkedUser([])
    const body = { error_type: 'unknown' as const }
    for (const [id, input] of [
      ['user.disconnect', {}],
      ['provider.fail', { body }],
    ] as const) {
      const nobody = await h.refusal(id, { params: { user_id: UNKNOWN, provider: 'oura' }, ...input } as never)
      expect(nobody.body).toEqual({ detail: 'User not found' })
      const typo = await h.refusal(id, { params: { ...params, provider: 'woop' }, ...input } as never)
      expect([typo.status, typo.message]).toEqual([422, expect.stringContaining('Did you mean "whoop"')])
    }
    const wrong = await h.refusal('provider.fail', {
      params: { ...params, provider: 'oura' },
      body: { error_type: 'tired' as never },
    })
    expect([wrong.status, wrong.message]).toEqual([422, expect.stringContaining('token_refresh_failed')])
  })
})

describe('the end of ingestion', () => {
  const ENDS = { ingestion_end: '2026-11-20' }
  const dueAt = Date.UTC(2026, 10, 28)
  const statuses = async ({ h, params }: Awaited<ReturnType<typeof linkedUser>>) =>
    (await h.call('user.providers', { params })).providers.map(each => each.status)
  const runDue = async ({ h }: Awaited<ReturnType<typeof linkedUser>>) => (await h.call('engine.run_due', {})).ran

  it('leaves a week for late data, then pauses every connection', async () => {
    const linked = await linkedUser(['whoop', 'zwift'], ENDS)
    const { h, params } = linked
    h.time.ms = dueAt - 1
    expect(await runDue(linked)).toEqual([])
    const late = await h.call('samples.push', { params, body: inBytes({ samples: [HEART] }) })
    expect([late.dropped, await statuses(linked)]).toEqual([0, ['connected', 'connected']])
    h.time.ms = dueAt
    expect(await runDue(linked)).toEqual([{ kind: 'pause', count: 1 }])
    expect(await statuses(linked)).toEqual(['paused', 'paused'])
    expect(await runDue(linked)).toEqual([])
  })

  it('can be moved or removed until then', async () => {
    const linked = await linkedUser(['whoop'], ENDS)
    const { h, params } = linked
    await h.call('user.patch', { params, body: { ingestion_end: '2026-11-30' } })
    h.time.ms = dueAt
    expect(await runDue(linked)).toEqual([])
    await h.call('user.patch', { params, body: { ingestion_end: null } })
    h.time.ms = dueAt + 100 * DAY_MS
    // the events are also old enough for removal by then
    expect((await runDue(linked)).filter(({ kind }) => kind !== 'retention')).toEqual([])
    expect(await statuses(linked)).toEqual(['connected'])
  })

  it('requires a new link if it is moved after the pause', async () => {
    const linked = await linkedUser(['whoop'], ENDS)
    const { h, params, user_id } = linked
    h.time.ms = dueAt
    await runDue(linked)
    await h.call('user.patch', { params, body: { ingestion_end: '2027-12-31' } })
    await runDue(linked)
    expect(await statuses(linked)).toEqual(['paused'])
    await link(h, user_id, 'whoop')
    await runDue(linked)
    expect(await statuses(linked)).toEqual(['connected'])
  })

  it('also pauses connections that are linked afterwards', async () => {
    const linked = await linkedUser([], { ingestion_end: '2026-01-01' })
    await runDue(linked)
    await link(linked.h, linked.user_id, 'whoop')
    expect(await runDue(linked)).toEqual([{ kind: 'pause', count: 1 }])
    expect(await statuses(linked)).toEqual(['paused'])
  })

  it('is kept for a deleted user when the deletion is undone', async () => {
    const linked = await linkedUser(['whoop'], ENDS)
    const { h, params, user_id } = linked
    await h.call('user.delete', { params })
    h.time.ms += DAY_MS
    await h.call('user.undo_delete', { body: { user_id } })
    await link(h, user_id, 'zwift')
    h.time.ms = dueAt
    await runDue(linked)
    expect(await statuses(linked)).toEqual(['paused'])
  })

  it('never deletes data, whatever the bounds', async () => {
    const { h, params } = await linkedUser(['whoop'])
    const count = async () => {
      const path = { params: { ...params, resource: 'steps' }, query: { start_date: '2026-01-01' } }
      return (await h.call('timeseries.grouped', path)).groups['whoop']?.[0]?.data.length
    }
    const before = await count()
    await h.call('user.patch', { params, body: { ingestion_start: '2026-11-19', ingestion_end: '2026-11-19' } })
    expect(await count()).toBe(before)
    const far = { ...HEART, timestamp: '2026-11-10T08:00:00Z' }
    expect((await h.call('samples.push', { params, body: inBytes({ samples: [far] }) })).dropped).toBe(1)
  })
})
