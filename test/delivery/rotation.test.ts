/** Deliveries while an endpoint's secret is rotated: each verifies with the secret that the consumer has. */
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { parseSecret } from '../../src/delivery/signature.ts'
import { verify } from '../../src/delivery/verification.ts'
import { openSink, type Received } from '../kit/sink.ts'
import { until } from '../kit/until.ts'
import { openDeliveryHarness, untilIdle } from './delivery-harness.ts'

const HOUR_MS = 3_600_000

describe('a rotation of the secret', () => {
  it('signs with both secrets until the overlap is over, and never with a third', async () => {
    const harness = await openDeliveryHarness()
    harness.h.time.ms = Date.now()
    const sink = await openSink()
    const { endpoint_id, secret: first } = await harness.endpoint(sink.url)
    const params = { endpoint_id }
    const anna = await harness.user('anna')
    const deliverer = await harness.deliver()
    const next = async (): Promise<Received> => {
      const before = sink.received.length
      await harness.events(anna, 1)
      await until(() => sink.received.length > before)
      await untilIdle(deliverer)
      return sink.received[before] as Received
    }
    const passes = ({ headers, body }: Received, secret: string): boolean =>
      verify({
        headers,
        body: Buffer.from(body),
        keys: [parseSecret(secret)],
        nowSeconds: Math.floor(harness.h.time.ms / 1000),
      }).ok
    const rotate = async (overlap_hours: number): Promise<string> =>
      (await harness.h.call('webhook.rotate_secret', { params, body: { overlap_hours } })).secret

    const second = await rotate(2)
    const during = await next()
    expect([first, second].map(secret => passes(during, secret))).toEqual([true, true])
    for (const secret of [first, second]) {
      const headers = during.headers as Record<string, string>
      expect(new Webhook(secret).verify(during.body, headers)).toMatchObject({ client_user_id: 'anna' })
    }
    const third = await rotate(2)
    const again = await next()
    expect([first, second, third].map(secret => passes(again, secret))).toEqual([false, true, true])
    harness.h.time.ms += 2 * HOUR_MS
    const after = await next()
    expect([second, third].map(secret => passes(after, secret))).toEqual([false, true])
    const fourth = await rotate(0)
    const last = await next()
    expect([third, fourth].map(secret => passes(last, secret))).toEqual([false, true])
    expect(String(last.headers['webhook-signature']).split(' ')).toHaveLength(1)
  })
})
