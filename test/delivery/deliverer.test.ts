/** An endpoint receives every event for it, signed, in order, again after a failure, and nothing else. */
import { Webhook as Standard } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'
import { describe, expect, it } from 'vitest'
import { NOON } from '../kit/harness.ts'
import { openSink } from '../kit/sink.ts'
import { until } from '../kit/until.ts'
import { openDeliveryHarness, TYPE, untilIdle } from './delivery-harness.ts'

const ids = (received: readonly { headers: Record<string, unknown> }[]) =>
  received.map(each => each.headers['webhook-id'])
const sequences = (received: readonly { headers: Record<string, unknown> }[]) =>
  received.map(each => Number(each.headers['webhook-sequence']))

describe('what an endpoint receives', () => {
  it('is every event in the order of each user, signed as the published libraries expect', async () => {
    const harness = await openDeliveryHarness()
    harness.h.time.ms = Date.now()
    const sink = await openSink()
    const { secret } = await harness.endpoint(`${sink.url}/hooks?a=1`, { header_prefix: 'svix-', concurrency: 3 })
    const [anna, ben] = [await harness.user('anna'), await harness.user('ben')]
    const made = [...(await harness.events(anna, 40)), ...(await harness.events(ben, 40))]
    await harness.deliverAll()
    expect(sink.received).toHaveLength(80)
    for (const userId of [anna, ben]) {
      const own = sink.received.filter(each => JSON.parse(each.body).user_id === userId)
      expect(ids(own)).toEqual(made.filter(event => event.userId === userId).map(event => event.eventId))
      expect(sequences(own)).toEqual([...sequences(own)].sort((a, b) => a - b))
    }
    const one = sink.received[0]
    if (!one) throw new Error('nothing came')
    expect(one.path).toBe('/hooks?a=1')
    expect(one.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'svc/test' })
    const headers = one.headers as Record<string, string>
    expect(new Standard(secret).verify(one.body, headers)).toMatchObject({ event_type: TYPE })
    expect(new Svix(secret).verify(one.body, headers)).toMatchObject({ event_type: TYPE })
    expect(Object.keys(JSON.parse(one.body))).toEqual(['event_type', 'data', 'team_id', 'user_id', 'client_user_id'])
    expect(headers['svix-sequence']).toBe(headers['webhook-sequence'])
  })

  it('is the same body and ID at every attempt, and later events do not wait for it', async () => {
    const harness = await openDeliveryHarness()
    const sink = await openSink(({ headers }) => (headers['webhook-sequence'] === '1' ? 500 : 200))
    const { endpoint_id } = await harness.endpoint(sink.url)
    const anna = await harness.user('anna')
    const [first] = await harness.events(anna, 3)
    const deliverer = await harness.deliver()
    await untilIdle(deliverer)
    expect(sequences(sink.received)).toEqual([1, 2, 3])
    sink.behave = () => 204
    await harness.advance('4s')
    await untilIdle(deliverer)
    // 5 s less the jitter
    await harness.advance('2s')
    await until(() => sink.received.length === 4)
    await untilIdle(deliverer)
    const [before, after] = [sink.received[0], sink.received[3]]
    expect(after?.body).toBe(before?.body)
    expect(after?.headers['webhook-id']).toBe(first?.eventId)
    const found = await harness.engine.store.events.find(harness.h.team.teamId, first?.eventId ?? '')
    expect(found?.deliveries).toMatchObject([
      {
        endpointId: endpoint_id,
        state: 'delivered',
        attempts: [
          { number: 1, status: 500, error: 'responded with 500' },
          { number: 2, status: 204, error: null },
        ],
      },
    ])
  })

  it('is sent up to eight times over more than a day, then given up and reported to the other endpoints', async () => {
    const harness = await openDeliveryHarness()
    const [broken, witness] = [await openSink(() => 503), await openSink()]
    const { endpoint_id } = await harness.endpoint(broken.url)
    await harness.endpoint(witness.url, { event_types: ['message.attempt.exhausted'] })
    const anna = await harness.user('anna')
    const [event] = await harness.events(anna, 1)
    const deliverer = await harness.deliver()
    const waits: number[] = []
    for (let attempt = 1; attempt < 8; attempt++) {
      await until(() => broken.received.length === attempt)
      await untilIdle(deliverer)
      const { nextAt } = await deliverer.remaining()
      const now = NOON + (await harness.engine.store.clock.read()).offsetMs
      waits.push((nextAt ?? Number.NaN) - now)
      await harness.advance(`${Math.max(1, Math.ceil(((nextAt ?? 0) - now) / 1000))}s`)
    }
    await until(() => witness.received.length === 1)
    await untilIdle(deliverer)
    expect(broken.received).toHaveLength(8)
    const minutes = [1 / 12, 5, 30, 120, 300, 600, 600]
    waits.forEach((wait, i) => {
      const share = wait / 60_000 / (minutes[i] as number)
      expect(share).toBeGreaterThan(0.79)
      expect(share).toBeLessThan(1.21)
    })
    expect(new Set(waits.map((wait, i) => wait / (minutes[i] as number))).size).toBeGreaterThan(3)
    const told = JSON.parse(witness.received[0]?.body ?? '')
    expect(told).toMatchObject({
      event_type: 'message.attempt.exhausted',
      user_id: anna,
      data: {
        event_id: event?.eventId,
        event_type: TYPE,
        endpoint_id,
        attempts: 8,
        last_status: 503,
        last_error: 'responded with 503',
      },
    })
    expect(await harness.engine.store.deliveries.figures()).toMatchObject({ waiting: 0, dead: 1, leased: 0 })
    await harness.h.call('event.resend', { params: { event_id: event?.eventId ?? '' }, body: {} })
    broken.behave = () => 200
    await until(() => broken.received.length === 9)
    expect(broken.received[8]?.headers['webhook-id']).toBe(event?.eventId)
  })
})

