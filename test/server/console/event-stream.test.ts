/** The event stream of the console, over a real connection. */
import { createServer, IncomingMessage, request } from 'node:http'
import { Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { Callers } from '../../../src/server/connections/callers.ts'
import { ClientAddresses } from '../../../src/server/connections/client-address.ts'
import type { TestServer } from '../../kit/server.ts'
import { until } from '../../kit/until.ts'
import { Browser, serveConsole } from './console-server.ts'

interface Item {
  readonly event_id: string
  readonly event_type: string
  readonly user_id: string
}

/** An open stream, and the data that it received. */
class Stream {
  readonly ids: string[] = []
  readonly items: Item[] = []
  gaps = 0
  isOver = false
  private rest = ''
  private readonly response: IncomingMessage

  constructor(response: IncomingMessage) {
    this.response = response
    response.setEncoding('utf8')
    response.on('data', (text: string) => this.read(text))
    response.on('close', () => {
      this.isOver = true
    })
    response.on('error', () => {})
  }

  get status(): number | undefined {
    return this.response.statusCode
  }

  get headers(): IncomingMessage['headers'] {
    return this.response.headers
  }

  kill(): void {
    this.response.destroy()
  }

  private read(text: string): void {
    const messages = (this.rest + text).split('\n\n')
    this.rest = messages.pop() ?? ''
    for (const message of messages) {
      const fields = new Map(message.split('\n').map(line => [line.split(': ', 1)[0], line.replace(/^\w*: /, '')]))
      if (fields.get('event') === 'gap') this.gaps++
      if (fields.get('event') !== 'event') continue
      this.ids.push(fields.get('id') ?? '')
      this.items.push(JSON.parse(fields.get('data') ?? '') as Item)
    }
  }
}

const opened: Stream[] = []
afterEach(() => {
  for (const each of opened.splice(0)) each.kill()
})

async function open(server: TestServer, query = '', headers: Record<string, string> = {}): Promise<Stream> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const clientRequest = request(`${server.url}/console/events/stream${query}`, { headers })
    clientRequest.on('response', resolve)
    clientRequest.on('error', reject)
    clientRequest.end()
  })
  const stream = new Stream(response)
  opened.push(stream)
  return stream
}

async function newUser(server: TestServer, name: string): Promise<string> {
  const { json } = await server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: name }) })
  return (json as { user_id: string }).user_id
}

async function trigger(server: TestServer, userId: string, type = 'provider.connection.created'): Promise<void> {
  const body = JSON.stringify({ user_id: userId, type, only_event: true })
  const response = await server.ask('POST', '/svc/v1/events/trigger', { body })
  expect(response.text).toContain('events')
}

async function listed(server: TestServer): Promise<readonly Item[]> {
  const { json } = await server.ask('GET', '/svc/v1/events?order=asc&limit=500')
  return (json as { data: Item[] }).data
}

