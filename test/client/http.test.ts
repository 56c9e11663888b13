/** The requests that the HTTP client sends, and how it reads responses. The network is simulated with nock. */
import { Readable } from 'node:stream'
import nock from 'nock'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServiceClient } from '../../src/client/client.ts'
import { type HttpOptions, openHttp } from '../../src/client/http.ts'
import { ServiceError } from '../../src/core/errors.ts'

const BASE = 'http://api.test'
const KEY = 'sk_us_canary0123456789'
const USER = '6f1e2d3c-0000-4000-8000-000000000001'
const clients: ServiceClient[] = []
const waits: number[] = []

function client(options: Partial<HttpOptions> = {}): ServiceClient {
  const opened = openHttp({
    baseUrl: BASE,
    apiKey: KEY,
    timeoutMs: 2_000,
    policy: {
      random: () => 0.5,
      now: () => Date.parse('2026-11-20T00:00:00Z'),
      sleep: async ms => {
        waits.push(ms)
      },
    },
    ...options,
  })
  clients.push(opened)
  return opened
}

async function failure(call: Promise<unknown>): Promise<ServiceError> {
  const error = await call.then(
    () => new Error('it succeeded'),
    thrown => thrown,
  )
  expect(error).toBeInstanceOf(ServiceError)
  return error as ServiceError
}

beforeEach(() => nock.disableNetConnect())
afterEach(async () => {
  await Promise.all(clients.splice(0).map(opened => opened.close()))
  waits.length = 0
  expect(nock.pendingMocks()).toEqual([])
  nock.cleanAll()
  nock.enableNetConnect()
})

describe('the HTTP client sending a request', () => {
  it('percent-encodes parameters in the path and puts the key in its header', async () => {
    nock(BASE, { reqheaders: { 'x-service-api-key': KEY, accept: 'application/json' } })
      .get('/v2/user/resolve/a%20b%2Fc%40d')
      .reply(200, { client_user_id: 'a b/c@d', connected_sources: [] })
    const reply = await client().call('user.resolve', { params: { client_user_id: 'a b/c@d' } })
    expect(reply).toMatchObject({ kind: 'json', status: 200, body: { client_user_id: 'a b/c@d' } })
  })

  it('omits absent query parameters and repeats lists', async () => {
    nock(BASE).get('/v3/lab_tests/markers?lab_id=6&lab_id=7&a_la_carte_enabled=true').reply(200, { markers: [] })
    await client().call('labs.markers', { query: { lab_id: [6, 7], a_la_carte_enabled: true, lab_slug: undefined } })
  })

  it('sends bodies as JSON', async () => {
    nock(BASE, { reqheaders: { 'content-type': 'application/json' } })
      .post('/v2/user', { client_user_id: 'c1', fallback_time_zone: null })
      .reply(200, { connected_sources: [] })
    await client().call('user.create', { body: { client_user_id: 'c1', fallback_time_zone: null } })
  })

  it('sends undo_delete as query parameters with an empty body', async () => {
    nock(BASE, { badheaders: ['content-type'] })
      .post('/v2/user/undo_delete?client_user_id=c1', '')
      .reply(200, { success: true })
    await client().call('user.undo_delete', { body: { client_user_id: 'c1' } })
  })

  it('sends only the link token on link operations', async () => {
    nock(BASE, { reqheaders: { 'x-service-link-token': 'tok_1' }, badheaders: ['x-service-api-key'] })
      .post('/v2/link/provider/password/whoop')
      .reply(200, { state: 'success' })
    await client().call(
      'link.password',
      { params: { provider: 'whoop' }, body: { username: 'u', password: 'p' } },
      { linkToken: 'tok_1' },
    )
  })

  it('keeps a path prefix and a trailing slash of the base URL', async () => {
    nock(BASE).get('/health/eu/v2/user?limit=5').reply(200, { users: [] })
    await client({ baseUrl: `${BASE}/health/eu/` }).call('user.list', { query: { limit: 5 } })
  })

  it('uses the header names and media types of another prefix', async () => {
    const seen = nock(BASE, {
      reqheaders: { 'x-vital-api-key': KEY, accept: 'application/vnd.vital.tar+gzip+parquet' },
    })
      .post(`/aggregate/v1/user/${USER}/query`)
      .reply(200, Buffer.from([31, 139, 8]), { 'content-type': 'application/vnd.vital.tar+gzip+parquet' })
    const reply = await client({ headerPrefix: 'vital' }).call(
      'aggregate.query',
      { params: { user_id: USER }, body: {} as never },
      { accept: 'application/vnd.service.tar+gzip+parquet' },
    )
    seen.done()
    if (reply.kind !== 'bytes') throw new Error('bytes were asked for')
    expect(reply.mediaType).toBe('application/vnd.service.tar+gzip+parquet')
    const chunks: Uint8Array[] = []
    for await (const chunk of reply.bytes as AsyncIterable<Uint8Array>) chunks.push(chunk)
    expect([...Buffer.concat(chunks)]).toEqual([31, 139, 8])
  })

  it.each([
    ['a base URL that is none', { baseUrl: 'api.test' }],
    ['credentials in the base URL', { baseUrl: 'http://u:p@api.test' }],
    ['a query in the base URL', { baseUrl: 'http://api.test/?a=1' }],
    ['a prefix that no header can have', { headerPrefix: 'a b' }],
    ['a key with a line break', { apiKey: 'sk_us_canary\r\nx: y' }],
  ])('refuses %s', (_name, options) => {
    let error: unknown
    try {
      client(options)
    } catch (thrown) {
      error = thrown
    }
    expect(error).toMatchObject({ code: 'usage', exitCode: 2 })
    expect(String(error)).not.toContain('canary')
  })

  it('reports a missing key before it sends anything', async () => {
    const error = await failure(client({ apiKey: null }).call('user.list', {}))
    expect(error).toMatchObject({ code: 'invalid_api_key', exitCode: 4 })
  })

  it('never lets a parameter change the path', async () => {
    const error = await failure(client().call('user.resolve', { params: { client_user_id: '..' } }))
    expect(error).toMatchObject({ code: 'usage', exitCode: 2 })
  })
})

