/** What a server counts: requests by status, deliveries with their duration, and what its threads write. */
import { expect, it } from 'vitest'
import { openHarness } from '../kit/harness.ts'
import { serve } from '../kit/server.ts'
import { openSink } from '../kit/sink.ts'

it('counts requests by status and deliveries by endpoint, and stores the counts when it stops', async () => {
  const sink = await openSink((_received, _response, index) => (index === 0 ? 500 : 200))
  const server = await serve()
  const post = async <T>(path: string, body: object) =>
    (await server.ask('POST', path, { body: JSON.stringify(body) })).json as T
  const { user_id } = await post<{ user_id: string }>('/v2/user', { client_user_id: 'alice' })
  const { endpoint_id } = await post<{ endpoint_id: string }>('/svc/v1/webhooks', { url: sink.url })
  await post('/svc/v1/events/trigger', { type: 'provider.device.created', user_id })
  await post(`/svc/v1/webhooks/${endpoint_id}/test`, {})
  expect((await server.ask('GET', '/v2/user/nobody')).status).toBe(422)
  expect((await server.ask('GET', '/v2/user', { key: 'wrong' })).status).toBe(401)
  await expect.poll(() => sink.received.length).toBeGreaterThanOrEqual(2)
  await server.close()
  const h = await openHarness({ dataDir: server.dataDir })
  h.time.ms = Date.now()
  // 401 belongs to no team
  const requests = { requests_2xx: 4, requests_4xx: 1, requests_5xx: 0 }
  const { days } = await h.call('engine.overview', {})
  const sum = (name: 'delivered' | 'failed' | 'requests_2xx' | 'requests_4xx' | 'requests_5xx' | 'users') =>
    days.slice(-2).reduce((total, day) => total + day[name], 0)
  expect({
    requests_2xx: sum('requests_2xx'),
    requests_4xx: sum('requests_4xx'),
    requests_5xx: sum('requests_5xx'),
  }).toEqual(requests)
  expect(sum('failed')).toBe(1)
  expect(sum('delivered')).toBeGreaterThanOrEqual(1)
  const ofEndpoint = await h.call('webhook.days', { params: { endpoint_id } })
  const day = ofEndpoint.days.find(({ failed }) => failed > 0)
  expect(day).toMatchObject({ failed: 1, mean_ms: expect.any(Number) })
  expect((await h.refusal('webhook.days', { params: { endpoint_id: user_id } })).status).toBe(404)
})
