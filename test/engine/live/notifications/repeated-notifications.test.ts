/** Repeated and forged notifications of every provider: their cost and their effects. */
import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { DAY_MS, MINUTE_MS } from '../../../../src/core/time.ts'
import type { EngineContext } from '../../../../src/engine/context.ts'
import { maintainLive } from '../../../../src/engine/live/due-live.ts'
import { receiveNotification } from '../../../../src/engine/live/notifications/notification-queue.ts'
import { dueNotifications, processNotified } from '../../../../src/engine/live/notifications/notified.ts'
import { sealSubscription } from '../../../../src/engine/live/notifications/subscription-secrets.ts'
import { openAppSecrets } from '../../../../src/engine/live/oauth-apps/app-secrets.ts'
import { atEndOfFile } from '../../../kit/end-of-file.ts'
import { NOON, openHarness } from '../../../kit/harness.ts'
import type { FakeProvider } from '../../../providers/fake-provider.ts'
import type { FakeGoogleHealth } from '../../../providers/google-health/google-health.ts'
import { forgedSignature } from '../../../providers/google-health/signer.ts'
import { hostileTargets } from '../../../providers/hostile-targets.ts'
import { setUpAndLink } from '../linked-account.ts'

const POLAR_KEY = 'polar-signature-key'
const PACE = { tries: 1, firstMs: 1, mostMs: 1 }

interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Case {
  /** The proof that a notification is genuine; `address`: only the URL. */
  readonly proof: 'time and signature' | 'signature' | 'address'
  sent(fake: FakeProvider, secret: string, account: string): Sent
  /** The same notification, but not sent by the provider. */
  forged(sent: Sent, fake: FakeProvider): Sent
}

const hmac = (key: string, ...parts: string[]) => {
  const made = createHmac('sha256', key)
  for (const part of parts) made.update(part)
  return made
}
const otherHeader =
  (name: string, value: string) =>
  ({ headers, body }: Sent): Sent => ({ headers: { ...headers, [name]: value }, body })

const CASES: Readonly<Record<string, Case>> = {
  oura: {
    proof: 'time and signature',
    sent(_fake, secret, account) {
      const time = String(NOON / 1_000)
      const event = { event_type: 'update', data_type: 'daily_activity', object_id: 'a', user_id: account }
      const body = JSON.stringify({ ...event, event_time: new Date(NOON).toISOString() })
      return { headers: { 'x-oura-timestamp': time, 'x-oura-signature': hmac(secret, time, body).digest('hex') }, body }
    },
    forged: otherHeader('x-oura-signature', '0'.repeat(64)),
  },
  withings: {
    proof: 'address',
    sent(_fake, _secret, account) {
      const startdate = String(NOON / 1_000 - 3_600)
      const form = new URLSearchParams({ userid: account, appli: '1', startdate, enddate: String(NOON / 1_000) })
      return { headers: {}, body: `${form}` }
    },
    forged: sent => sent,
  },
  whoop_v2: {
    proof: 'time and signature',
    sent(_fake, secret, account) {
      const time = String(NOON)
      const body = JSON.stringify({ user_id: Number(account), id: 'w-1', type: 'workout.updated', trace_id: 't-1' })
      const signature = hmac(secret, time, body).digest('base64')
      return { headers: { 'x-whoop-signature-timestamp': time, 'x-whoop-signature': signature }, body }
    },
    forged: otherHeader('x-whoop-signature', Buffer.alloc(32).toString('base64')),
  },
  polar: {
    proof: 'signature',
    sent(_fake, _secret, account) {
      const event = { timestamp: new Date(NOON).toISOString(), event: 'ACTIVITY_SUMMARY', date: '2026-11-19' }
      const body = JSON.stringify({ ...event, user_id: Number(account) })
      return { headers: { 'polar-webhook-signature': hmac(POLAR_KEY, body).digest('hex') }, body }
    },
    forged: otherHeader('polar-webhook-signature', '0'.repeat(64)),
  },
  google_health: {
    proof: 'signature',
    sent(fake, _secret, account) {
      const interval = { startTime: new Date(NOON - 3_600_000).toISOString(), endTime: new Date(NOON).toISOString() }
      const data = { healthUserId: account, operation: 'UPSERT', dataType: 'heart-rate' }
      const body = JSON.stringify({ data: { ...data, intervals: [{ physicalTimeInterval: interval }] } })
      const signature = (fake as FakeGoogleHealth).signer.sign(Buffer.from(body))
      return { headers: { 'google-health-api-signature': signature }, body }
    },
    forged: ({ body }, fake) => ({
      headers: {
        'google-health-api-signature': forgedSignature((fake as FakeGoogleHealth).signer, Buffer.from(body)),
      },
      body,
    }),
  },
}

