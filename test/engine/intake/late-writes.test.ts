/** Writes that arrive too late: about a user or a connection that was removed while a call was in progress. */
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/core/time.ts'
import { runOverdueJobs } from '../../../src/engine/upkeep/jobs.ts'
import { openHarness } from '../../kit/harness.ts'
import { eventCount, inBytes, linkedUser } from '../links/linked-user.ts'
import { orderBody, placed } from '../orders/orders.ts'

const TOKEN = {
  hash: 'a'.repeat(64),
  createdOn: 0,
  redirectUrl: null,
  provider: null,
  filterOnProviders: null,
  onError: null,
  onClose: null,
  consumedAt: null,
  pending: null,
}

describe('after a deletion', () => {
  it('no row is added that a purge in progress would miss', async () => {
    const h = await openHarness()
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'a' } })
    await h.call('user.delete', { params: { user_id } })
    const { store } = h.engine.context
    const limit = { now: h.time.ms, most: 8, windowMs: HOUR_MS }
    const late = [
      () => store.links.addToken({ ...TOKEN, userId: user_id, teamId: h.team.teamId }),
      () => store.users.takeRateSlot(user_id, 'refresh', limit),
      () => store.connections.askRefresh(user_id, 'whoop', h.time.ms),
    ]
    for (const write of late) await expect(write()).rejects.toMatchObject({ code: 'user_not_found' })
  })

  it('an order does not change and causes no event', async () => {
    const h = await openHarness()
    const { userId, order } = await placed(h)
    const { store } = h.engine.context
    const found = await store.orders.find(h.team.teamId, order.id)
    if (!found) throw new Error('the order is there')
    await h.call('user.delete', { params: { user_id: userId as UserId } })
    const events = await eventCount(h, userId as UserId)
    const next = { ...found, status: 'cancelled.walk_in_test.cancelled', rev: found.rev + 1 }
    expect(await store.orders.replace(next, [{ type: 'labtest.order.updated', document: {} }], h.time.ms)).toBe(false)
    expect(await eventCount(h, userId as UserId)).toBe(events)
    expect((await h.refusal('order.cancel', { params: { order_id: order.id } })).body).toEqual({
      detail: 'Order not found',
    })
  })
})

it('an order is not repeated under its key while its user is deleted', async () => {
  const h = await openHarness()
  const { user_id } = await h.call('user.create', { body: { client_user_id: 'a' } })
  const body = orderBody(user_id)
  const again = { headers: { 'x-idempotency-key': 'k' } }
  const first = await h.call('order.create', { body }, again)
  await h.call('user.delete', { params: { user_id } })
  expect((await h.refusal('order.create', { body }, again)).body).toEqual({ detail: 'User not found' })
  await h.call('user.undo_delete', { body: { user_id } })
  expect(await h.call('order.create', { body }, again)).toEqual(first)
})

it('a refresh adds nothing for a connection that was removed or failed in the meantime', async () => {
  const { h, user_id, params } = await linkedUser(['whoop', 'zwift'])
  const { store } = h.engine.context
  await h.call('user.disconnect', { params: { ...params, provider: 'whoop' } })
  await h.call('provider.fail', { params: { ...params, provider: 'zwift' }, body: { error_type: 'unknown' } })
  const events = await eventCount(h, user_id)
  for (const provider of ['whoop', 'zwift']) {
    const pull = { provider, kind: 'refresh' as const, resources: ['sleep'], from: 0, to: h.time.ms, traceId: 'x' }
    const write = { at: h.time.ms, teamId: h.team.teamId, batches: [], summaries: [], streams: [], pull }
    const rest = { events: { kind: 'daily' as const }, importing: null, connections: [], consumeToken: null }
    expect(await store.connections.bringRefreshed(user_id, provider, { ...write, ...rest })).toBe(false)
  }
  expect(await eventCount(h, user_id)).toBe(events)
  const { data } = await h.call('introspect.resources', { query: { user_id } })
  expect(Object.values(data[0]?.provider['whoop'] ?? {}).filter(each => each.last_attempt !== null)).toEqual([])
})