describe('the event stream', () => {
  it('sends the team’s new events, as the list shows them', async () => {
    const server = await serveConsole()
    const browser = new Browser(server)
    await browser.signIn()
    const userId = await newUser(server, 'ada')
    await trigger(server, userId)
    // over PostgreSQL, an event gets its position in the list after the response
    await until(async () => (await listed(server)).length > 0)
    const before = (await listed(server)).length
    const stream = await open(server, '', { cookie: browser.cookie ?? '' })
    expect(stream.status).toBe(200)
    expect(stream.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    await trigger(server, userId)
    await until(() => stream.items.length > 0)
    const all = await listed(server)
    expect(stream.items).toEqual(all.slice(before))
    expect(stream.ids).toEqual(all.slice(before).map(each => each.event_id))
    expect(stream.gaps).toBe(0)
  })

  it('filters by type and user', async () => {
    const server = await serveConsole()
    const ada = await newUser(server, 'ada')
    const bob = await newUser(server, 'bob')
    const key = { 'x-svc-api-key': server.apiKey }
    const ofBob = await open(server, `?user_id=${bob}`, key)
    const ofType = await open(server, '?type=provider.*', key)
    await trigger(server, ada)
    await trigger(server, bob, 'provider.connection.error')
    await until(() => ofBob.items.length > 0 && ofType.items.length > 1)
    expect(new Set(ofBob.items.map(each => each.user_id))).toEqual(new Set([bob]))
    expect(ofType.items.every(each => each.event_type.startsWith('provider.'))).toBe(true)
    expect((await open(server, '?type=nothing', key)).status).toBe(422)
    expect((await open(server, '?user_id=00000000-0000-4000-8000-000000000000', key)).status).toBe(404)
  })

  it('continues after the last event when the connection was lost', async () => {
    const server = await serveConsole()
    const userId = await newUser(server, 'ada')
    const key = { 'x-service-api-key': server.apiKey }
    const first = await open(server, '', key)
    await trigger(server, userId)
    await until(() => first.items.length > 0)
    const last = first.ids.at(-1) ?? ''
    first.kill()
    for (let i = 0; i < 3; i++) await trigger(server, userId)
    const second = await open(server, '', { ...key, 'last-event-id': last })
    // over PostgreSQL, an event gets its position shortly after its commit
    const missed = await until(async () => {
      const ids = (await listed(server)).map(each => each.event_id)
      const after = ids.slice(ids.indexOf(last) + 1)
      return after.length >= 3 && after
    })
    await until(() => second.ids.length >= missed.length)
    expect(second.ids).toEqual(missed)
    const same = await open(server, `?after=${last}`, key)
    await until(() => same.ids.length >= missed.length)
    expect(same.ids).toEqual(missed)
    const unknown = await open(server, '', { ...key, 'last-event-id': '00000000-0000-4000-8000-000000000000' })
    await until(() => unknown.gaps === 1)
  })

  it('sends events that another server on the store wrote', async () => {
    const first = await serveConsole()
    const second = await serveConsole({ dataDir: first.dataDir })
    const userId = await newUser(second, 'ada')
    const stream = await open(first, '', { 'x-service-api-key': first.apiKey })
    await trigger(second, userId)
    await until(() => stream.items.length > 0)
    expect(stream.items[0]?.user_id).toBe(userId)
  })

  it('needs a session or a key, and shows no events of other teams', async () => {
    const server = await serveConsole()
    expect((await open(server)).status).toBe(401)
    expect((await open(server, '', { 'x-service-api-key': 'wrong' })).status).toBe(401)
    const { json } = await server.ask('POST', '/svc/v1/teams', { body: '{"name":"others"}' })
    const theirs = await open(server, '', { 'x-service-api-key': (json as { api_key: string }).api_key })
    const ours = await open(server, '', { 'x-service-api-key': server.apiKey })
    await trigger(server, await newUser(server, 'ada'))
    await until(() => ours.items.length > 0)
    expect(theirs.items).toEqual([])
  })

  it('is limited for each key', async () => {
    const server = await serveConsole()
    const key = { 'x-service-api-key': server.apiKey }
    const streams = await Promise.all(Array.from({ length: 21 }, () => open(server, '', key)))
    expect(streams.map(each => each.status).sort()).toEqual([...Array<number>(20).fill(200), 429])
    streams.find(each => each.status === 200)?.kill()
    await until(async () => (await open(server, '', key)).status === 200)
  })

  it('does not count against a client’s share behind a proxy, unlike other requests', () => {
    const callers = new Callers(createServer(), new ClientAddresses(['127.0.0.1']), { isTls: false, note: () => {} })
    const clientRequest = (client: string): IncomingMessage => {
      const socket = new Socket()
      Object.defineProperty(socket, 'remoteAddress', { value: '127.0.0.1' })
      const message = new IncomingMessage(socket)
      message.headers['x-forwarded-for'] = client
      return message
    }
    const began = (client: string): IncomingMessage => {
      const message = clientRequest(client)
      callers.began(message)
      return message
    }
    const watching = '203.0.113.7'
    const calling = '203.0.113.8'
    const streams = Array.from({ length: 300 }, () => began(watching))
    for (const each of streams) callers.leftShare(each, watching)
    for (let i = 0; i < 300; i++) began(calling)
    for (let i = 0; i < 1_000; i++) began(`198.51.100.${i % 250}`)
    expect(() => callers.refuseOverShare(watching)).not.toThrow()
    expect(() => callers.refuseOverShare(calling)).toThrow(/Too many requests/)
    // a stream that ends does not count twice
    for (const each of streams) callers.ended(each, each.socket, watching)
    for (let i = 0; i < 251; i++) began(watching)
    expect(() => callers.refuseOverShare(watching)).toThrow(/Too many requests/)
  })

  it('ends when the session signs out', async () => {
    const server = await serveConsole()
    const browser = new Browser(server)
    await browser.signIn()
    const stream = await open(server, '', { cookie: browser.cookie ?? '' })
    await browser.ask('POST', '/console/sign-out', { body: '{}' })
    await until(() => stream.isOver)
  })

  it('ends before the next event when its key is revoked or another server ended the session', async () => {
    const server = await serveConsole()
    const other = await serveConsole({ dataDir: server.dataDir })
    const userId = await newUser(server, 'ada')
    const { json: teams } = await server.ask('GET', '/svc/v1/teams')
    const [team] = (teams as { teams: { team_id: string }[] }).teams
    const made = await server.ask('POST', `/svc/v1/teams/${team?.team_id}/keys`, { body: '{"label":"short-lived"}' })
    const { api_key: key, key_id: keyId } = made.json as { api_key: string; key_id: string }
    const [ofKey, signedOut] = [new Browser(server), new Browser(server)]
    await ofKey.signIn(key)
    await signedOut.signIn()
    const streams = [
      await open(server, '', { 'x-service-api-key': key }),
      await open(server, '', { cookie: ofKey.cookie ?? '' }),
      await open(server, '', { cookie: signedOut.cookie ?? '' }),
    ]
    const lasting = await open(server, '', { 'x-service-api-key': server.apiKey })
    await trigger(server, userId)
    await until(() => [...streams, lasting].every(each => each.ids.length > 0))
    const seen = streams.map(each => each.ids.length)

    expect((await server.ask('DELETE', `/svc/v1/keys/${keyId}`)).status).toBe(200)
    const ended = await other.ask('POST', '/console/sign-out', {
      key: null,
      // a cookie's name contains its server's port
      headers: {
        cookie: `svc_session_${new URL(other.url).port}=${signedOut.cookie?.split('=')[1]}`,
        'x-svc-csrf-token': signedOut.csrf,
      },
      body: '{}',
    })
    expect(ended.status).toBe(204)
    const before = lasting.ids.length
    await trigger(server, userId)
    await until(() => lasting.ids.length > before && streams.every(each => each.isOver))
    expect(streams.map(each => each.ids.length)).toEqual(seen)
    expect(lasting.isOver).toBe(false)
  })

  it('does not keep the server from closing', async () => {
    const server = await serveConsole({ graceMs: 60_000 })
    const stream = await open(server, '', { 'x-service-api-key': server.apiKey })
    await server.close()
    await until(() => stream.isOver)
  })
})
