import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ouraConnector } from '../../../src/connectors/live/oura/connector.ts'
import type { IncomingNotification, Reception, SubscriptionCalls } from '../../../src/connectors/notifications.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { type FakeOura, type OuraSending, openOura } from '../../providers/oura/oura.ts'
import { testApp, testSession } from '../../providers/test-session.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const EVENT = { event_type: 'update', data_type: 'sleep', object_id: 'night-1', user_id: 'ada' } as const
const reader = ouraConnector.notifications
if (reader === null) throw new Error('Oura sends notifications')

let oura: FakeOura
let receiver: Server
let callback = ''
const receptions: Reception[] = []
beforeAll(async () => {
  oura = await openOura({ now: () => NOW })
  receiver = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const reception = await receive({
      method: request.method as 'GET',
      header: name => request.headers[name]?.toString() ?? null,
      query: new URL(request.url ?? '', callback).searchParams,
      body: Buffer.concat(chunks),
      receivedAt: NOW,
    })
    receptions.push(reception)
    response.writeHead(reception.status).end(reception.kind === 'answered' ? reception.body : undefined)
  })
  await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve))
  callback = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/n`
})
afterAll(async () => {
  receiver.close()
  await oura.close()
})

function receive(incoming: IncomingNotification): Promise<Reception> {
  const secrets = { clientSecret: oura.clientSecret, verificationToken: 'token-1', issued: async () => [] }
  return reader!.receive(testSession(oura, ouraConnector), incoming, secrets)
}

function posted(sending: OuraSending = {}, event: Parameters<FakeOura['signed']>[0] = EVENT) {
  const { body, headers } = oura.signed(event, sending)
  const header = (name: string): string | null => headers[name] ?? null
  return receive({ method: 'POST', header, query: new URLSearchParams(), body: Buffer.from(body), receivedAt: NOW })
}

describe('a notification', () => {
  it('identifies the person and the document, and has the same ID when it is repeated', async () => {
    const first = await posted()
    expect(first).toMatchObject({
      kind: 'received',
      status: 200,
      events: [{ accountId: 'ada', hints: [{ kind: 'record', collection: 'sleep', recordId: 'night-1' }] }],
    })
    expect(await posted({ sentAt: NOW / 1000 - 600 })).toEqual(first)
    expect(await posted({}, { ...EVENT, event_time: '2026-11-20T13:00:00Z' })).not.toEqual(first)
  })

  it('reports deletions, and days with a new score', async () => {
    const removed = await posted({}, { ...EVENT, event_type: 'delete', data_type: 'workout', object_id: 'w' })
    expect(removed).toMatchObject({ events: [{ hints: [{ kind: 'deleted', collection: 'workout', recordId: 'w' }] }] })
    const scored = await posted({}, { ...EVENT, data_type: 'daily_sleep' })
    const window = { from: NOW - 3 * DAY_MS, to: NOW + DAY_MS }
    expect(scored).toMatchObject({ events: [{ hints: [{ kind: 'window', collection: 'sleep', window }] }] })
    const uptake = await posted({}, { ...EVENT, data_type: 'vo2_max' })
    expect(uptake).toMatchObject({ events: [{ hints: [{ kind: 'record', collection: 'vO2_max' }] }] })
    expect(await posted({}, { ...EVENT, data_type: 'tag' })).toEqual({ kind: 'received', status: 200, events: [] })
  })

  it.each<[string, OuraSending]>([
    ['another key', { key: 'another' }],
    ['another body', { tamper: body => body.replace('ada', 'eve') }],
    ['a space more', { tamper: body => `${body} ` }],
    ['an old signature', { sentAt: NOW / 1000 - 7200 }],
    ['a signature of the future', { sentAt: NOW / 1000 + 7200 }],
  ])('is refused with %s', async (_what, sending) => {
    expect(await posted(sending)).toMatchObject({ kind: 'refused', status: 401 })
  })

  it('is refused without a signature, and if it is not an event', async () => {
    const bare = { method: 'POST', header: () => null, query: new URLSearchParams(), receivedAt: NOW } as const
    expect(await receive({ ...bare, body: Buffer.from('{}') })).toMatchObject({ kind: 'refused', status: 401 })
    expect(await posted({}, [] as never)).toMatchObject({ kind: 'refused', status: 400 })
  })
})

describe('subscriptions', () => {
  const calls = reader.subscriptions as SubscriptionCalls
  const asked = (name: string) => ({ name, callbackUrl: callback, verificationToken: 'token-1' })

  it('exist for each event and data type of the scopes', () => {
    const app = testApp(oura, ouraConnector)
    expect(calls.wanted(['workout'], app).map(each => each.name)).toEqual([
      'create:workout',
      'update:workout',
      'delete:workout',
    ])
    expect(calls.wanted(['daily', 'spo2'], app).length).toBe(15)
  })

  it('are created with a handshake, found again, renewed and removed, and send genuine notifications', async () => {
    const session = testSession(oura, ouraConnector)
    const made = await calls.subscribe(session, asked('update:sleep'))
    expect(made).toEqual({ remoteId: oura.subscriptions[0]?.id, expiresAt: NOW + 90 * DAY_MS })
    expect(receptions.at(-1)).toMatchObject({ kind: 'answered', status: 200 })
    expect(await calls.subscribe(session, asked('update:sleep'))).toEqual(made)
    const elsewhere = { ...asked('update:sleep'), callbackUrl: `${callback}/moved` }
    expect((await calls.subscribe(session, elsewhere)).remoteId).toBe(made.remoteId)
    expect(oura.subscriptions.map(each => each.callback_url)).toEqual([`${callback}/moved`])
    expect(await oura.notify(EVENT)).toEqual([200])
    expect(receptions.at(-1)).toMatchObject({ kind: 'received', events: [{ accountId: 'ada' }] })
    expect(await calls.renew?.(session, made, asked('update:sleep'))).toEqual(made)
    await calls.remove(session, made, asked('update:sleep'))
    await calls.remove(session, made, asked('update:sleep'))
    expect(oura.subscriptions).toEqual([])
    expect((await calls.renew?.(session, made, asked('update:sleep')))?.remoteId).not.toBe(made.remoteId)
  })

  it('are not created for anyone who does not know the token', async () => {
    const session = testSession(oura, ouraConnector)
    const wrong = { ...asked('create:workout'), verificationToken: 'token-2' }
    await expect(calls.subscribe(session, wrong)).rejects.toMatchObject({ kind: 'bad_request' })
    expect(receptions.at(-1)).toMatchObject({ kind: 'refused', status: 401 })
  })
})
