/** How the server handles HTTP: paths, bodies, headers, refusals, and data that it does not reveal. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { beforeAll, describe, expect, it } from 'vitest'
import type { EngineContext } from '../../src/engine/context.ts'
import { BodyBudget } from '../../src/server/bodies/budget.ts'
import { ClientAddresses } from '../../src/server/connections/client-address.ts'
import { DiskWatch } from '../../src/server/guards/disk-watch.ts'
import { GuessLimit } from '../../src/server/guards/guess-limit.ts'
import { RateLimit } from '../../src/server/guards/rate-limit.ts'
import { buildApp } from '../../src/server/http/app.ts'
import { headerPrefixes } from '../../src/server/http/header-prefix.ts'
import { serverLog } from '../../src/server/observability/log.ts'
import { serverMetrics } from '../../src/server/observability/metrics.ts'
import { serve, type TestServer } from '../kit/server.ts'

/** One server for all tests; each creates its own users. */
let server: TestServer
let users = 0
beforeAll(async () => {
  server = await serve({ version: '1.2.3', acceptHeaderPrefixes: ['Vital'] })
})

async function newUser(): Promise<{ id: string; clientUserId: string; body: unknown }> {
  const clientUserId = `user-${users++}`
  const { json } = await server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: clientUserId }) })
  return { id: (json as { user_id: string }).user_id, clientUserId, body: json }
}

const NOBODY = '00000000-0000-4000-8000-000000000000'

describe('paths', () => {
  it('ignores a trailing slash', async () => {
    const created = await server.ask('POST', '/v2/user/', { body: '{"client_user_id":"slash"}' })
    expect(created.status).toBe(200)
    expect((await server.ask('GET', '/v2/user/?limit=1')).json).toMatchObject({ limit: 1 })
    const { user_id } = created.json as { user_id: string }
    expect((await server.ask('GET', `/v2/user/${user_id}/`)).json).toEqual(created.json)
  })

  it('decodes %2F within a segment, and long IDs in any script', async () => {
    for (const id of ['a b/c@d', '日'.repeat(300), '100%']) {
      await server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: id }) })
      const found = await server.ask('GET', `/v2/user/resolve/${encodeURIComponent(id)}`)
      expect(found.json).toMatchObject({ client_user_id: id })
    }
  })

  it('reads a repeated query key as a list', async () => {
    const bad = await server.ask('GET', '/v2/user?limit=1&limit=2')
    expect(bad.status).toBe(422)
    const labs = (await server.ask('GET', '/v3/lab_tests/labs')).json as { id: number }[]
    const two = labs.slice(0, 2).map(lab => lab.id)
    const { json } = await server.ask(
      'GET',
      `/v3/lab_tests/markers?size=100&${two.map(id => `lab_id=${id}`).join('&')}`,
    )
    const found = (json as { markers: { lab_id: number }[] }).markers.map(marker => marker.lab_id)
    for (const id of found) expect(two).toContain(id)
  })

  it('returns 404 for an unknown path, and 405 with the allowed methods for a wrong method', async () => {
    const unknown = await server.ask('GET', '/v2/nothing')
    expect({ status: unknown.status, body: unknown.json }).toEqual({ status: 404, body: { detail: 'Not Found' } })
    const wrong = await server.ask('PUT', '/v2/user/')
    expect({ status: wrong.status, body: wrong.json }).toEqual({ status: 405, body: { detail: 'Method Not Allowed' } })
    expect(wrong.headers.get('allow')).toBe('GET, POST')
    expect((await server.ask('POST', '/healthz', { body: '{}' })).status).toBe(405)
  })

  it('refuses a path with invalid percent-encoding without quoting it', async () => {
    const broken = await server.ask('GET', '/v2/user/resolve/%E0%A4%A')
    expect(broken.status).toBe(400)
    expect(broken.json).toEqual({ detail: expect.not.stringContaining('%E0') })
  })
})

