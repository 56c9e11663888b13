/** Webhooks to the server's own machine: a team's key must neither reach nor detect services there. */
import { createServer, type Server } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openEngine } from '../../src/engine/open.ts'
import { recordOfKey } from '../../src/engine/teams/new-api-key.ts'
import { sealSecret } from '../../src/engine/webhooks/sealed-secret.ts'
import type { EndpointRecord } from '../../src/store/webhook.ts'
import { openDeliveryHarness } from '../delivery/delivery-harness.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { storeOptions } from '../kit/postgres/database.ts'
import { serve, type TestServer } from '../kit/server.ts'
import { openSink } from '../kit/sink.ts'
import { until } from '../kit/until.ts'

interface Endpoint {
  readonly endpoint_id: string
  readonly state: string
  readonly target_problem: string | null
  readonly waiting: number
  readonly dead: number
}

/** A local service that no team should reach. */
let victim: Server
let victimPort = 0
let connections = 0

beforeAll(async () => {
  victim = createServer(socket => {
    connections++
    socket.destroy()
  })
  await new Promise<void>(resolve => victim.listen(0, '127.0.0.1', resolve))
  victimPort = (victim.address() as { port: number }).port
})
afterAll(() => victim.close())

const REFUSED = 'leads to this machine, to which webhooks are not sent; to allow it, set the URL with an operator'
const body = (value: object) => ({ body: JSON.stringify(value) })

async function newTeam(server: TestServer, name: string): Promise<string> {
  const response = await server.ask('POST', '/svc/v1/teams', body({ name }))
  return (response.json as { api_key: string }).api_key
}

const create = (server: TestServer, url: string, key?: string) =>
  server.ask('POST', '/svc/v1/webhooks', { ...body({ url }), ...(key === undefined ? {} : { key }) })

/** Sends an example to the endpoint, and returns its delivery once `done` accepts it. */
async function delivery(server: TestServer, endpointId: string, key?: string) {
  const as = key === undefined ? {} : { key }
  await server.ask('POST', '/v2/user', { ...body({ client_user_id: `user-${Math.random()}` }), ...as })
  const queued = await server.ask('POST', `/svc/v1/webhooks/${endpointId}/test`, { ...body({}), ...as })
  const { event_id } = queued.json as { event_id: string }
  let found: { state: string; attempts: { status: number | null; error: string | null }[] } | undefined
  await until(async () => {
    const event = await server.ask('GET', `/svc/v1/events/${event_id}`, as)
    found = (event.json as { deliveries: [typeof found] }).deliveries[0]
    return (found?.attempts.length ?? 0) > 0
  })
  return found
}

describe('a server on a loopback address', () => {
  test('allows this machine as a target for an operator’s URL, but not for a team’s', async () => {
    const [server, sink] = [await serve(), await openSink()]
    const keys = [await newTeam(server, 'one'), await newTeam(server, 'two')]
    const { port } = new URL(sink.url)
    for (const key of keys) {
      for (const host of ['127.0.0.1', 'localhost', '[::1]', '127.0.0.2', '[::ffff:7f00:1]', '0.0.0.0', '2130706433']) {
        for (const scheme of ['http', 'https']) {
          const refused = await create(server, `${scheme}://${host}:${victimPort}/admin?run=1`, key)
          expect(refused.status, host).toBe(422)
        }
      }
      const refused = await create(server, sink.url, key)
      expect(refused.text).toContain(REFUSED)
      expect(refused.text).toContain('svc serve --allow-loopback-targets')
      expect((await server.ask('GET', '/svc/v1/webhooks', { key })).json).toEqual({ endpoints: [] })
    }
    const made = await create(server, `http://localhost:${port}/hooks`)
    expect(made).toMatchObject({ status: 200, json: { target_problem: null } })
    const { endpoint_id } = made.json as Endpoint
    expect(await delivery(server, endpoint_id)).toMatchObject({ state: 'delivered' })
    expect(sink.received).toHaveLength(1)
    expect(connections).toBe(0)
  })

  test('checks a URL by the key that set it last, not by who sends to it', async () => {
    const [server, sink] = [await serve(), await openSink()]
    // a key of the operator's own team that is not an operator key
    const minted = await server.ask('POST', `/svc/v1/teams/${server.teamId}/keys`, body({ label: 'application' }))
    const { api_key: key } = minted.json as { api_key: string }
    const { endpoint_id } = (await create(server, sink.url)).json as Endpoint
    const path = `/svc/v1/webhooks/${endpoint_id}`
    const change = (value: object, by?: string) =>
      server.ask('PATCH', path, { ...body(value), ...(by === undefined ? {} : { key: by }) })
    expect(await change({ url: `http://127.0.0.1:${victimPort}/` }, key)).toMatchObject({ status: 422 })
    expect(await change({ url: sink.url, description: 'same' }, key)).toMatchObject({
      status: 200,
      json: { target_problem: null, description: 'same' },
    })
    expect(await change({ url: 'https://hooks.example/' }, key)).toMatchObject({ status: 200 })
    expect(await change({ url: sink.url }, key)).toMatchObject({ status: 422 })
    expect(await change({ url: sink.url })).toMatchObject({ status: 200, json: { target_problem: null } })
    expect(await delivery(server, endpoint_id, key)).toMatchObject({ state: 'delivered' })
    expect(connections).toBe(0)
  })
})