describe('the HTTP client reading a response', () => {
  const cases: [string, number, object, string, number, string][] = [
    ['an invalid key', 401, { detail: 'Invalid API key' }, 'invalid_api_key', 4, 'Invalid API key'],
    ['a switched-off feature', 403, { detail: 'Not enabled' }, 'feature_disabled', 4, 'Not enabled'],
    ['an unknown user', 404, { detail: 'User not found' }, 'user_not_found', 3, 'User not found'],
    ['an unknown path', 404, { detail: 'Not Found' }, 'not_found', 3, 'Not Found'],
    ['a conflict', 409, { detail: 'Clash' }, 'conflict', 5, 'Clash'],
    ['a removed operation', 410, { detail: 'Use the other' }, 'gone', 5, 'Use the other'],
    ['any other refusal', 418, { error_message: 'No' }, 'bad_request', 5, 'No'],
    ['a failure', 500, { detail: 'Internal Server Error' }, 'server_failed', 7, 'Internal Server Error'],
  ]
  it.each(cases)('reads %s', async (_name, status, body, code, exitCode, message) => {
    nock(BASE).get(`/v2/user/${USER}`).reply(status, body)
    const error = await failure(client({ retries: 0 }).call('user.get', { params: { user_id: USER } }))
    expect(error).toMatchObject({ code, exitCode, message, status, body })
  })

  it('lists the fields of a validation error and drops the rejected input', async () => {
    const detail = [
      { loc: ['body', 'password'], msg: 'Field required', type: 'missing', input: { username: 'canary@mail.test' } },
      { loc: ['body', 'region'], msg: 'unknown', type: 'enum', input: 'canary', ctx: { given: 'canary' } },
      { loc: ['query', 'mapping'], msg: 'unmapped', type: 'missing', ctx: { columns: ['Time'], row: 'canary' } },
    ]
    nock(BASE).post('/v2/link/provider/password/whoop').reply(422, { detail })
    const error = await failure(
      client().call('link.password', { params: { provider: 'whoop' }, body: { username: 'u', password: 'p' } }),
    )
    expect(error).toMatchObject({ code: 'invalid_request', exitCode: 2 })
    expect(error.message).toBe('password: Field required; region: unknown; mapping: unmapped')
    expect(JSON.stringify(error.body)).not.toContain('canary')
    expect(error.body).toMatchObject({ detail: [{}, {}, { ctx: { columns: ['Time'] } }] })
  })

  it('reads an error with an error_message, and recognizes a taken client_user_id', async () => {
    const body = {
      detail: { error_type: 'INVALID_REQUEST', error_message: 'It exists' },
      user_id: USER,
      created_on: 'x',
    }
    nock(BASE).post('/v2/user').reply(400, body)
    const error = await failure(client().call('user.create', { body: { client_user_id: 'c1' } }))
    expect(error).toMatchObject({ code: 'client_user_id_taken', exitCode: 5, message: 'It exists', body })
  })

  it('reports that a server lacks one of our operations', async () => {
    nock(BASE).get('/svc/v1/clock').reply(404, { detail: 'Not Found' })
    const error = await failure(client().call('clock.get', {}))
    expect(error).toMatchObject({ code: 'unsupported_operation', exitCode: 2 })
  })

  it('uses the more specific error code that our own server sends', async () => {
    nock(BASE).get('/v2/user').reply(422, { detail: 'No such provider' }, { 'x-svc-error-code': 'unknown_provider' })
    expect(await failure(client().call('user.list', {}))).toMatchObject({ code: 'unknown_provider' })
    nock(BASE).get('/v2/user').reply(422, { detail: 'x' }, { 'x-svc-error-code': 'constructor' })
    expect(await failure(client().call('user.list', {}))).toMatchObject({ code: 'invalid_request' })
  })

  it.each([
    ['HTML with 200', 200, '<html>', 'text/html; charset=utf-8', '200 and text/html'],
    ['HTML with 404', 404, '<html>', 'text/html', '404 and text/html'],
    ['nothing at all', 200, '', '', '200 and no content type'],
    ['JSON cut off', 200, '{"users":[', 'application/json', 'damaged or cut off'],
  ])('reports that %s is not this service', async (_name, status, body, type, words) => {
    nock(BASE)
      .get('/v2/user')
      .reply(status, body, type === '' ? {} : { 'content-type': type })
    const error = await failure(client().call('user.list', {}))
    expect(error).toMatchObject({ code: 'bad_response', exitCode: 7 })
    expect(error.message).toContain(words)
    expect(error.suggestions.join(' ')).toContain('base URL')
  })

  it('does not follow a redirect, and reports its target without the query', async () => {
    nock(BASE).get('/v2/user').reply(302, '', { location: 'https://login.test/sso?token=canary' })
    const error = await failure(client().call('user.list', {}))
    expect(error.code).toBe('bad_response')
    expect(error.message).toContain('https://login.test')
    expect(error.message).not.toContain('canary')
  })
})

