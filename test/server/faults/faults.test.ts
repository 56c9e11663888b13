/** A server that fails on purpose: statuses, delays, dropped connections and cut bodies, all marked, and gone once cleared. */
import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { openHttp } from '../../../src/client/http.ts'
import { openHarness } from '../../kit/harness.ts'
import { serve, type TestServer } from '../../kit/server.ts'

const add = async (server: TestServer, body: object) => {
  const response = await server.ask('POST', '/svc/v1/faults', { body: JSON.stringify(body) })
  expect(response.status).toBe(200)
  return response.json as { fault_id: number }
}
const clear = (server: TestServer) => server.ask('DELETE', '/svc/v1/faults')
const users = (server: TestServer) => server.ask('GET', '/v2/user')

/** Returns the response over a plain socket: head, bytes of the body, and whether it was complete. */
function raw(
  server: TestServer,
  path: string,
): Promise<{ status: number; length: number; said: number; whole: boolean }> {
  return new Promise((resolve, reject) => {
    const clientRequest = request(server.url + path, { headers: { 'x-service-api-key': server.apiKey } }, response => {
      let length = 0
      const end = () =>
        resolve({
          status: response.statusCode ?? 0,
          length,
          said: Number(response.headers['content-length'] ?? -1),
          whole: response.complete,
        })
      response.on('data', (piece: Buffer) => {
        length += piece.length
      })
      response.on('error', () => {}).on('close', end)
    })
    clientRequest.on('error', reject).end()
  })
}

