/** Starting and stopping a server: its output, its refusals, and the remaining data. */
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { openEmbedded } from '../../src/client/embedded.ts'
import { temporaryFolder } from '../kit/folder.ts'
import { storeOptions } from '../kit/postgres/database.ts'
import { serve } from '../kit/server.ts'

const APPLE = `<?xml version="1.0" encoding="UTF-8"?>
<HealthData locale="en_GB"><ExportDate value="2026-11-20 10:00:00 +0000"/>
 <Record type="HKQuantityTypeIdentifierStepCount" sourceName="W" unit="count" startDate="2026-11-19 10:00:00 +0000"
  endDate="2026-11-19 10:05:00 +0000" value="12"/>
</HealthData>`

describe('starting', () => {
  it('responds at once at the printed URL, with the key it created', async () => {
    const server = await serve()
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(server.apiKey).toMatch(/^sk_us_[A-Za-z0-9_-]{43}$/)
    const { json } = await server.ask('GET', '/svc/v1/whoami')
    expect(json).toMatchObject({ team_id: server.teamId })
  })

  it('creates a new key at each start, and revokes it at the end', async () => {
    const first = await serve()
    await first.close()
    const second = await serve({ dataDir: first.dataDir })
    expect(second.apiKey).not.toBe(first.apiKey)
    expect(second.teamId).toBe(first.teamId)
    expect((await second.ask('GET', '/v2/user', { key: first.apiKey })).status).toBe(401)
  })

  it('accepts a given key, and again at the next start', async () => {
    const apiKey = 'a-fixed-key-of-a-test'
    const first = await serve({ apiKey })
    expect((await first.ask('GET', '/v2/user', { key: apiKey })).status).toBe(200)
    await first.close()
    const between = await serve({ dataDir: first.dataDir })
    expect((await between.ask('GET', '/v2/user', { key: apiKey })).status).toBe(401)
    const again = await serve({ dataDir: first.dataDir, apiKey })
    expect((await again.ask('GET', '/v2/user', { key: apiKey })).status).toBe(200)
  })

  it('shares its folder with embedded commands, whose links then lead to it', async () => {
    const server = await serve()
    const embedded = await openEmbedded({ dataDir: server.dataDir, publicUrl: null, ...storeOptions(server.dataDir) })
    const created = await embedded.call('user.create', { body: { client_user_id: 'shared' } })
    const body = created.kind === 'json' ? created.body : undefined
    expect((await server.ask('GET', '/v2/user/resolve/shared')).json).toEqual(body)
    const token = async () => {
      const reply = await embedded.call('link.token', { body: { user_id: body?.user_id as string } })
      return reply.kind === 'json' ? reply.body.link_web_url : undefined
    }
    expect(await token()).toMatch(new RegExp(`^${server.url}/link\\?token=`))
    await server.close()
    expect(await token()).toBeNull()
    await embedded.close()
  })

  it('builds links from the public URL', async () => {
    const server = await serve({ publicUrl: 'https://health.example/base/' })
    const { json } = await server.ask('POST', '/v2/user', { body: '{"client_user_id":"u"}' })
    const { user_id } = json as { user_id: string }
    const link = await server.ask('POST', '/v2/link/token', { body: JSON.stringify({ user_id }) })
    expect((link.json as { link_web_url: string }).link_web_url).toMatch(
      /^https:\/\/health\.example\/base\/link\?token=/,
    )
  })

  it('reports a port in use, and leaves no key behind', async () => {
    const server = await serve()
    const port = Number(new URL(server.url).port)
    await expect(serve({ port })).rejects.toMatchObject({
      code: 'port_in_use',
      exitCode: 2,
      message: expect.stringContaining(String(port)),
    })
  })

  it.each([
    ['a host that others reach', { host: '0.0.0.0' }, '--insecure-http'],
    ['a short key', { apiKey: 'short' }, '16 to 512'],
    ['a key with blanks', { apiKey: 'a key of more than one word' }, 'without spaces'],
    ['a prefix that no header can have', { acceptHeaderPrefixes: ['a b'] }, 'header prefix'],
    ['a public URL that is none', { publicUrl: 'health.example' }, 'public URL'],
    ['an address of another machine', { host: '192.0.2.1', insecureHttp: true }, 'not an address'],
  ])('refuses %s', async (_name, options, words) => {
    const error = await serve(options).then(
      () => undefined,
      thrown => thrown,
    )
    expect(error).toMatchObject({ code: 'usage', exitCode: 2 })
    expect([error.message, ...error.suggestions].join(' ')).toContain(words)
  })

  it('listens on any host with --insecure-http', async () => {
    const server = await serve({ host: '0.0.0.0', insecureHttp: true })
    expect(server.url).toMatch(/^http:\/\/0\.0\.0\.0:/)
  })

  it('reports an unusable folder', async () => {
    await expect(serve({ dataDir: '/dev/null/svc' })).rejects.toMatchObject({ code: 'data_folder' })
  })
})