describe('a server on a public address', () => {
  test('sends nothing to its own machine, whoever set the URL', async () => {
    const server = await serve({ host: '0.0.0.0', insecureHttp: true, publicUrl: 'http://127.0.0.1' })
    const local = { ...server, ask: asLocal(server) }
    const refused = await create(local, `http://localhost:${victimPort}/`)
    expect(refused.status).toBe(422)
    expect(refused.text).toContain(REFUSED)
  })

  test('sends there for every key with --allow-loopback-targets', async () => {
    const plain = await serve({ host: '0.0.0.0', insecureHttp: true, allowLoopbackTargets: true })
    const server = { ...plain, ask: asLocal(plain) }
    const sink = await openSink()
    const key = await newTeam(server, 'one')
    for (const by of [undefined, key]) {
      const { endpoint_id } = (await create(server, sink.url, by)).json as Endpoint
      expect(await delivery(server, endpoint_id, by)).toMatchObject({ state: 'delivered' })
    }
  })

  /** 0.0.0.0 is where it listens, not an address to call. */
  function asLocal(server: TestServer): TestServer['ask'] {
    const url = server.url.replace('0.0.0.0', '127.0.0.1')
    return async (method, path, { body: text, key = server.apiKey } = {}) => {
      const headers = { 'x-service-api-key': key ?? '', ...(text ? { 'content-type': 'application/json' } : {}) }
      const response = await fetch(url + path, { method, headers, ...(text ? { body: text as string } : {}) })
      const content = await response.text()
      return { status: response.status, headers: response.headers, text: content, json: JSON.parse(content) }
    }
  }
})