describe('a server with faults', () => {
  it('has none by default, and no header mentions them', async () => {
    const server = await serve()
    const response = await users(server)
    expect([response.status, response.headers.get('svc-fault')]).toEqual([200, null])
  })

  it('returns a marked status, with a Retry-After time for 429 and 503', async () => {
    const server = await serve()
    for (const [status, wait] of [
      [503, '1'],
      [429, '1'],
      [500, null],
      [404, null],
    ] as const) {
      const { fault_id } = await add(server, { effect: 'status', status, method: 'GET', path: '/v2/user' })
      const response = await users(server)
      expect(response.status).toBe(status)
      expect(response.headers.get('svc-fault')).toBe(`${status}; id=${fault_id}`)
      expect(response.headers.get('retry-after')).toBe(wait)
      expect(response.headers.get('x-request-id')).toMatch(/^req_/)
      expect(response.json).toEqual({ detail: expect.any(String) })
      expect((await server.ask('POST', '/v2/user', { body: '{"client_user_id":""}' })).status).toBe(422)
      await clear(server)
      expect((await users(server)).status).toBe(200)
    }
  })

  it('delays, and then responds as usual', async () => {
    const server = await serve()
    await add(server, { effect: 'latency', latency_ms: 150, path: '/v2/*' })
    const began = performance.now()
    const response = await users(server)
    expect(performance.now() - began).toBeGreaterThan(140)
    expect([response.status, response.headers.get('svc-fault')]).toEqual([
      200,
      expect.stringMatching(/^150ms; id=\d+$/),
    ])
  })

  it('closes connections without a response, and in the middle of a body', async () => {
    const server = await serve()
    for (let i = 0; i < 5; i++) {
      await server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: `user ${i}` }) })
    }
    const whole = await raw(server, '/v2/user')
    expect(whole).toMatchObject({ status: 200, whole: true, length: whole.said })
    await add(server, { effect: 'drop', path: '/v2/user' })
    await expect(raw(server, '/v2/user')).rejects.toMatchObject({ code: 'ECONNRESET' })
    await clear(server)
    await add(server, { effect: 'cut', path: '/*' })
    expect(await raw(server, '/v2/user')).toEqual({
      status: 200,
      whole: false,
      said: whole.length,
      length: whole.length >> 1,
    })
    // a body that arrives in pieces
    await add(server, { effect: 'cut', path: '/svc/v1/snapshot' })
    expect(await raw(server, '/svc/v1/snapshot')).toMatchObject({ status: 200, whole: false, said: -1 })
    await clear(server)
    expect(await raw(server, '/v2/user')).toEqual(whole)
  })

  it('has the faults from its command line and those that another process adds to the folder, from the next request on', async () => {
    const [effect, path] = [{ kind: 'latency', delayMs: 20 }, '/v2/user'] as const
    const server = await serve({
      faults: [{ method: 'GET', path, effect, probability: 1, times: null, seed: null }],
    })
    expect(server.lines).toContain('fault on purpose: GET /v2/user = 20ms (1)')
    expect((await users(server)).headers.get('svc-fault')).toBe('20ms; id=serve-1')
    const other = await openHarness({ dataDir: server.dataDir })
    try {
      for (let i = 0; i < 5; i++) {
        const { fault_id } = await other.call('fault.add', { body: { effect: 'status', status: 502, path } })
        const response = await users(server)
        expect([response.status, response.headers.get('svc-fault')]).toEqual([
          502,
          `20ms; id=serve-1, 502; id=${fault_id}`,
        ])
        expect(await other.call('fault.clear', { query: { fault_id } })).toEqual({ cleared: 1 })
        expect((await users(server)).status).toBe(200)
      }
    } finally {
      await other.engine.close()
    }
  })

  it('stays manageable: health, metrics and fault operations are never hit, and /svc/ only on request', async () => {
    const server = await serve()
    await add(server, { effect: 'status', status: 500 })
    await add(server, { effect: 'drop', path: '/svc/v1/faults*' })
    expect((await server.ask('GET', '/healthz')).status).toBe(200)
    expect((await server.ask('GET', '/readyz')).status).toBe(200)
    expect((await server.ask('GET', '/metrics')).status).toBe(200)
    expect((await server.ask('GET', '/svc/v1/clock')).status).toBe(200)
    expect((await server.ask('GET', '/svc/v1/faults')).json).toMatchObject({ faults: [{}, {}] })
    expect((await server.ask('GET', '/nowhere')).status).toBe(500)
    await add(server, { effect: 'status', status: 501, path: '/svc/v1/clock' })
    expect((await server.ask('GET', '/svc/v1/clock')).status).toBe(501)
    expect((await clear(server)).json).toEqual({ cleared: 3 })
  })

  it('allows testing a client’s retries: it fails twice and then responds', async () => {
    const server = await serve()
    const client = openHttp({ baseUrl: server.url, apiKey: server.apiKey, timeoutMs: 10_000 })
    await add(server, { effect: 'status', status: 503, path: '/v2/user', times: 1 })
    await add(server, { effect: 'drop', path: '/v2/user', times: 1 })
    const reply = await client.call('user.list', {})
    expect(reply).toMatchObject({ status: 200, body: { total: 0 } })
    await add(server, { effect: 'status', status: 429, path: '/v2/user', method: 'GET' })
    await expect(client.call('user.list', {})).rejects.toMatchObject({ code: 'rate_limited', status: 429 })
    await client.close()
  })

  it('does not delay requests that arrive while it closes', async () => {
    const server = await serve()
    await add(server, { effect: 'latency', latency_ms: 60_000, path: '/svc/v1/whoami' })
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    socket.write('GET /svc/v1/whoami HTTP/1.1\r\nhost: x\r\n')
    await users(server)
    const closed = server.close()
    await vi.waitFor(() => expect(fetch(server.url)).rejects.toThrow(), 10_000)
    socket.write(`x-service-api-key: ${server.apiKey}\r\n\r\n`)
    let text = ''
    for await (const piece of socket) text += piece
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    await closed
  })

  it('closes at once, even while requests are delayed', async () => {
    const server = await serve()
    await add(server, { effect: 'latency', latency_ms: 60_000, path: '/v2/user' })
    const waiting = users(server).catch(() => null)
    await new Promise(resolve => setTimeout(resolve, 100))
    const began = performance.now()
    await server.close()
    await waiting
    expect(performance.now() - began).toBeLessThan(5_000)
  })

  it('refuses invalid faults', async () => {
    const server = await serve()
    for (const body of [
      {},
      { effect: 'status' },
      { effect: 'status', status: 200 },
      { effect: 'latency', latency_ms: 0 },
      { effect: 'latency', latency_ms: 1e9 },
      { effect: 'explode' },
      { effect: 'drop', path: 'v2' },
      { effect: 'drop', probability: 0 },
      { effect: 'drop', probability: 1.1 },
      { effect: 'drop', status: 500 },
      { effect: 'drop', method: 'FETCH' },
    ]) {
      const response = await server.ask('POST', '/svc/v1/faults', { body: JSON.stringify(body) })
      expect([body, response.status]).toEqual([body, 422])
    }
    expect((await server.ask('GET', '/svc/v1/faults')).json).toEqual({ faults: [] })
    expect((await server.ask('DELETE', '/svc/v1/faults?fault_id=x')).status).toBe(422)
  })
})