describe('closing', () => {
  /** Uploads by hand, piece by piece. */
  async function slowUpload(url: string, key: string, userId: string) {
    const sent = request(`${url}/svc/v1/users/${userId}/imports`, {
      method: 'POST',
      headers: { 'x-service-api-key': key, 'content-type': 'application/octet-stream', expect: '100-continue' },
    })
    // the server sends this when it starts reading
    const begun = once(sent, 'continue')
    const result = new Promise<{ status: number; text: string }>((resolve, reject) => {
      sent.on('error', reject)
      sent.on('response', async response => {
        let text = ''
        for await (const chunk of response) text += chunk
        resolve({ status: response.statusCode ?? 0, text })
      })
    })
    result.catch(() => {})
    sent.flushHeaders()
    await begun
    const half = Math.floor(APPLE.length / 2)
    sent.write(APPLE.slice(0, half))
    await delay(100)
    return { answer: result, finish: () => sent.end(APPLE.slice(half)) }
  }

  const createUser = async (server: Awaited<ReturnType<typeof serve>>) => {
    const { json } = await server.ask('POST', '/v2/user', { body: '{"client_user_id":"u"}' })
    return (json as { user_id: string }).user_id
  }

  it('lets a running request finish, and accepts no other', async () => {
    // the grace period is not tested here, and the machine may stand still for as long as the usual one
    const server = await serve({ graceMs: 600_000 })
    const upload = await slowUpload(server.url, server.apiKey, await createUser(server))
    const closed = server.close()
    await vi.waitFor(() => expect(fetch(`${server.url}/healthz`)).rejects.toThrow(), 10_000)
    upload.finish()
    const { status, text } = await upload.answer
    expect({ status, report: JSON.parse(text) }).toMatchObject({
      status: 200,
      report: { stored: { steps: { samples: 1 } } },
    })
    await closed
    expect(server.close()).toBe(server.close())
  })

  it('responds to a request that was already sent, and closes its connection', async () => {
    const server = await serve()
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    socket.write(`GET /svc/v1/whoami HTTP/1.1\r\nhost: ${hostname}\r\n`)
    await server.ask('GET', '/svc/v1/whoami')
    const closed = server.close()
    await vi.waitFor(() => expect(fetch(`${server.url}/healthz`)).rejects.toThrow(), 10_000)
    socket.write(`x-service-api-key: ${server.apiKey}\r\n\r\n`)
    let text = ''
    for await (const piece of socket) text += piece
    const [head, body] = text.split('\r\n\r\n') as [string, string]
    expect(head).toMatch(/^HTTP\/1\.1 200 /)
    expect(head.toLowerCase()).toContain('\r\nconnection: close')
    expect(JSON.parse(body)).toMatchObject({ team_id: server.teamId })
    await closed
  })

  it('aborts requests after the grace period, and stores nothing of them', async () => {
    const server = await serve({ graceMs: 200 })
    const userId = await createUser(server)
    const upload = await slowUpload(server.url, server.apiKey, userId)
    const began = Date.now()
    await server.close()
    expect(Date.now() - began).toBeLessThan(20_000)
    await expect(upload.answer).rejects.toThrow()
    const again = await serve({ dataDir: server.dataDir })
    const steps = await again.ask(
      'GET',
      `/v2/timeseries/${userId}/steps/grouped?start_date=2026-01-01&end_date=2026-12-31`,
    )
    expect(steps.json).toMatchObject({ groups: {} })
  })
})

it('keeps the data for the next start', async () => {
  const dataDir = temporaryFolder()
  const first = await serve({ dataDir })
  await first.ask('POST', '/v2/user', { body: '{"client_user_id":"stays"}' })
  await first.close()
  const second = await serve({ dataDir })
  expect((await second.ask('GET', '/v2/user/resolve/stays')).status).toBe(200)
})
