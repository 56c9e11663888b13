/** Deliveries that a deletion stopped are sent when the deletion is undone, so a mistake loses nothing. */
import { expect, it } from 'vitest'
import { openSink } from '../kit/sink.ts'
import { openDeliveryHarness } from './delivery-harness.ts'

it('sends the waiting events of a user once the deletion is undone, in order, to endpoints that are still enabled', async () => {
  const harness = await openDeliveryHarness()
  const { h } = harness
  const sink = await openSink()
  const off = await openSink()
  await harness.endpoint(sink.url)
  const disabled = await harness.endpoint(off.url)
  const ada = await harness.user('ada')
  await harness.events(ada, 3)
  await h.call('user.delete', { params: { user_id: ada } })
  await h.call('webhook.disable', { params: { endpoint_id: disabled.endpoint_id } })
  await harness.deliverAll()
  expect(sink.received).toHaveLength(0)
  await h.call('user.undo_delete', { body: { user_id: ada } })
  await harness.events(ada, 1)
  await harness.deliverAll()
  expect(sink.received.map(each => each.headers['webhook-sequence'])).toEqual(['1', '2', '3', '4'])
  expect(off.received).toHaveLength(0)
  expect((await h.call('engine.check', {})).problems).toEqual([])
})

it('then retries failed deliveries once more, and repeats none that arrived', async () => {
  const harness = await openDeliveryHarness()
  const { h } = harness
  const sink = await openSink(({ headers }) => (headers['webhook-sequence'] === '1' ? 200 : 500))
  await harness.endpoint(sink.url)
  const ada = await harness.user('ada')
  await harness.events(ada, 2)
  await harness.deliverAll()
  await h.call('user.delete', { params: { user_id: ada } })
  await harness.advance('1h')
  await harness.deliverAll()
  expect(sink.received).toHaveLength(2)
  await h.call('user.undo_delete', { body: { user_id: ada } })
  sink.behave = () => 200
  await harness.deliverAll()
  expect(sink.received.map(each => each.headers['webhook-sequence'])).toEqual(['1', '2', '2'])
})