/** Returns the engine with a store whose calls are counted by name. */
function counting(engine: EngineContext) {
  const calls: string[] = []
  const watch = <T extends object>(part: T, name: string): T =>
    new Proxy(part, {
      get(target, key) {
        const value: unknown = Reflect.get(target, key)
        const path = `${name}${String(key)}`
        if (typeof value === 'function') {
          return (...args: unknown[]) => {
            calls.push(path)
            return value.apply(target, args)
          }
        }
        return typeof value === 'object' && value !== null ? watch(value, `${path}.`) : value
      },
    })
  return { engine: { ...engine, store: watch(engine.store, '') }, calls }
}

async function opened(provider: string) {
  const target = hostileTargets(NOON).find(each => each.provider === provider)
  if (!target) throw new Error(`no target of ${provider}`)
  const h = await openHarness()
  const fake = await target.open()
  atEndOfFile(() => fake.close())
  const settings: Record<string, string> = provider === 'google_health' ? { keyset_url: `${fake.url}/keyset` } : {}
  const userId = await setUpAndLink(h, fake, { provider, person: 'ada', settings })
  const { engine, calls } = counting(h.engine.context)
  const [oauthApp] = await engine.store.live.oauthApps.list(null)
  if (!oauthApp) throw new Error('nothing is set up')
  const { teamId } = oauthApp
  if (provider === 'polar') {
    const owner = { teamId, provider, name: 'webhook' }
    const sealed = sealSubscription(engine, owner, { callbackUrl: 'https://x.example', secret: POLAR_KEY })
    const state = { remoteId: 'hook', expiresAt: null, dueAt: null, failures: 0, lastError: null }
    await engine.store.live.subscriptions.put({ ...owner, ...state, sealed })
  }
  const { clientSecret, notificationToken } = openAppSecrets(engine, oauthApp)
  const connections = await engine.store.connections.ofUsers([userId])
  const account = connections.get(userId)?.[0]?.externalUserId ?? ''
  const receive = ({ headers, body }: Sent, token = notificationToken) =>
    receiveNotification(
      engine,
      { provider, token },
      {
        method: 'POST',
        header: name => headers[name] ?? null,
        query: new URLSearchParams(),
        body: Buffer.from(body),
        receivedAt: h.time.now(),
      },
    )
  const dataRequests = () => fake.requests.filter(({ path }) => !fake.tokenUrl.endsWith(path)).length
  /** Processes the queue. Returns the number of requests for data. */
  const work = async (): Promise<number> => {
    const before = dataRequests()
    for (const each of await dueNotifications(engine)) await processNotified(engine, each, { holder: 'n', pace: PACE })
    return dataRequests() - before
  }
  const stored = async () => JSON.stringify((await engine.store.live.pulls.find({ userId, provider }))?.progress)
  return { h, engine, calls, standIn: fake, clientSecret, notificationToken, account, receive, work, stored }
}