describe('an existing endpoint', () => {
  test.each([
    ['team', 'http://127.0.0.1'],
    [null, 'http://localhost'],
    ['team', 'http://[::1]'],
  ] as const)('set by %s at %s is refused, shows the reason, and causes no connection', async (setBy, origin) => {
    const dataDir = temporaryFolder()
    const key = 'a-key-of-a-team-for-tests'
    const endpointId = await plant(dataDir, key, { url: `${origin}:${victimPort}/jobs?run=1`, urlSetBy: setBy })
    const server = await serve({ dataDir, delivers: true })
    const { endpoints } = (await server.ask('GET', '/svc/v1/webhooks', { key })).json as { endpoints: Endpoint[] }
    expect(endpoints).toMatchObject([{ state: 'enabled', target_problem: expect.stringContaining(REFUSED) }])
    const tested = await server.ask('POST', `/svc/v1/webhooks/${endpointId}/test`, { ...body({}), key })
    expect(tested).toMatchObject({ status: 409 })
    expect(tested.text).toContain(REFUSED)
    // an event that it subscribes to
    const { user_id } = (await server.ask('POST', '/v2/user', { ...body({ client_user_id: 'ada' }), key })).json as {
      user_id: string
    }
    await server.ask('POST', '/v2/link/connect/demo', { ...body({ user_id, provider: 'oura' }), key })
    await until(() => server.lines.some(line => line.includes(REFUSED)))
    const list = await server.ask('GET', '/svc/v1/events', { key })
    const [first] = (list.json as { data: { event_id: string }[] }).data
    await until(async () => {
      const { json } = await server.ask('GET', `/svc/v1/events/${first?.event_id}`, { key })
      const [sent] = (json as { deliveries: { attempts: { status: unknown; error: string }[] }[] }).deliveries
      if (sent?.attempts[0] === undefined) return false
      expect(sent.attempts[0]).toMatchObject({ status: null, ms: 0, error: expect.stringContaining(REFUSED) })
      return true
    })
    expect(connections).toBe(0)
  })

  test('is given up after eight refused attempts, and is sent again once an operator sets its URL', async () => {
    const [harness, sink] = [await openDeliveryHarness(), await openSink()]
    const { endpoint_id } = await harness.endpoint(sink.url)
    const { webhooks, deliveries } = harness.engine.store
    const { teamId } = harness.h.team
    await webhooks.change(teamId, endpoint_id, { urlSetBy: 'team' }, harness.h.time.ms)
    const [event] = await harness.events(await harness.user('ada'), 1)
    const lines: string[] = []
    for (let attempt = 0; attempt < 9; attempt++) {
      await harness.deliverAll({ log: line => lines.push(line) })
      await harness.advance('12h')
    }
    expect(await deliveries.figures()).toMatchObject({ waiting: 0, dead: 1 })
    const params = { event_id: event?.eventId as string }
    const { deliveries: listed } = await harness.h.call('event.get', { params })
    expect(listed[0]?.attempts).toHaveLength(8)
    for (const { status, error } of listed[0]?.attempts ?? []) {
      expect(status).toBeNull()
      expect(error).toContain(REFUSED)
    }
    expect(lines[0]).toBe(`nothing is sent to webhook endpoint ${endpoint_id}: ${listed[0]?.attempts[0]?.error}`)
    expect(sink.received).toHaveLength(0)
    await harness.h.call('webhook.update', { params: { endpoint_id }, body: { url: sink.url } })
    await harness.h.call('event.resend', { params, body: {} })
    await harness.deliverAll()
    expect(sink.received).toHaveLength(1)
  })

  test('that resolves to this machine is not connected to, and does not reveal the address', async () => {
    const harness = await openDeliveryHarness()
    const ada = await harness.user('ada')
    const made = await harness.endpoint(`https://hooks.example:${victimPort}/`)
    const { teamId } = harness.h.team
    for (const [setBy, address] of [
      ['team', '127.0.0.1'],
      ['operator', '127.0.0.1'],
      ['team', '::1'],
      ['team', '10.0.0.5'],
      ['team', '::ffff:127.0.0.1'],
    ] as const) {
      const at = harness.h.time.ms
      await harness.engine.store.webhooks.change(teamId, made.endpoint_id, { urlSetBy: setBy }, at)
      const [event] = await harness.events(ada, 1)
      const family = address.includes(':') ? 6 : 4
      await harness.deliverAll({ resolve: (_host, done) => done(null, [{ address, family }]) })
      const listed = await harness.h.call('event.get', { params: { event_id: event?.eventId as string } })
      const { error } = listed.deliveries[0]?.attempts[0] ?? {}
      expect(error).toMatch(/^hooks\.example resolves to .*, to which webhooks are not sent/)
      expect(error).not.toContain(address)
    }
    expect(connections).toBe(0)
  })

  async function plant(dataDir: string, key: string, more: Pick<EndpointRecord, 'url' | 'urlSetBy'>): Promise<string> {
    const engine = await openEngine({ dataDir, waitForLock: 'blocking', ...storeOptions(dataDir) })
    const { teamId } = await engine.localTeam()
    const { store } = engine.context
    const now = Date.now()
    await store.teams.addKey(recordOfKey(key, { keyId: 'of-a-team', teamId, label: '', isOperator: false, now }))
    const endpointId = '11111111-2222-4333-8444-555555555555'
    await store.webhooks.add({
      ...more,
      endpointId,
      teamId,
      description: '',
      eventTypes: ['*'],
      headerPrefix: null,
      concurrency: 1,
      rateLimit: null,
      secret: sealSecret(engine.context, { teamId, endpointId }, new Uint8Array(32)),
      formerSecret: null,
      formerUntil: null,
      createdAt: now,
      updatedAt: now,
      disabledAt: null,
      disabledReason: null,
      failingSince: null,
    })
    await engine.close()
    return endpointId
  }
})