describe('bodies', () => {
  it.each([
    ['JSON that is cut off', '{"client_user_id":"canary', {}],
    ['bytes that are not UTF-8', new Uint8Array([0x22, 0xff, 0x22]), {}],
  ])('refuses %s with 422 and does not repeat it', async (_name, body, headers) => {
    const response = await server.ask('POST', '/v2/user', {
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
    expect(response.status).toBe(422)
    expect(response.json).toEqual({
      detail: [{ loc: ['body'], msg: expect.any(String), type: 'json_invalid' }],
    })
    expect(response.text).not.toContain('canary')
  })

  it('lists every invalid field', async () => {
    const response = await server.ask('POST', '/v2/user', {
      body: '{"fallback_time_zone":"Mars/Base","ingestion_start":"x"}',
    })
    const { detail } = response.json as { detail: { loc: string[]; type: string }[] }
    expect(response.status).toBe(422)
    expect(detail.map(issue => issue.loc.join('.'))).toEqual([
      'body.client_user_id',
      'body.fallback_time_zone',
      'body.ingestion_start',
    ])
    expect(detail[0]).toMatchObject({ type: 'missing', msg: 'Field required' })
  })

  it('reads a body without a media type as JSON, and refuses other media types', async () => {
    const bytes = new TextEncoder().encode('{"client_user_id":"untyped"}')
    expect((await server.ask('POST', '/v2/user', { body: bytes })).status).toBe(200)
    const form = await server.ask('POST', '/v2/user', {
      body: 'client_user_id=c2',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(form.status).toBe(415)
    const zipped = await server.ask('POST', '/v2/user', {
      body: bytes,
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    })
    expect(zipped.status).toBe(415)
  })

  it.each([
    ['with its length', (text: string) => text],
    ['in chunks', (text: string) => new Blob([text]).stream()],
  ])('refuses a JSON body over 1 MiB sent %s', async (_name, make) => {
    const body = make(JSON.stringify({ client_user_id: 'x'.repeat(1024 * 1024) }))
    const response = await fetch(`${server.url}/v2/user`, {
      method: 'POST',
      headers: { 'x-service-api-key': server.apiKey, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
    expect(await response.json()).toEqual({ detail: expect.stringContaining('1 MiB') })
  })

  it('accepts undo_delete with query parameters and no body, or with a JSON body', async () => {
    const { id, clientUserId } = await newUser()
    for (const [path, body] of [
      [`/v2/user/undo_delete?client_user_id=${clientUserId}`, undefined],
      ['/v2/user/undo_delete', JSON.stringify({ user_id: id })],
    ] as const) {
      expect((await server.ask('DELETE', `/v2/user/${id}`)).json).toEqual({ success: true })
      const undone = await server.ask('POST', path, body === undefined ? {} : { body })
      expect(undone.json).toEqual({ success: true })
    }
    expect((await server.ask('POST', '/v2/user/undo_delete')).status).toBe(422)
  })

  it('accepts an upload of more than 1 MiB with any media type', async () => {
    const { id } = await newUser()
    const record = (minute: number) =>
      `<Record type="HKQuantityTypeIdentifierStepCount" sourceName="W" unit="count" value="1" startDate="2026-11-19 ${clock(minute)}:00 +0000" endDate="2026-11-19 ${clock(minute)}:30 +0000"/>\n`
    const clock = (minute: number) =>
      `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`
    const records = Array.from({ length: 8_000 }, (_, i) => record(i % 1_440)).join('')
    const body = `<?xml version="1.0"?>\n<HealthData locale="en_GB">\n${records}</HealthData>`
    expect(body.length).toBeGreaterThan(1024 * 1024)
    const report = await server.ask('POST', `/svc/v1/users/${id}/imports`, {
      body,
      headers: { 'content-type': 'text/xml' },
    })
    expect(report).toMatchObject({ status: 200, json: { stored: { steps: { samples: 8_000 } } } })
  })

  it.each([
    ['an upload without a good key', `/svc/v1/users/${NOBODY}/imports`, 401],
    ['an upload for nobody', `/svc/v1/users/${NOBODY}/imports`, 404],
    ['a JSON body that goes on and on', '/v2/user', 413],
  ])('responds to %s before all of it is sent', async (_name, path, status) => {
    const key = status === 401 ? 'wrong' : server.apiKey
    const body = new Blob(Array.from({ length: 20 }, () => 'x'.repeat(1024 * 1024))).stream()
    const headers = { 'x-service-api-key': key, 'content-type': 'application/json' }
    const response = await fetch(server.url + path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit)
    expect(response.status).toBe(status)
  })
})

describe('keys', () => {
  it('returns the same message for a missing, an unknown and an empty key', async () => {
    for (const key of [null, 'unknown', '']) {
      const response = await server.ask('GET', '/v2/user', { key })
      expect({ status: response.status, text: response.text }).toEqual({
        status: 401,
        text: '{"detail":"Invalid API key"}',
      })
    }
  })

  it('needs a link token or a key on link operations', async () => {
    const path = '/v2/link/provider/password/whoop'
    const body = '{"username":"u","password":"p"}'
    expect((await server.ask('POST', path, { body, key: null })).status).toBe(401)
    const unknown = await server.ask('POST', path, { body, key: null, headers: { 'x-service-link-token': 'none' } })
    expect(unknown).toMatchObject({ status: 200, json: { state: 'error', error_type: 'invalid_token' } })
    const both = await server.ask('POST', path, { body, key: 'wrong', headers: { 'x-service-link-token': 'none' } })
    expect(both.status).toBe(401)
  })

  it('accepts further header prefixes only if configured', async () => {
    const plain = await serve()
    const headers = { 'x-vital-api-key': plain.apiKey }
    expect((await plain.ask('GET', '/v2/user', { key: null, headers })).status).toBe(401)
    const vital = { 'x-vital-api-key': server.apiKey }
    expect((await server.ask('GET', '/v2/user', { key: null, headers: vital })).status).toBe(200)
    expect((await server.ask('GET', '/v2/user')).status).toBe(200)
  })

  it('returns Parquet with the media type spelled as in the request', async () => {
    const { id } = await newUser()
    const body = JSON.stringify({
      timeframe: { type: 'relative', anchor: '2026-11-20', past: { unit: 'week', value: 1 } },
      queries: [{ select: [{ func: 'sum', arg: { timeseries: 'steps', field: 'value' } }] }],
    })
    for (const prefix of ['vital', 'service']) {
      const accept = `application/vnd.${prefix}.tar+gzip+parquet`
      const response = await server.ask('POST', `/aggregate/v1/user/${id}/query`, { body, headers: { accept } })
      expect(response.status).toBe(200)
      expect(response.headers.get('content-type')).toBe(accept)
    }
    const json2 = await server.ask('POST', `/aggregate/v1/user/${id}/query`, { body, headers: { accept: '*/*' } })
    expect(json2.headers.get('content-type')).toMatch(/^application\/json/)
    const other = await server.ask('POST', `/aggregate/v1/user/${id}/query`, {
      body,
      headers: { accept: 'text/html' },
    })
    expect(other.status).toBe(406)
  })
})

describe('pages without a key', () => {
  it('report that the server is alive', async () => {
    expect(await server.ask('GET', '/healthz', { key: null })).toMatchObject({ status: 200, json: { status: 'ok' } })
  })

  it('serve the OpenAPI document', async () => {
    const { json } = await server.ask('GET', '/openapi.json', { key: null })
    expect(json).toMatchObject({ openapi: '3.1.0', info: { version: '1.2.3' }, servers: [{ url: server.url }] })
  })

  it('show a link page that repeats no input and runs nothing', async () => {
    const page = await server.ask('GET', '/link?token=canary%3Cscript%3E&state=canary', { key: null })
    expect(page.status).toBe(400)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.text).not.toMatch(/canary|<script|style=/)
  })
})

describe('every response and the log', () => {
  it('forbids sniffing and caching, blocks other sites, and has an ID', async () => {
    for (const path of ['/v2/user', '/v2/nothing', '/healthz', '/v2/user/%zz']) {
      const { headers } = await server.ask('GET', path, { headers: { origin: 'https://evil.example' } })
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-request-id')).toMatch(/^req_[0-9a-f-]{36}$/)
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  it('is logged with the route and never a value of the request', async () => {
    const mark = 'canary-4711'
    const body = JSON.stringify({ client_user_id: mark, fallback_time_zone: mark })
    await server.ask('POST', '/v2/user', { body, key: server.apiKey })
    await server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: mark }) })
    await server.ask('GET', `/v2/user/resolve/${mark}?x=${mark}`)
    await server.ask('GET', `/v2/${mark}`, { key: mark })
    await server.ask('GET', '/v2/user', {
      key: mark,
      headers: { 'x-service-link-token': mark, 'x-request-id': `${mark} ${mark}` },
    })
    await server.ask('GET', `/link?token=${mark}`)
    await expect.poll(() => server.lines.join('\n')).toMatch(/GET \/link \d{3}/)
    const log = server.lines.join('\n')
    expect(log).toContain('GET /v2/user/resolve/:client_user_id 200')
    expect(log).toContain('POST /v2/user 422 invalid_request')
    expect(log).toContain('GET (no such path) 404 not_found')
    expect(log).not.toContain(mark)
    expect(log).not.toContain(server.apiKey)
  })

  it('is a 500 with an ID for a bug, and the log has the source location but not the message', async () => {
    const lines: string[] = []
    const store = {
      clock: {
        read: async () => {
          throw new TypeError('canary of the database')
        },
      },
      upkeep: {
        ping: async () => {
          throw new Error('canary')
        },
        fileSizes: () => null,
        wire: () => null,
      },
      faults: { list: async () => [] },
    }
    const engine = { store, publicUrl: () => null } as unknown as EngineContext
    const app = await buildApp({
      engine,
      sharing: { shareSnapshot() {}, leaveSnapshot() {}, isWriting: false },
      prefixes: headerPrefixes([]),
      version: '0',
      log: serverLog('text', line => lines.push(line), Date.now),
      metrics: await serverMetrics({ engine, version: '0', bodyBytes: () => 0 }),
      metricsAreOpen: false,
      faults: { faults: [], seed: 'x', store: engine.store },
      rates: new RateLimit(0),
      guesses: new GuessLimit({ now: Date.now }),
      budget: new BodyBudget(),
      bodyThread: null,
      clients: new ClientAddresses([]),
      disk: new DiskWatch({ checkRoom: async () => {}, log: () => {} }),
      origins: new Set(),
      tls: null,
      track: () => {},
      onNotified: () => {},
      console: null,
      isClosing: () => false,
    })
    const response = await app.inject({ method: 'GET', url: '/v2/user', headers: { 'x-service-api-key': 'k' } })
    expect(response.statusCode).toBe(500)
    expect(response.json()).toEqual({ detail: 'Internal Server Error', request_id: response.headers['x-request-id'] })
    expect((await app.inject({ method: 'GET', url: '/healthz' })).statusCode).toBe(503)
    await app.close()
    const log = lines.join('\n')
    expect(log).toContain('TypeError')
    expect(log).toContain('at ')
    expect(log).toContain(String(response.headers['x-request-id']))
    expect(log).not.toContain('canary')
  })

  it('stops being computed once the caller has left', async () => {
    const { id } = await newUser()
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      `POST /svc/v1/users/${id}/imports HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${server.apiKey}\r\ncontent-length: 1000\r\nexpect: 100-continue\r\n\r\n`,
    )
    // the server sends "100 Continue" when it starts reading
    await once(socket, 'data')
    socket.write('<?xml')
    socket.destroy()
    await expect
      .poll(() => server.lines.join('\n'))
      .toContain('POST /svc/v1/users/:user_id/imports closed by the caller')
  })

  it('arrives in the order of pipelined requests, including those written in between', async () => {
    const { id } = await newUser()
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    const head = `HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${server.apiKey}\r\n`
    const zone = '{"fallback_time_zone":"Asia/Tokyo"}'
    socket.write(
      [
        `GET /v2/user/${id} ${head}\r\n`,
        `PATCH /v2/user/${id} ${head}content-type: application/json\r\ncontent-length: ${zone.length}\r\n\r\n${zone}`,
        `GET /nothing ${head}\r\n`,
        `GET /svc/v1/whoami ${head}connection: close\r\n\r\n`,
      ].join(''),
    )
    let text = ''
    for await (const piece of socket) text += piece
    const heads = text.matchAll(/HTTP\/1\.1 (\d+)/g)
    expect([...heads].map(([, status]) => status)).toEqual(['200', '204', '404', '200'])
    expect((await server.ask('GET', `/v2/user/${id}`)).json).toMatchObject({
      fallback_time_zone: { id: 'Asia/Tokyo' },
    })
  })

  it('is complete when many large and small ones are sent at once', async () => {
    const { id, body } = await newUser()
    const samples = Array.from({ length: 5_000 }, (_, i) => ({
      resource: 'glucose',
      timestamp: new Date(Date.UTC(2026, 0, 1) + i * 60_000).toISOString(),
      value: i / 10,
    }))
    await server.ask('POST', `/svc/v1/users/${id}/samples`, { body: JSON.stringify(samples) })
    const page = `/v2/timeseries/${id}/glucose/grouped?start_date=2026-01-01&end_date=2026-01-31`
    const alone = await server.ask('GET', page)
    expect(Object.values((alone.json as { groups: object }).groups)).not.toEqual([])
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, i) => server.ask('GET', i % 2 === 0 ? page : `/v2/user/${id}`)),
    )
    responses.forEach(({ status, json }, i) => {
      expect(status).toBe(200)
      if (i % 2 === 0) expect(json).toEqual(alone.json)
      else expect(json).toMatchObject({ user_id: (body as { user_id: string }).user_id })
    })
  })
})