describe('an endpoint', () => {
  it('that requests a pause gets nothing until the pause is over', async () => {
    const harness = await openDeliveryHarness()
    const sink = await openSink((_, response) => {
      response.writeHead(429, { 'retry-after': '3600' }).end()
      return undefined
    })
    await harness.endpoint(sink.url)
    await harness.events(await harness.user('anna'), 1)
    const deliverer = await harness.deliver()
    await until(() => sink.received.length === 1)
    await untilIdle(deliverer)
    expect((await deliverer.remaining()).nextAt).toBe(NOON + 3_600_000)
  })

  it('that returns 410 is disabled, and its waiting deliveries become dead and can be sent again', async () => {
    const harness = await openDeliveryHarness()
    const sink = await openSink(() => 410)
    const { endpoint_id } = await harness.endpoint(sink.url, { concurrency: 1 })
    const lines: string[] = []
    await harness.events(await harness.user('anna'), 5)
    await harness.deliverAll({ log: line => lines.push(line) })
    expect(sink.received.length).toBeLessThan(5)
    const endpoint = await harness.h.call('webhook.get', { params: { endpoint_id } })
    expect(endpoint).toMatchObject({ state: 'disabled', disabled_reason: 'gone', waiting: 0, dead: 5 })
    expect(lines).toContain(`webhook endpoint ${endpoint_id} is now disabled (gone)`)
    sink.behave = () => 200
    const refused = await harness.h.refusal('events.resend', { body: { since: '2026-01-01', endpoint_id } })
    expect(refused).toMatchObject({ status: 409, exitCode: 5 })
    await harness.h.call('webhook.enable', { params: { endpoint_id } })
    const resend = { body: { since: '2026-01-01', dead_only: true } }
    expect(await harness.h.call('events.resend', resend)).toEqual({ queued: 5 })
    expect(await harness.h.call('events.resend', resend)).toEqual({ queued: 0 })
    const before = sink.received.length
    await harness.deliverAll()
    expect(sink.received.length - before).toBe(5)
  })

  it('that fails for five days is disabled; one success restarts the five days', async () => {
    const harness = await openDeliveryHarness()
    const sink = await openSink(() => 500)
    const { endpoint_id } = await harness.endpoint(sink.url)
    const anna = await harness.user('anna')
    const params = { endpoint_id }
    await harness.events(anna, 1)
    await harness.deliverAll()
    await harness.advance('4d')
    sink.behave = () => 200
    await harness.deliverAll()
    expect(await harness.h.call('webhook.get', { params })).toMatchObject({ state: 'enabled', failing_since: null })
    sink.behave = () => 500
    await harness.events(anna, 1)
    await harness.deliverAll()
    await harness.advance('4d')
    await harness.deliverAll()
    expect(await harness.h.call('webhook.get', { params })).toMatchObject({ state: 'enabled' })
    await harness.advance('1d')
    await harness.deliverAll()
    expect(await harness.h.call('webhook.get', { params })).toMatchObject({
      state: 'disabled',
      disabled_reason: 'failing',
    })
  })

  it('that is slow does not delay another', async () => {
    const harness = await openDeliveryHarness()
    const release: (() => void)[] = []
    const slow = await openSink(() => new Promise(resolve => release.push(() => resolve(200))))
    const quick = await openSink()
    await harness.endpoint(slow.url, { concurrency: 2 })
    await harness.endpoint(quick.url)
    for (const name of ['anna', 'ben', 'cara', 'dora']) await harness.events(await harness.user(name), 20)
    await harness.deliver()
    await until(() => quick.received.length === 80)
    expect(slow.received).toHaveLength(2)
    for (const each of release) each()
  })

  it('gets no more simultaneous requests or requests a second than its settings allow', async () => {
    const harness = await openDeliveryHarness()
    let atOnce = 0
    let most = 0
    const sink = await openSink(async () => {
      most = Math.max(most, ++atOnce)
      await new Promise(resolve => setTimeout(resolve, 20))
      atOnce--
      return 200
    })
    await harness.endpoint(sink.url, { concurrency: 3 })
    const paced = await openSink()
    await harness.endpoint(paced.url, { rate_limit: 40 })
    for (let i = 0; i < 6; i++) await harness.events(await harness.user(`user-${i}`), 5)
    const began = performance.now()
    await harness.deliverAll()
    expect(sink.received).toHaveLength(30)
    expect(most).toBe(3)
    expect(paced.received).toHaveLength(30)
    expect(performance.now() - began).toBeGreaterThan(650)
  })

  it('gets nothing about a deleted user, and nothing once it is deleted or while it is disabled', async () => {
    const harness = await openDeliveryHarness()
    const sink = await openSink()
    const { endpoint_id } = await harness.endpoint(sink.url)
    const other = await openSink()
    const doomed = await harness.endpoint(other.url)
    const [anna, ben] = [await harness.user('anna'), await harness.user('ben')]
    await harness.events(anna, 3)
    await harness.events(ben, 3)
    await harness.h.call('user.delete', { params: { user_id: anna } })
    await harness.h.call('webhook.delete', { params: { endpoint_id: doomed.endpoint_id } })
    await harness.deliverAll()
    expect(sink.received.map(each => JSON.parse(each.body).client_user_id)).toEqual(['ben', 'ben', 'ben'])
    expect(other.received).toEqual([])
    await harness.h.call('webhook.disable', { params: { endpoint_id } })
    await harness.events(ben, 1)
    await harness.deliverAll()
    expect(sink.received).toHaveLength(3)
  })

  it('gets no further event of claimed deliveries when the user is deleted meanwhile', async () => {
    const harness = await openDeliveryHarness()
    const anna = await harness.user('anna')
    const sink = await openSink(async () => {
      if (sink.received.length === 2) await harness.h.call('user.delete', { params: { user_id: anna } })
      return 200
    })
    await harness.endpoint(sink.url)
    await harness.events(anna, 20)
    await harness.deliverAll()
    expect(sink.received).toHaveLength(2)
  })
})