describe.each(Object.entries(CASES))('a notification of %s', (provider, { proof, sent, forged }) => {
  it('that arrives again is recognized or refused, or only reads existing data again', async () => {
    const { h, engine, standIn: fake, clientSecret, account, receive, work, stored } = await opened(provider)
    const genuine = sent(fake, clientSecret, account)
    // the first one may have to read the keys
    await receive(genuine)
    expect((await receive(genuine))?.status).toBeLessThan(300)
    const requests = await work()
    expect(requests).toBeGreaterThan(0)
    const before = await stored()
    // at once
    expect((await receive(genuine))?.status).toBeLessThan(300)
    expect(await work()).toBe(0)
    // later
    h.time.ms += 20 * MINUTE_MS
    await receive(genuine)
    expect(await work()).toBeLessThanOrEqual(proof === 'address' ? requests : 0)
    // when the notification is no longer recognized
    h.time.ms += 8 * DAY_MS
    await maintainLive(engine, undefined)
    const late = await receive(genuine)
    if (proof === 'time and signature') expect(late).toMatchObject({ status: 401 })
    expect(await work()).toBeLessThanOrEqual(proof === 'time and signature' ? 0 : requests)
    expect(await stored()).toBe(before)
  })

  it('that is forged is refused for less than half of the work', async () => {
    const { calls, standIn: fake, clientSecret, notificationToken, account, receive, work } = await opened(provider)
    const genuine = sent(fake, clientSecret, account)
    // the first one may have to read the keys
    await receive(genuine)
    calls.splice(0)
    await work()
    await receive(genuine)
    const right = calls.splice(0)
    const wrongToken = `${notificationToken.slice(0, -3)}AAA`
    const refused = await receive(forged(genuine, fake), proof === 'address' ? wrongToken : notificationToken)
    expect(refused?.status ?? 404).toBeGreaterThanOrEqual(401)
    const cost = [...calls]
    expect(cost.filter(name => /\.(add|put|note|bring|settle|retry|fail|lease|renew|take)$/.test(name))).toEqual([])
    expect(await work()).toBe(0)
    expect(cost.length).toBeLessThanOrEqual(right.length / 2)
  })
})

it('a notification of Google Health is recognized in every spelling of its signature', async () => {
  const { standIn: fake, clientSecret, account, receive, work } = await opened('google_health')
  const { sent } = CASES['google_health'] as Case
  const genuine = sent(fake, clientSecret, account)
  await receive(genuine)
  await receive(genuine)
  await work()
  const header = 'google-health-api-signature'
  const signature = genuine.headers[header] ?? ''
  const der = Buffer.from(signature, 'base64').subarray(5)
  const rLength = der[3] ?? 0
  const r = der.subarray(4, 4 + rLength)
  const s = BigInt(`0x${der.subarray(6 + rLength).toString('hex')}`)
  const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n
  let hex = (order - s).toString(16)
  if (hex.length % 2 === 1) hex = `0${hex}`
  const bytes = Buffer.from(hex, 'hex')
  const mirrored = (bytes[0] ?? 0) > 0x7f ? Buffer.concat([Buffer.from([0]), bytes]) : bytes
  const body = Buffer.concat([Buffer.from([2, r.length]), r, Buffer.from([2, mirrored.length]), mirrored])
  const twin = Buffer.concat([
    Buffer.from(signature, 'base64').subarray(0, 5),
    Buffer.from([0x30, body.length]),
    body,
  ]).toString('base64')
  for (const spelling of [`${signature}==`, signature.replaceAll('+', '-').replaceAll('/', '_'), twin]) {
    expect(await receive({ ...genuine, headers: { [header]: spelling } })).toEqual({ status: 204 })
    expect(await work()).toBe(0)
  }
})

it('Dexcom sends no notifications, so it has no notification URL', async () => {
  const { notificationToken, receive } = await opened('dexcom_v3')
  expect(await receive({ headers: {}, body: '{}' }, notificationToken)).toBeNull()
})
