/** Long lists of lab orders, names in any script, and how a partial report relates to the complete one. */
import { describe, expect, it } from 'vitest'
import type { TeamId } from '../../../src/core/ids.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { EVERY_ORDER, type OrderFilter } from '../../../src/store/order.ts'
import { openHarness } from '../../kit/harness.ts'
import { ADDRESS, newUser, orderBody, placed } from './orders.ts'

describe('a list of orders', () => {
  it('accepts any number of IDs, and finds only the team’s orders', async () => {
    const h = await openHarness()
    const { userId, order } = await placed(h)
    const second = await h.call('order.create', { body: orderBody(userId) })
    const strangers = Array.from({ length: 40_000 }, (_, i) => {
      return `${String(i).padStart(8, '0')}-0000-4000-8000-000000000000`
    })
    const list = (query: object) => h.call('order.list', { query })
    const order_ids = [...strangers, order.id.toUpperCase()]
    expect(await list({ order_ids })).toMatchObject({ orders: [{ id: order.id }], total: 1 })
    expect(await list({ order_ids, user_id: userId })).toMatchObject({ total: 1 })
    expect((await list({ user_id: userId })).orders.map(each => each.id).sort()).toEqual(
      [order.id, second.order.id].sort(),
    )
    const { team_id } = await h.call('team.create', { body: { name: 'other' } })
    const { store } = h.engine.context
    expect(await store.orders.list(team_id as TeamId, ofOrders([order.id]))).toEqual({ orders: [], total: 0 })
    expect(await store.orders.list(h.team.teamId, ofOrders([order.id]))).toMatchObject({ total: 1 })
  })

  it('can be filtered by a recipient’s name in any script', async () => {
    const h = await openHarness()
    await placed(h, undefined, { patient_address: { ...ADDRESS, receiver_name: 'Özge Ünal' } })
    for (const name of ['Ünal', 'Özge', 'NAL']) {
      expect((await h.call('order.list', { query: { shipping_recipient_name: name } })).total, name).toBe(1)
    }
  })

  it('shows none of more than a hundred orders in a state that has passed', async () => {
    const h = await openHarness()
    const userId = await newUser(h)
    const body = orderBody(userId, undefined, { activate_by: '2026-11-21' })
    await Promise.all(Array.from({ length: 105 }, () => h.call('order.create', { body })))
    h.time.ms += DAY_MS
    const waiting = await h.call('order.list', { query: { status: 'ordered' } })
    expect(waiting.total).toBe(0)
    expect((await h.call('order.list', { query: { status: 'requisition_created' } })).total).toBe(105)
  })
})

it('a critical partial report contains a critical result, the same as in the complete one', async () => {
  const h = await openHarness()
  const userId = await newUser(h)
  for (let i = 0; i < 8; i++) {
    const { order } = await h.call('order.create', { body: orderBody(userId) })
    const params = { order_id: order.id }
    const body = { interpretation: 'critical' as const }
    const final_status = 'sample_with_lab.walk_in_test.partial_results'
    await h.call('order.simulate', { params, query: { final_status }, body })
    const partial = await h.call('order.result', { params })
    await h.call('order.simulate', { params, body })
    const whole = await h.call('order.result', { params })
    const critical = ({ results }: typeof whole) => results.filter(each => each.interpretation === 'critical')
    expect(critical(partial).length, order.id).toBeGreaterThan(0)
    expect(critical(partial).map(each => each.result)).toEqual(critical(whole).map(each => each.result))
  }
})

it('a report is later than its sample even if the clock was set back', async () => {
  const h = await openHarness()
  const { order } = await placed(h, 'heart-health-kit')
  const params = { order_id: order.id }
  const final_status = 'sample_with_lab.testkit.delivered_to_lab'
  await h.call('order.simulate', { params, query: { final_status } })
  h.time.ms -= 30 * DAY_MS
  await h.call('order.simulate', { params })
  const { metadata } = await h.call('order.result', { params })
  const times = [metadata.date_collected, metadata.date_received, metadata.date_reported]
  expect(times).toEqual([...times].sort())
})

function ofOrders(orderIds: readonly string[]): OrderFilter {
  return { ...EVERY_ORDER, orderIds, isDescending: true }
}