describe('sending again', () => {
  it('reaches an endpoint that was created later, by type and time, as often as requested', async () => {
    const harness = await openDeliveryHarness()
    const anna = await harness.user('anna')
    await harness.events(anna, 2)
    await harness.advance('2h')
    await harness.events(anna, 2)
    await harness.events(anna, 1, 'provider.connection.created')
    const sink = await openSink()
    const { endpoint_id } = await harness.endpoint(sink.url, { event_types: ['provider.*'] })
    const body = { since: '2026-11-20T13:00:00Z', type: 'provider.connection.e*' }
    expect(await harness.h.call('events.resend', { body })).toEqual({ queued: 2 })
    expect(await harness.h.call('events.resend', { body })).toEqual({ queued: 0 })
    await harness.deliverAll()
    expect(sequences(sink.received)).toEqual([3, 4])
    expect(await harness.h.call('events.resend', { body })).toEqual({ queued: 2 })
    await harness.deliverAll()
    expect(sink.received).toHaveLength(4)
    const until = { since: '2026-11-20', until: '2026-11-20T13:00:00Z', endpoint_id }
    expect(await harness.h.call('events.resend', { body: until })).toEqual({ queued: 2 })
  })

  it('refuses unknown events and endpoints', async () => {
    const harness = await openDeliveryHarness()
    const h = harness.h
    const unknown = '00000000-0000-4000-8000-000000000000'
    expect(await h.refusal('event.resend', { params: { event_id: unknown }, body: {} })).toMatchObject({ status: 404 })
    const since = '2026-11-20'
    expect(await h.refusal('events.resend', { body: { since, endpoint_id: unknown } })).toMatchObject({ status: 404 })
    expect(await h.refusal('events.resend', { body: { since, type: 'daily.dta.*' } })).toMatchObject({ status: 422 })
    expect(await h.refusal('events.resend', { body: { since, until: since } })).toMatchObject({ status: 422 })
    expect(await h.refusal('events.resend', { body: { since: 'yesterday' } })).toMatchObject({ status: 422 })
  })
})
