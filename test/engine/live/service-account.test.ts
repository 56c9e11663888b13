/**
 * An OAuth app for Google Health with a service account: its key stays encrypted, and its subscriber is created and removed with the OAuth
 * app.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { HOUR_MS } from '../../../src/core/time.ts'
import type { EngineContext } from '../../../src/engine/context.ts'
import { receiveNotification } from '../../../src/engine/live/notifications/notification-queue.ts'
import { ensureSubscriptions } from '../../../src/engine/live/subscriptions.ts'
import { atEndOfFile } from '../../kit/end-of-file.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { type FakeGoogleHealth, openGoogleHealth } from '../../providers/google-health/google-health.ts'
import { PROJECT_NUMBER } from '../../providers/google-health/subscribers.ts'

const params = { provider: 'google_health' }
let h: Harness
let google: FakeGoogleHealth
let engine: EngineContext

beforeEach(async () => {
  h = await openHarness()
  google = await openGoogleHealth({ now: () => h.time.now() })
  atEndOfFile(() => google.close())
  const publicUrl = await openService()
  engine = { ...h.engine.context, publicUrl: () => publicUrl }
})

/** Responds at the notification URLs as a server does. Returns its URL. */
async function openService(): Promise<string> {
  const server = createServer(async (message, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of message) chunks.push(chunk as Buffer)
    const [, , provider = '', , token = ''] = (message.url ?? '').split('/')
    const target = { provider, token }
    const reply = await receiveNotification(engine, target, {
      method: 'POST',
      header: name => (message.headers[name] as string | undefined) ?? null,
      query: new URLSearchParams(),
      body: Buffer.concat(chunks),
      receivedAt: h.time.now(),
    })
    response.writeHead(reply?.status ?? 404).end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atEndOfFile(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const body = (more: object = {}) => ({
  client_id: google.clientId,
  client_secret: google.clientSecret,
  redirect_url: 'http://localhost:8484/callback',
  authorize_url: google.authorizeUrl,
  token_url: google.tokenUrl,
  api_url: google.url,
  settings: { keyset_url: `${google.url}/keyset`, project_number: PROJECT_NUMBER },
  ...more,
})
const setUp = (more?: object) => h.call('provider.setup', { params, body: body(more) })
const withKey = () => setUp({ service_account: google.subscribers.keyFile })
const ensure = () => ensureSubscriptions(engine, undefined)
const status = async () => (await h.call('provider.status', {})).providers[0]?.subscriptions

describe('a service account', () => {
  it('creates the subscriber, whose notifications are received', async () => {
    await withKey()
    expect(await ensure()).toBe(1)
    expect(await status()).toMatchObject([{ name: 'subscriber', failures: 0, last_error: null }])
    const data = { version: '1', healthUserId: 'person-1', operation: 'UPSERT', dataType: 'steps', intervals: [] }
    expect(await google.announce({ data })).toEqual([204])
    expect(await engine.store.live.notifications.due(h.time.now(), null, 10)).toHaveLength(1)
    expect(await ensure()).toBe(0)
    h.time.ms += 25 * HOUR_MS
    expect(await ensure(), 'it is looked after each day').toBe(1)
  })

  it('is replaced with the OAuth app, and its subscriber is removed with it', async () => {
    await withKey()
    await ensure()
    await setUp()
    expect(google.subscribers.all.size).toBe(0)
    expect(await status()).toEqual([])
    expect(await ensure(), 'without an account, it is made by hand').toBe(0)
    await withKey()
    expect(await ensure()).toBe(1)
    await h.call('provider.teardown', { params })
    expect(google.subscribers.all.size).toBe(0)
  })

  it('without the permission is reported, and the subscriber is retried later', async () => {
    await withKey()
    google.subscribers.isAllowed = false
    expect(await ensure()).toBe(0)
    expect(await status()).toMatchObject([{ failures: 1, last_error: expect.stringMatching(/^credentials: .*role/) }])
    google.subscribers.isAllowed = true
    h.time.ms += HOUR_MS
    expect(await ensure()).toBe(1)
  })

  it('is shown nowhere, and encrypted in every file', async () => {
    const view = await withKey()
    await ensure()
    const shown = JSON.stringify([view, await h.call('provider.setups', {}), await h.call('provider.status', {})])
    const { private_key } = JSON.parse(google.subscribers.keyFile) as { readonly private_key: string }
    const [, secret = ''] = private_key.split('\n')
    expect(secret.length).toBeGreaterThan(40)
    expect(shown).not.toContain(secret)
    for (const name of readdirSync(h.dataDir, { recursive: true, encoding: 'utf8' })) {
      const file = join(h.dataDir, name)
      if (statSync(file).isFile()) expect(readFileSync(file).includes(secret), name).toBe(false)
    }
  })

  it('is refused if none is needed, or if the file is of a different kind', async () => {
    const refused = (provider: string, service_account: string) =>
      h.refusal('provider.setup', { params: { provider }, body: { ...body({ settings: {} }), service_account } })
    expect((await refused('oura', google.subscribers.keyFile)).message).toMatch(/oura needs no service account/)
    expect((await refused('google_health', '{"marked": 1}')).message).toMatch(/JSON key file/)
    expect((await refused('google_health', google.subscribers.keyFile)).message).toMatch(/project_number/)
  })
})
