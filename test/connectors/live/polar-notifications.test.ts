/** Polar's webhook and notifications, against its fake provider. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { polarConnector } from '../../../src/connectors/live/polar/connector.ts'
import type { IncomingNotification, Reception, SubscriptionCalls } from '../../../src/connectors/notifications.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { openSink, type Sink } from '../../kit/sink.ts'
import { type FakePolar, openPolar } from '../../providers/polar/polar.ts'
import { testApp, testSession } from '../../providers/test-session.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
let fake: FakePolar

beforeAll(async () => {
  fake = await openPolar({ now: () => NOW, perQuarter: 100_000 })
  atEndOfFile(() => fake.close())
})

describe('the Polar webhook', () => {
  const calls = polarConnector.notifications?.subscriptions as SubscriptionCalls
  const app = () => testSession(fake, polarConnector)
  let sink: Sink

  beforeEach(async () => {
    fake.webhook.current = null
    sink = await openSink()
  })

  const asked = (url = sink.url) => ({ name: 'webhook', callbackUrl: url, verificationToken: 't' })

  it('is created once, with a key that Polar returns only then', async () => {
    const made = await calls.subscribe(app(), asked())
    expect(made).toEqual({ remoteId: fake.webhook.current?.id, expiresAt: null, secret: fake.webhook.key })
    expect(sink.received.map(each => JSON.parse(each.body).event)).toEqual(['PING'])
    expect(fake.webhook.current?.events).toContain('CONTINUOUS_HEART_RATE')
  })

  it('is created again if its key was lost', async () => {
    const first = await calls.subscribe(app(), asked())
    const again = await calls.subscribe(app(), asked())
    expect(again.remoteId).not.toBe(first.remoteId)
    expect(again.secret).toBe(fake.webhook.key)
  })

  it('with another URL is left unchanged', async () => {
    await calls.subscribe(app(), asked())
    const other = await openSink()
    await expect(calls.subscribe(app(), asked(other.url))).rejects.toMatchObject({ kind: 'bad_request', status: 409 })
    expect(fake.webhook.current?.url).toBe(sink.url)
  })

  it('is activated again if Polar has deactivated it, and created again if it is gone', async () => {
    const made = await calls.subscribe(app(), asked())
    if (fake.webhook.current) fake.webhook.current.active = false
    expect(await calls.renew?.(app(), made, asked())).toMatchObject({ remoteId: made.remoteId })
    expect(fake.webhook.current?.active).toBe(true)
    fake.webhook.current = null
    const other = await calls.renew?.(app(), made, asked())
    expect(other?.remoteId).not.toBe(made.remoteId)
  })

  it('can be removed twice', async () => {
    const made = await calls.subscribe(app(), asked())
    await calls.remove(app(), made, asked())
    expect(fake.webhook.current).toBeNull()
    await calls.remove(app(), made, asked())
  })

  it('needs the right client secret, and a URL that responds', async () => {
    const wrong = testSession(fake, polarConnector, {
      app: testApp(fake, polarConnector, { clientSecret: 'wrong' }),
    })
    await expect(calls.subscribe(wrong, asked())).rejects.toMatchObject({ kind: 'credentials' })
    sink.behave = () => 500
    await expect(calls.subscribe(app(), asked())).rejects.toMatchObject({ kind: 'bad_request' })
  })
})

describe('a Polar notification', () => {
  async function sent(event: Readonly<Record<string, unknown>>, key?: string): Promise<IncomingNotification> {
    const sink = await openSink()
    fake.webhook.current = null
    const calls = polarConnector.notifications?.subscriptions as SubscriptionCalls
    await calls.subscribe(testSession(fake, polarConnector), {
      name: 'webhook',
      callbackUrl: sink.url,
      verificationToken: '',
    })
    await fake.webhook.send({ user_id: 475, ...event }, key)
    const request = sink.received.at(-1)
    return {
      method: 'POST',
      header: name => String(request?.headers[name] ?? '') || null,
      query: new URLSearchParams(),
      body: Buffer.from(request?.body ?? ''),
      receivedAt: NOW,
    }
  }

  const read = async (incoming: IncomingNotification, issued = [fake.webhook.key]): Promise<Reception | undefined> => {
    const secrets = { clientSecret: fake.clientSecret, verificationToken: '', issued: async () => issued }
    return polarConnector.notifications?.receive(testSession(fake, polarConnector), incoming, secrets)
  }

  it.each([
    [
      { event: 'EXERCISE', entity_id: 'aQlC83' },
      { kind: 'record', collection: 'exercises', recordId: 'aQlC83' },
    ],
    [
      { event: 'SLEEP', date: '2026-11-19' },
      { kind: 'record', collection: 'sleep', recordId: '2026-11-19' },
    ],
    [
      { event: 'CONTINUOUS_HEART_RATE', date: '2026-11-19' },
      { kind: 'record', collection: 'continuous_heart_rate', recordId: '2026-11-19' },
    ],
    [
      { event: 'ACTIVITY_SUMMARY', date: '2026-11-19' },
      { kind: 'record', collection: 'activities', recordId: '2026-11-19' },
    ],
    [{ event: 'PHYSICAL_INFORMATION' }, { kind: 'window', collection: 'physical_info' }],
  ])('of %j leads to the right reads', async (event, hint) => {
    expect(await read(await sent(event))).toMatchObject({
      kind: 'received',
      status: 200,
      events: [{ accountId: '475', hints: [hint] }],
    })
  })

  it('is the same event when it is repeated, and a different one otherwise', async () => {
    const idOf = (reception: Reception | undefined) =>
      reception?.kind === 'received' ? reception.events[0]?.eventId : undefined
    const incoming = await sent({ event: 'SLEEP', date: '2026-11-19' })
    const first = idOf(await read(incoming))
    expect(idOf(await read(incoming))).toBe(first)
    expect(idOf(await read(await sent({ event: 'SLEEP', date: '2026-11-18' })))).not.toBe(first)
  })

  it('never causes a request to the URL in it', async () => {
    const incoming = await sent({ event: 'EXERCISE', entity_id: 'aQlC83', url: 'https://elsewhere.example/secret' })
    expect(JSON.stringify(await read(incoming))).not.toContain('elsewhere')
  })

  it('is refused with a wrong or missing signature, when it was changed, and before the key is known', async () => {
    const event = { event: 'SLEEP', date: '2026-11-19' }
    const genuine = await sent(event)
    const refused = { kind: 'refused', status: 401 }
    expect(await read({ ...genuine, header: () => null })).toMatchObject(refused)
    expect(await read({ ...genuine, body: Buffer.from(genuine.body.toString().replace('475', '476')) })).toMatchObject(
      refused,
    )
    expect(await read(genuine, [])).toMatchObject(refused)
    expect(await read(await sent(event, 'a guessed key'))).toMatchObject(refused)
  })

  it('is refused if it differs from Polar’s documentation, even with a valid signature', async () => {
    for (const event of [
      { event: 'EXERCISE', entity_id: '../users/1' },
      { event: 'EXERCISE' },
      { event: 'SLEEP', date: '2026-02-30' },
      { event: 'SLEEP', date: '2026-11-19', user_id: null },
    ]) {
      expect(await read(await sent(event))).toMatchObject({ kind: 'refused', status: 400 })
    }
  })

  it('that is a ping gets a response and has no effect', async () => {
    const ping = { ...(await sent({ event: 'SLEEP', date: '2026-11-19' })), body: Buffer.from('{"event":"PING"}') }
    expect(await read(ping, [])).toEqual({ kind: 'answered', status: 200 })
  })
})