describe('retries', () => {
  it.each([429, 503])('repeat an idempotent call after %i, with growing waits', async status => {
    nock(BASE).get('/v2/user').times(2).reply(status, { detail: 'later' })
    nock(BASE).get('/v2/user').reply(200, { users: [], total: 1 })
    expect(await client().call('user.list', {})).toMatchObject({ body: { total: 1 } })
    expect(waits).toEqual([250, 500])
  })

  it('end after three attempts', async () => {
    nock(BASE).get('/v2/user').times(3).reply(503, { detail: 'busy' })
    expect(await failure(client().call('user.list', {}))).toMatchObject({ status: 503, exitCode: 7 })
  })

  it.each([
    ['seconds', '7', 7_000],
    ['a date', 'Fri, 20 Nov 2026 00:00:03 GMT', 3_000],
    ['more than a minute', '3600', 60_000],
  ])('wait as long as Retry-After requests in %s', async (_name, value, expected) => {
    nock(BASE).get('/v2/user').reply(429, { detail: 'slow' }, { 'retry-after': value })
    nock(BASE).get('/v2/user').reply(200, { users: [] })
    await client().call('user.list', {})
    expect(waits).toEqual([expected])
  })

  it('follow a connection error, and never show the key', async () => {
    nock(BASE)
      .get('/v2/user')
      .times(3)
      .replyWithError(Object.assign(new Error(`refused ${KEY}`), { code: 'ECONNREFUSED' }))
    const error = await failure(client().call('user.list', {}))
    expect(error).toMatchObject({
      code: 'network',
      exitCode: 7,
      message: 'api.test:80 cannot be reached: nothing listens there.',
    })
    expect(waits).toHaveLength(2)
  })

  it('never repeat a call that is not idempotent', async () => {
    nock(BASE).post('/v2/user').reply(503, { detail: 'busy' })
    expect(await failure(client().call('user.create', { body: { client_user_id: 'c' } }))).toMatchObject({
      status: 503,
    })
    expect(waits).toEqual([])
  })

  it('repeat a call with an idempotency key under the same key', async () => {
    const sent = nock(BASE, { reqheaders: { 'x-idempotency-key': 'k' } })
    sent.post('/v2/user').reply(503, { detail: 'busy' })
    sent.post('/v2/user').reply(200, { user_id: USER, connected_sources: [] })
    const headers = { 'x-idempotency-key': 'k' }
    const reply = await client().call('user.create', { body: { client_user_id: 'c' } }, { headers })
    expect(reply).toMatchObject({ body: { user_id: USER } })
  })

  it('do not send a stream again, with or without a key', async () => {
    nock(BASE).post(`/svc/v1/users/${USER}/samples`).reply(503, { detail: 'busy' })
    const body = { kind: 'stream' as const, stream: Readable.from([Buffer.from('[]')]) }
    const call = client().call(
      'samples.push',
      { params: { user_id: USER }, body },
      { headers: { 'x-idempotency-key': 'k' } },
    )
    expect(await failure(call)).toMatchObject({ status: 503 })
  })

  it('are not made after other failures', async () => {
    nock(BASE).get('/v2/user').reply(500, { detail: 'broken' })
    await failure(client().call('user.list', {}))
    expect(waits).toEqual([])
  })
})
