/** A server with live providers pulls by itself, accepts notifications, refuses invalid ones, and stops at once. */
import { beforeAll, describe, expect, it, vi } from 'vitest'
import type { NotifiedEvent } from '../../src/connectors/notifications.ts'
import { HOUR_MS } from '../../src/core/time.ts'
import { openAppSecrets } from '../../src/engine/live/oauth-apps/app-secrets.ts'
import { openPull, type PullHarness } from '../engine/live/pull-harness.ts'
import { NOON } from '../kit/harness.ts'
import { serve, type TestServer } from '../kit/server.ts'
import { until } from '../kit/until.ts'
import { DAYS, PULSE, signed } from '../providers/pulled-connector.ts'

vi.mock('../../src/connectors/live/live-connectors.ts', () => import('../engine/live/pulled-connectors.ts'))

let pulled: PullHarness
let server: TestServer
let path: string
let secret: string

beforeAll(async () => {
  pulled = await openPull()
  for (let i = 0; i < 10; i++) pulled.items.put(DAYS, `d${i}`, NOON - i * HOUR_MS, 100 + i)
  server = await serve({ dataDir: pulled.live.h.dataDir })
  const [app] = await pulled.context.store.live.oauthApps.list(null)
  if (!app) throw new Error('nothing is set up')
  const { notificationToken, clientSecret } = openAppSecrets(pulled.context, app)
  path = `/providers/${app.provider}/notifications/${notificationToken}`
  secret = clientSecret
})

const allIsStored = () => until(async () => (await pulled.stored()).join() === pulled.items.samples().join())

function notify(events: readonly NotifiedEvent[], signature?: string) {
  const body = JSON.stringify(events)
  return server.ask('POST', path, { key: null, body, headers: { 'x-signature': signature ?? signed(body, secret) } })
}

describe('a server', () => {
  it('pulls a connection’s history automatically', async () => {
    await allIsStored()
    expect(pulled.live.fake.reuses).toBe(0)
  })

  it('reads announced data at once', async () => {
    pulled.items.put(PULSE, 'new', NOON - HOUR_MS, 66)
    const hints = [{ kind: 'record', collection: PULSE, recordId: 'new' } as const]
    const response = await notify([{ eventId: '1', accountId: 'person-1', hints }])
    expect([response.status, response.text]).toEqual([204, ''])
    await allIsStored()
  })

  it('responds to a provider’s other methods, and refuses unknown ones', async () => {
    expect((await server.ask('HEAD', path, { key: null })).status).toBe(200)
    expect((await server.ask('GET', `${path}?token=wrong`, { key: null })).status).toBe(401)
    const response = await server.ask('PUT', path, { key: null })
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST'])
  })

  it('refuses a forged notification, and one of 20 MB before it is read', async () => {
    expect((await notify([], 'forged')).status).toBe(401)
    const body = new Uint8Array(20 * 1024 * 1024)
    // the connection may be cut while the rest is still being sent
    const status = await server.ask('POST', path, { key: null, body }).then(
      response => response.status,
      () => 413,
    )
    expect(status).toBe(413)
  })

  it('refuses a wrong notification URL, and limits guesses', async () => {
    const wrong = `${path.slice(0, -4)}AAAA`
    expect((await server.ask('POST', wrong, { key: null, body: '[]' })).json).toEqual({ detail: 'Not Found' })
    for (let i = 0; i < 20; i++) await server.ask('POST', wrong, { key: null, body: '[]' })
    expect((await server.ask('POST', wrong, { key: null, body: '[]' })).status).toBe(429)
    expect((await notify([])).status).toBe(204)
  })

  it('counts by provider, without identifying anybody', async () => {
    // a notification that arrives while the connection is being pulled waits a moment
    const text = await until(async () => {
      const response = await server.ask('GET', '/metrics')
      return response.text.includes('outcome="processed"') && response.text
    })
    expect(text).toMatch(/svc_provider_requests_total\{provider="garmin",outcome="answered"\} \d+/)
    expect(text).toMatch(/svc_provider_notifications_total\{provider="garmin",outcome="processed"\} 1/)
    expect(text).toMatch(/svc_provider_pulls_total\{provider="garmin",outcome="done"\} \d+/)
    expect(text).toContain('svc_provider_connections{provider="garmin"} 1')
    const output = [text, ...server.lines].join('\n')
    expect(output).not.toContain(pulled.key.userId)
    expect(output).not.toContain(path.split('/').at(-1))
  })

  it('stops while the provider does not respond, and due work stays due', async () => {
    pulled.live.fake.fail({ path: /data/, delayMs: 60_000, times: 5 })
    await pulled.context.store.live.pulls.hasten(pulled.key, null, Date.now())
    const { length } = pulled.live.fake.requests
    await until(() => pulled.live.fake.requests.length > length)
    const began = performance.now()
    await server.close()
    expect(performance.now() - began).toBeLessThan(3_000)
    expect(await pulled.context.store.live.pulls.due(Date.now(), null, 10)).toHaveLength(1)
  })
})
