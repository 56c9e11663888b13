/** A server's features for operators: TLS, origins, metrics, request IDs, structured logs, and security headers. */
import { readFileSync, writeFileSync } from 'node:fs'
import { type RequestOptions, request } from 'node:https'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../kit/folder.ts'
import { IS_ON_POSTGRES } from '../kit/postgres/database.ts'
import { requestLines, serve } from '../kit/server.ts'
import { selfSigned } from './certificate.ts'

async function pairIn(folder: string, validTo = new Date('2049-01-01'), kind: 'ec' | 'rsa' = 'ec') {
  const pair = selfSigned(validTo, kind)
  const files = { cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') }
  writeFileSync(files.cert, pair.cert)
  writeFileSync(files.key, pair.key)
  return files
}

/** Returns the status, or the error code, of a request that trusts the certificate. */
function statusOver(url: string, options: RequestOptions): Promise<{ status: number | string; hsts: unknown }> {
  return new Promise(resolve => {
    const sent = request(`${url}/healthz`, options, response => {
      response.resume()
      resolve({ status: response.statusCode as number, hsts: response.headers['strict-transport-security'] })
    })
    sent.on('error', error => resolve({ status: String((error as NodeJS.ErrnoException).code), hsts: undefined }))
    sent.end()
  })
}

describe('TLS', () => {
  it('works with a certificate and its key, in version 1.2 or later, on any host', async () => {
    const folder = temporaryFolder()
    const tls = await pairIn(folder)
    const server = await serve({ tls, host: '0.0.0.0' })
    expect(server.url).toMatch(/^https:\/\/0\.0\.0\.0:\d+$/)
    const url = server.url.replace('0.0.0.0', '127.0.0.1')
    const ca = readFileSync(tls.cert)
    expect(await statusOver(url, { ca })).toEqual({ status: 200, hsts: 'max-age=31536000' })
    const old = { ca, maxVersion: 'TLSv1.1' as const, minVersion: 'TLSv1' as const, ciphers: 'ALL@SECLEVEL=0' }
    expect((await statusOver(url, old)).status).not.toBe(200)
  })

  it('uses only ciphers with forward secrecy, and supports ordinary clients', async () => {
    const tls = await pairIn(temporaryFolder(), undefined, 'rsa')
    const server = await serve({ tls })
    const ca = readFileSync(tls.cert)
    const offer = (ciphers: string, maxVersion: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.2') =>
      statusOver(server.url, { ca, ciphers, maxVersion, agent: false })
    for (const suite of ['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'AES256-SHA256', 'AES128-SHA']) {
      expect((await offer(suite)).status, suite).toMatch(/^EPROTO$|HANDSHAKE_FAILURE/)
    }
    for (const suite of ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-CHACHA20-POLY1305', 'DEFAULT']) {
      expect((await offer(suite)).status, suite).toBe(200)
    }
    expect((await offer('DEFAULT', 'TLSv1.3')).status).toBe(200)
    expect((await statusOver(server.url, { ca, agent: false })).status).toBe(200)
  })

  it('is refused before listening if the files do not match, without revealing their content', async () => {
    const folder = temporaryFolder()
    const tls = await pairIn(folder)
    const other = await pairIn(temporaryFolder())
    const tries = [
      { tls: { cert: tls.cert, key: other.key }, says: 'is not the private key of the certificate' },
      { tls: { cert: tls.key, key: tls.key }, says: 'is not a PEM certificate' },
      { tls: { cert: tls.cert, key: tls.cert }, says: 'is not a PEM private key' },
      { tls: { cert: tls.cert, key: join(folder, 'none') }, says: 'ENOENT' },
    ]
    for (const { tls: pair, says } of tries) {
      const refused = await serve({ tls: pair }).catch((error: Error) => error)
      expect(refused).toMatchObject({ code: 'usage', message: expect.stringContaining(says) })
      expect((refused as Error).message).not.toMatch(/BEGIN|MII/)
    }
  })

  it('warns about an expired certificate', async () => {
    const tls = await pairIn(temporaryFolder(), new Date('2021-01-01'))
    const server = await serve({ tls })
    expect(server.lines).toContain('the certificate given with --tls-cert has expired')
  })
})

describe('scripts from other sites', () => {
  const preflight = { origin: 'https://app.example', 'access-control-request-method': 'GET' }

  it('can read nothing by default', async () => {
    const server = await serve()
    const response = await server.ask('GET', '/v2/user', { headers: { origin: 'https://app.example' } })
    expect([...response.headers.keys()].filter(name => name.startsWith('access-control'))).toEqual([])
    expect((await server.ask('OPTIONS', '/v2/user', { headers: preflight })).status).toBe(405)
  })

  it('can call only from the allowed origins', async () => {
    const server = await serve({ corsOrigins: ['https://app.example'] })
    const optionsResponse = await server.ask('OPTIONS', '/v2/user', {
      headers: { ...preflight, 'access-control-request-headers': 'x-service-api-key' },
      key: null,
    })
    expect(optionsResponse.status).toBe(204)
    expect(optionsResponse.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(optionsResponse.headers.get('access-control-allow-headers')).toBe('x-service-api-key')
    const read = await server.ask('GET', '/v2/user', { headers: { origin: 'https://app.example' } })
    expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, 'https://app.example'])
    expect(read.headers.get('vary')).toBe('origin')
    expect(read.headers.get('access-control-allow-credentials')).toBeNull()
    const other = await server.ask('GET', '/v2/user', { headers: { origin: 'https://evil.example' } })
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
  })

  it('are identified by origin, without a path', async () => {
    for (const origin of ['https://app.example/', 'app.example', 'ftp://x', 'null', '']) {
      await expect(serve({ corsOrigins: [origin] })).rejects.toMatchObject({ code: 'usage' })
    }
  })
})

describe('every response', () => {
  it('has the headers that protect browsers', async () => {
    const server = await serve()
    for (const path of ['/v2/user', '/healthz', '/nothing']) {
      const { headers } = await server.ask('GET', path)
      expect(Object.fromEntries(headers)).toMatchObject({
        'x-content-type-options': 'nosniff',
        'x-frame-options': 'DENY',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      })
    }
  })

  it('repeats a valid request ID, and replaces any other', async () => {
    const server = await serve()
    const idOf = async (given: string) =>
      (await server.ask('GET', '/healthz', { headers: { 'x-request-id': given } })).headers.get('x-request-id')
    expect(await idOf('trace-4711.a_b')).toBe('trace-4711.a_b')
    for (const given of ['a b', '-a', 'ä', 'x'.repeat(129), '{"a":1}', 'a@b.example']) {
      expect(await idOf(given)).toMatch(/^req_[0-9a-f-]{36}$/)
    }
  })
})

describe('log lines', () => {
  it('are JSON if enabled, one for each request, without paths', async () => {
    const server = await serve({ logFormat: 'json' })
    await server.ask('GET', '/v2/user/resolve/canary', { headers: { 'x-request-id': 'id-1' } })
    await expect.poll(() => requestLines(server)).toHaveLength(1)
    expect(JSON.parse(requestLines(server)[0] as string)).toEqual({
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      level: 'info',
      event: 'request',
      request_id: 'id-1',
      method: 'GET',
      route: '/v2/user/resolve/:client_user_id',
      status: 404,
      code: 'user_not_found',
      ms: expect.any(Number),
      client_address: '127.0.0.1',
    })
    expect(server.lines.join()).not.toContain('canary')
  })
})

describe('metrics', () => {
  it('are for operators, by header or bearer token, as Prometheus text without IDs in labels', async () => {
    const server = await serve()
    const team = await server.ask('POST', '/svc/v1/teams', { body: '{"name":"acme"}' })
    const { api_key, team_id } = team.json as { api_key: string; team_id: string }
    const made = await server.ask('POST', '/v2/user', { body: '{"client_user_id":"canary"}', key: api_key })
    const { user_id } = made.json as { user_id: string }
    await server.ask('GET', `/v2/user/${user_id}`, { key: api_key })
    expect((await server.ask('GET', '/metrics', { key: null })).status).toBe(401)
    expect((await server.ask('GET', '/metrics', { key: api_key })).status).toBe(403)
    await vi.waitFor(async () => {
      const authorization = `Bearer ${server.apiKey}`
      const scraped = await server.ask('GET', '/metrics', { key: null, headers: { authorization } })
      expect(scraped.status).toBe(200)
      expect(scraped.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
      const { text } = scraped
      expect(text).toMatch(
        /svc_http_request_duration_seconds_count\{method="GET",route="\/v2\/user\/:user_id",status="200"\} 1/,
      )
      expect(text).toMatch(/^svc_http_requests_in_flight 1$/m)
      expect(text).toMatch(/^svc_due_jobs 0$/m)
      expect(text).toMatch(IS_ON_POSTGRES ? /^svc_store_round_trips_total [1-9]/m : /^svc_database_bytes [1-9]/m)
      expect(text).toMatch(/^process_resident_memory_bytes [1-9]/m)
      for (const secret of [user_id, team_id, api_key, server.apiKey, 'canary']) expect(text).not.toContain(secret)
    })
  })

  it('need no key if the server is configured so', async () => {
    const server = await serve({ metricsAreOpen: true })
    expect((await server.ask('GET', '/metrics', { key: null })).status).toBe(200)
  })

  it('show whether the server accepts requests', async () => {
    const server = await serve()
    expect((await server.ask('GET', '/readyz', { key: null })).json).toEqual({ status: 'ready' })
    expect((await server.ask('POST', '/readyz', { key: null })).status).toBe(405)
  })
})

describe('a guessed key', () => {
  it('blocks its IP address for a while, except for correct keys', async () => {
    const server = await serve()
    for (let i = 0; i < 20; i++) expect((await server.ask('GET', '/v2/user', { key: `wrong-${i}` })).status).toBe(401)
    const refused = await server.ask('GET', '/v2/user', { key: 'wrong-21' })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)])
    expect((await server.ask('GET', '/metrics', { key: 'wrong-22' })).status).toBe(429)
    for (const path of ['/v2/user', '/metrics']) expect((await server.ask('GET', path)).status).toBe(200)
    expect((await server.ask('GET', '/v2/user', { key: null })).status, 'a key that is missing').toBe(401)
  })

  it('counts separately from guessed requisition URLs', async () => {
    const server = await serve()
    const form = `/svc/v1/requisition_forms/00000000-0000-4000-8000-000000000000?expires=1&signature=forged`
    for (let i = 0; i < 20; i++) expect((await server.ask('GET', form, { key: null })).status).toBe(404)
    expect((await server.ask('GET', form, { key: null })).status).toBe(429)
    expect((await server.ask('GET', '/v2/user', { key: 'wrong' })).status).toBe(401)
  })

  it('is different from a missing key', async () => {
    const server = await serve()
    for (let i = 0; i < 25; i++) expect((await server.ask('GET', '/v2/user', { key: null })).status).toBe(401)
    expect((await server.ask('GET', '/v2/user')).status).toBe(200)
  })
})
