/** A server's behavior for clients and operators while its store's PostgreSQL server is unreachable, and when it is back. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseStoreUrl } from '../../../src/core/store-url.ts'
import { clientConfig } from '../../../src/store/postgres/client-config.ts'
import { toConnectionError } from '../../../src/store/postgres/connect-errors.ts'
import { Liveness } from '../../../src/store/postgres/liveness.ts'
import { openPool } from '../../../src/store/postgres/pool.ts'
import { IS_ON_POSTGRES } from '../../kit/postgres/database.ts'
import { type PostgresServer, startPostgres, startStandby } from '../../kit/postgres/server.mjs'
import { type Relay, startRelay } from '../../kit/relay.ts'
import { serve, type TestServer } from '../../kit/server.ts'
import { openSink, type Sink } from '../../kit/sink.ts'
import { until } from '../../kit/until.ts'

const BACK = 'the database is back: the server continues'
const OUT = { status: 'unavailable', reason: 'store_unreachable' }

/** Sends a request, and returns the response with the seconds that it took. */
async function timed(server: TestServer, path: string) {
  const began = performance.now()
  const response = await server.ask('GET', path)
  return { ...response, seconds: (performance.now() - began) / 1000 }
}

/** The server's log lines, except for requests. */
const notes = (server: TestServer): string[] => server.lines.filter(line => !/^(?:GET|POST) /.test(line))

const isHealthy = (server: TestServer) => async () => (await server.ask('GET', '/healthz')).status === 200
const isOut = (server: TestServer) => async () => (await server.ask('GET', '/healthz')).status === 503

async function newUser(server: TestServer, name: string): Promise<string> {
  const response = await server.ask('POST', '/v2/user', { body: JSON.stringify({ client_user_id: name }) })
  expect(response.status).toBe(200)
  return (response.json as { user_id: string }).user_id
}

// SVC_TEST_STORE asks for tests over PostgreSQL
describe.skipIf(!IS_ON_POSTGRES)('while the store’s server is unreachable', () => {
  let postgres: PostgresServer
  let relay: Relay
  let server: TestServer
  let sink: Sink

  beforeAll(async () => {
    postgres = await startPostgres({ isDurable: false, settings: { synchronous_commit: 'on' } })
    await postgres.sql('CREATE DATABASE svc')
    relay = await startRelay(postgres.port)
    sink = await openSink()
    server = await serve({
      store: parseStoreUrl(`postgres://postgres@127.0.0.1:${relay.port}/svc`),
      metricsAreOpen: true,
    })
    const endpoint = { url: sink.url, event_types: ['*'] }
    expect((await server.ask('POST', '/svc/v1/webhooks', { body: JSON.stringify(endpoint) })).status).toBe(200)
  })

  afterAll(async () => {
    await server?.close()
    await postgres?.stop()
  })

  it('returns 503 with the reason, logs it once, and recovers automatically', async () => {
    const userId = await newUser(server, 'ada')
    await postgres.kill()
    await until(isOut(server))
    const health = await timed(server, '/healthz')
    expect(health).toMatchObject({ status: 503, json: OUT })
    expect(health.headers.get('retry-after')).toBe('1')
    expect(health.seconds).toBeLessThan(2.5)
    expect(await server.ask('GET', '/readyz')).toMatchObject({ status: 503, json: OUT })

    const first = await timed(server, `/v2/user/${userId}`)
    expect([first.status, first.headers.get('x-svc-error-code')]).toEqual([503, 'store_unreachable'])
    expect(first.headers.get('retry-after')).toBe('1')
    expect(first.seconds).toBeLessThan(8)
    expect(first.text).not.toContain('127.0.0.1')
    const next = await timed(server, `/v2/user/${userId}`)
    expect([next.status, next.seconds < 1]).toEqual([503, true])

    const metrics = await timed(server, '/metrics')
    expect(metrics.status).toBe(200)
    expect(metrics.text).toMatch(/^svc_store_retries_total [1-9]/m)
    expect(metrics.text).not.toMatch(/^svc_due_jobs /m)

    // long enough for several checks of all background work
    await wait(3_000)
    expect(notes(server)).toEqual([expect.stringMatching(/^store_unreachable: The store .* cannot be reached: /)])

    await postgres.start()
    await until(isHealthy(server))
    expect((await server.ask('GET', `/v2/user/${userId}`)).status).toBe(200)
    await until(() => notes(server).at(-1) === BACK)
    expect(notes(server)).toHaveLength(2)
    expect((await server.ask('GET', '/metrics')).text).toMatch(/^svc_due_jobs 0$/m)
    // deliveries continue too
    const trigger = { type: 'daily.data.sleep.created', user_id: userId }
    expect((await server.ask('POST', '/svc/v1/events/trigger', { body: JSON.stringify(trigger) })).status).toBe(200)
    await until(() => sink.received.length > 0)
  })

  it('responds in time even if PostgreSQL never does, and uses no old connection afterwards', async () => {
    const userId = await newUser(server, 'bob')
    const before = notes(server).length
    relay.freeze()
    const waiting = timed(server, `/v2/user/${userId}`)
    const health = await timed(server, '/healthz')
    expect(health).toMatchObject({ status: 503, json: OUT })
    expect(health.seconds).toBeLessThan(3)
    const call = await waiting
    expect(call.status).toBe(503)
    expect(call.seconds).toBeLessThan(12)
    const next = await timed(server, `/v2/user/${userId}`)
    expect([next.status, next.seconds < 1]).toEqual([503, true])
    relay.thaw()
    await until(isHealthy(server))
    const again = await timed(server, `/v2/user/${userId}`)
    expect([again.status, again.seconds < 2]).toEqual([200, true])
    await until(() => notes(server).at(-1) === BACK)
    // on an overloaded machine, a later probe or a delivery that is due may also get no response, and says so
    expect(
      notes(server)
        .slice(before)
        .filter(line => line !== BACK && !line.includes('store_unreachable: ')),
    ).toEqual([])
  })

  it('stops in time, and says which key is still valid', async () => {
    const other = await serve({ store: parseStoreUrl(`postgres://postgres@127.0.0.1:${relay.port}/svc`), graceMs: 100 })
    relay.freeze()
    await until(isOut(other))
    const began = performance.now()
    await other.close()
    expect((performance.now() - began) / 1000).toBeLessThan(20)
    expect(notes(other).at(-1)).toMatch(/^the API key of this run could not be revoked/)
    relay.thaw()
    await until(isHealthy(server))
  })

  it('treats a standby as unreachable, because it cannot be written to', async () => {
    const standby = await startStandby(postgres)
    const probe = await openPool({ ...clientConfig(parseStoreUrl(standby.url('svc'))), max: 1 })
    const liveness = new Liveness({ probe, errorOf: error => toConnectionError(error, 'the store') })
    await expect(liveness.look()).rejects.toMatchObject({
      code: 'store_unreachable',
      message: expect.stringContaining('the server is a standby, or read-only'),
    })
    await liveness.close()
  })
})