it('a connection that is created by data after the end of ingestion is paused too', async () => {
  const { h, params } = await linkedUser(['whoop'], { ingestion_end: '2026-11-25' })
  h.time.ms += 20 * DAY_MS
  await h.call('engine.run_due', {})
  const sample = { resource: 'heartrate', provider: 'polar', source_type: 'watch', value: 61 }
  const samples = [{ ...sample, timestamp: '2026-11-20T07:00:00Z' }]
  await h.call('samples.push', { params, body: inBytes({ samples }) })
  await h.call('engine.run_due', {})
  const { providers } = await h.call('user.providers', { params })
  expect(providers.map(each => [each.slug, each.status])).toEqual([
    ['whoop', 'paused'],
    ['polar', 'paused'],
  ])
})

it('a patch after the grace period finds no user, and neither does a deletion', async () => {
  const h = await openHarness()
  const { user_id } = await h.call('user.create', { body: { client_user_id: 'a' } })
  const params = { user_id }
  await h.call('user.delete', { params })
  const patch = () => h.refusal('user.patch', { params, body: { client_user_id: 'b' } })
  expect((await patch()).body).toEqual({
    detail: 'The user has been scheduled for deletion as per your previous request',
  })
  h.time.ms += 7 * DAY_MS
  expect((await patch()).body).toEqual((await h.refusal('user.delete', { params })).body)
})

it('orders of deleted users do not count until the users are restored', async () => {
  const h = await openHarness()
  const { userId } = await placed(h)
  const params = { user_id: userId as UserId }
  const ordered = async () => (await h.call('user.metrics', {})).number_of_ordered_tests
  expect(await ordered()).toBe(1)
  await h.call('user.delete', { params })
  expect(await ordered()).toBe(0)
  await h.call('user.undo_delete', { body: params })
  expect(await ordered()).toBe(1)
})

it('overdue steps of an order are made before a call about it, so that the audit trail is correct', async () => {
  const h = await openHarness()
  const { order } = await placed(h)
  const params = { order_id: order.id }
  await h.call('order.simulate', { params, query: { delay: 60 } })
  h.time.ms += 10 * MINUTE_MS
  const now = async () => h.time.ms
  const input = { params, query: {}, body: undefined }
  await runOverdueJobs(h.engine.context, { teamId: h.team.teamId, input, now })
  expect((await h.refusal('order.cancel', { params })).status).toBe(400)
  const { entries } = await h.call('audit.list', { query: { operation: 'order.cancel' } })
  expect(entries.map(each => each.outcome)).toEqual(['bad_request'])
})

it('a refusal that is stored or counted appears in the audit trail only as a refusal', async () => {
  const h = await openHarness()
  const { userId } = await placed(h)
  const body = orderBody(userId, undefined, { collection_method: 'testkit' })
  const headers = { 'x-idempotency-key': 'k' }
  for (let i = 0; i < 2; i++) expect((await h.refusal('order.create', { body }, { headers })).status).toBe(400)
  const outcomes = async (operation: string) => {
    const { entries } = await h.call('audit.list', { query: { operation } })
    return entries.map(each => each.outcome)
  }
  expect(await outcomes('order.create')).toEqual(['bad_request', 'bad_request', 'ok'])
  const { link_token: linkToken } = await h.call('link.token', { body: { user_id: userId as UserId } })
  const params = { provider: 'whoop' }
  const link = { username: 'mfa-sms@sandbox.test', password: 'pw' }
  expect(await h.call('link.password', { params, body: link }, { linkToken })).toMatchObject({
    state: 'pending_provider_mfa',
  })
  expect(await h.call('link.complete_mfa', { params, body: { mfa_code: '999999' } }, { linkToken })).toMatchObject({
    error_type: 'incorrect_mfa_code',
  })
  expect(await outcomes('link.complete_mfa')).toEqual(['incorrect_mfa_code'])
})
