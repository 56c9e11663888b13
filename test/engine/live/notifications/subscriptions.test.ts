/** Subscriptions at a live provider, kept responses, refreshes on demand, and the status. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { SubscriptionCalls } from '../../../../src/connectors/notifications.ts'
import { ProviderError } from '../../../../src/connectors/provider-session.ts'
import { DAY_MS, HOUR_MS } from '../../../../src/core/time.ts'
import type { EngineContext } from '../../../../src/engine/context.ts'
import { maintainLive } from '../../../../src/engine/live/due-live.ts'
import { RAW_KEPT_MS } from '../../../../src/engine/live/pulling/raw-responses.ts'
import { ensureSubscriptions, removeSubscriptions } from '../../../../src/engine/live/subscriptions.ts'
import { NOON } from '../../../kit/harness.ts'
import { DAYS, pulledConnector } from '../../../providers/pulled-connector.ts'
import { openPull, type PullHarness } from '../pull-harness.ts'
import { changeConnector } from '../pulled-connectors.ts'

vi.mock('../../../../src/connectors/live/live-connectors.ts', () => import('../pulled-connectors.ts'))

let pulled: PullHarness
let calls: string[]
let callbackUrls: string[]
let failing: boolean
let engine: EngineContext

const LASTS_MS = 30 * DAY_MS

function connectorFor(owner: SubscriptionCalls['owner']): void {
  const { notifications } = pulledConnector
  if (!notifications) throw new Error('the connector takes notifications')
  const subscriptions: SubscriptionCalls = {
    owner,
    wanted: scopes => scopes.map(name => ({ name })),
    async subscribe(session, { name, callbackUrl }) {
      if (failing) throw new ProviderError('unavailable', 'garmin answered 500.')
      calls.push(`subscribe ${name} ${new URL(callbackUrl).host}`)
      callbackUrls.push(callbackUrl)
      return { remoteId: `r-${name}`, expiresAt: session.now() + LASTS_MS, secret: `issued ${name}` }
    },
    async renew(session, { remoteId }) {
      calls.push(`renew ${remoteId}`)
      return { remoteId, expiresAt: session.now() + LASTS_MS }
    },
    async remove(_session, { remoteId }, { callbackUrl }) {
      if (failing) throw new ProviderError('unavailable', 'garmin answered 500.')
      calls.push(`remove ${remoteId} ${new URL(callbackUrl).host}`)
    },
    async removeAll(_session, isOurs) {
      calls.push(...callbackUrls.filter(isOurs).map(each => `remove ${new URL(each).host}`))
    },
    renewBeforeMs: 5 * DAY_MS,
  }
  changeConnector({ notifications: { ...notifications, subscriptions } })
}

beforeEach(async () => {
  changeConnector({})
  calls = []
  callbackUrls = []
  failing = false
  pulled = await openPull()
  engine = { ...pulled.context, publicUrl: () => 'https://svc.example' }
})

const providerStatus = async () => (await pulled.live.h.call('provider.status', {})).providers[0]

describe('app-wide subscriptions', () => {
  beforeEach(() => connectorFor('app'))

  it('are created once, renewed in time, and removed at the end', async () => {
    expect(await ensureSubscriptions(engine, undefined)).toBe(2)
    expect(await ensureSubscriptions(engine, undefined)).toBe(0)
    expect(calls).toEqual(['subscribe daily svc.example', 'subscribe heartrate svc.example'])
    pulled.live.h.time.ms += 26 * DAY_MS
    expect(await ensureSubscriptions(engine, undefined)).toBe(2)
    expect(calls.slice(2)).toEqual(['renew r-daily', 'renew r-heartrate'])
    expect((await providerStatus())?.subscriptions).toMatchObject([
      { name: 'daily', failures: 0, last_error: null },
      { name: 'heartrate' },
    ])
    const [oauthApp] = await engine.store.live.oauthApps.list(null)
    if (oauthApp) await removeSubscriptions(engine, oauthApp)
    expect(calls.slice(4)).toEqual(['remove r-daily svc.example', 'remove r-heartrate svc.example'])
    expect((await providerStatus())?.subscriptions).toEqual([])
  })

  it('are created again when the public URL changes', async () => {
    await ensureSubscriptions(engine, undefined)
    const moved = { ...engine, publicUrl: () => 'https://new.example' }
    await ensureSubscriptions(moved, undefined)
    expect(calls.slice(2)).toEqual([
      'remove r-daily svc.example',
      'subscribe daily new.example',
      'remove r-heartrate svc.example',
      'subscribe heartrate new.example',
    ])
    expect(await ensureSubscriptions(moved, undefined)).toBe(0)
  })

  it('are retried after a failure, which the status shows', async () => {
    failing = true
    expect(await ensureSubscriptions(engine, undefined)).toBe(0)
    expect((await providerStatus())?.subscriptions[0]).toMatchObject({
      failures: 1,
      last_error: 'unavailable: garmin answered 500.',
    })
    failing = false
    expect(await ensureSubscriptions(engine, undefined)).toBe(0)
    pulled.live.h.time.ms += HOUR_MS
    expect(await ensureSubscriptions(engine, undefined)).toBe(2)
  })

  it('are not created without a URL that the provider can reach', async () => {
    expect(await ensureSubscriptions({ ...engine, publicUrl: () => null }, undefined)).toBe(0)
    expect(await ensureSubscriptions({ ...engine, publicUrl: () => 'http://svc.example' }, undefined)).toBe(0)
    // a fake provider on this machine reaches it
    expect(await ensureSubscriptions({ ...engine, publicUrl: () => 'http://127.0.0.1:8787' }, undefined)).toBe(2)
  })
})

describe('subscriptions of an OAuth app that changes', () => {
  beforeEach(async () => {
    connectorFor('app')
    await ensureSubscriptions(engine, undefined)
    calls = []
  })

  it('are removed if their scope is no longer requested, with retries', async () => {
    await pulled.live.setUp({ scopes: ['daily'] })
    failing = true
    expect(await ensureSubscriptions(engine, undefined)).toBe(0)
    expect((await providerStatus())?.subscriptions).toMatchObject([{ name: 'daily' }, { failures: 1 }])
    failing = false
    expect(await ensureSubscriptions(engine, undefined), 'it is not due yet').toBe(0)
    pulled.live.h.time.ms += HOUR_MS
    expect(await ensureSubscriptions(engine, undefined)).toBe(1)
    expect(calls).toEqual(['remove r-heartrate svc.example'])
    expect((await providerStatus())?.subscriptions).toMatchObject([{ name: 'daily' }])
  })

  it('are removed with the credentials that created them, and created with the new ones', async () => {
    await pulled.live.setUp({ client_secret: 'the next secret of the same client' })
    expect(calls).toEqual([])
    await pulled.live.setUp({ client_id: 'client-2' })
    expect(calls).toHaveLength(2)
    expect(calls.every(each => each.startsWith('remove '))).toBe(true)
    expect(await ensureSubscriptions(engine, undefined)).toBe(2)
  })
})

describe('subscriptions of a person', () => {
  beforeEach(async () => {
    connectorFor('person')
    await pulled.pull({ engine })
    calls = []
    pulled.live.h.time.ms += 2 * HOUR_MS
  })
  const subscriptions = async () => (await engine.store.live.pulls.find(pulled.key))?.subscriptions ?? {}

  it('follow a changed public URL', async () => {
    const moved = { ...engine, publicUrl: () => 'https://new.example' }
    await pulled.pull({ engine: moved })
    expect(calls).toEqual([
      'remove r-daily svc.example',
      'subscribe daily new.example',
      'remove r-heartrate svc.example',
      'subscribe heartrate new.example',
    ])
    await pulled.pull({ engine: moved })
    await pulled.pull({ engine: { ...engine, publicUrl: () => null } })
    expect(calls, 'a process without a server leaves them').toHaveLength(4)
  })

  it('are removed if the person no longer grants their scope, with retries', async () => {
    pulled.live.fake.consent = { scopes: ['daily'] }
    await pulled.live.link()
    failing = true
    await pulled.pull({ engine })
    expect(await subscriptions()).toMatchObject({ daily: { failures: 0 }, heartrate: { failures: 1 } })
    failing = false
    await pulled.pull({ engine })
    expect(calls).toEqual([])
    pulled.live.h.time.ms += HOUR_MS
    await pulled.pull({ engine })
    expect(calls).toEqual(['remove r-heartrate svc.example'])
    expect(Object.keys(await subscriptions())).toEqual(['daily'])
  })

  it('are removed before the access is revoked, whatever their URL, and subscriptions of others stay', async () => {
    const ours = callbackUrls[0]?.replace('svc.example', 'earlier.example') ?? ''
    callbackUrls = [ours, 'https://other.example/providers/garmin/notifications/theirs']
    const [tokenSet] = pulled.live.fake.tokenSets
    const params = { user_id: pulled.key.userId, provider: pulled.key.provider }
    await pulled.live.h.call('user.disconnect', { params })
    expect(calls).toEqual(['remove earlier.example'])
    expect(pulled.live.fake.requests.at(-1)).toMatchObject({ path: '/access', tokenSet: tokenSet })
  })
})

it('creates a person’s subscriptions with the next pull', async () => {
  connectorFor('person')
  await pulled.pull({ engine })
  expect(calls).toEqual(['subscribe daily svc.example', 'subscribe heartrate svc.example'])
  const { connections } = await pulled.live.h.call('provider.status', {})
  expect(connections[0]?.subscriptions).toMatchObject([{ name: 'daily', failures: 0 }, { name: 'heartrate' }])
  pulled.live.h.time.ms += 2 * HOUR_MS
  await pulled.pull({ engine })
  expect(calls).toHaveLength(2)
})

describe('a refresh', () => {
  const refresh = (timeout = 30) =>
    pulled.live.h.call('user.refresh', { params: { user_id: pulled.key.userId }, query: { timeout } })

  it('pulls a live connection while the caller waits', async () => {
    pulled.items.put(DAYS, 'd', NOON - HOUR_MS, 5)
    expect(await refresh()).toMatchObject({ in_progress_sources: [], failed_sources: [] })
    expect(await pulled.stored()).toEqual(pulled.items.samples())
    const { data } = await pulled.live.h.call('introspect.historical_pulls', {
      query: { user_id: pulled.key.userId },
    })
    expect(data[0]?.provider['garmin']).toMatchObject({ unmapped: { 'days.mood': 1 } })
  })

  it('lists unfinished and failed pulls', async () => {
    await engine.store.live.pulls.lease(pulled.key, { holder: 'other', now: NOON, until: NOON + HOUR_MS })
    expect((await refresh()).in_progress_sources).toContain('garmin/steps')
    await engine.store.live.pulls.release(pulled.key, 'other')
    const [tokenSet] = pulled.live.fake.tokenSets
    if (tokenSet) tokenSet.isRevoked = true
    expect((await refresh()).failed_sources).toContain('garmin/steps')
  })
})

it('keeps raw responses for 30 days on request, encrypted', async () => {
  await pulled.live.setUp({ keep_raw: true })
  pulled.items.put(DAYS, 'marked-record', NOON - HOUR_MS, 5)
  const brought: Uint8Array[] = []
  const { live } = pulled.context.store
  const pulls = Object.assign(Object.create(live.pulls), {
    bring: (...[key, write]: Parameters<typeof live.pulls.bring>) => {
      brought.push(...write.raw.map(({ sealed }) => sealed))
      return live.pulls.bring(key, write)
    },
  })
  const store = Object.assign(Object.create(pulled.context.store), { live: { ...live, pulls } })
  await pulled.pull({ engine: { ...pulled.context, store } })
  expect(brought.length).toBeGreaterThan(3)
  expect(Buffer.concat(brought).includes('marked-record')).toBe(false)
  expect(await maintainLive(engine, undefined)).toEqual([])
  const params = { user_id: pulled.key.userId, provider: pulled.key.provider }
  const { answers } = await pulled.live.h.call('provider.raw_answers', { params, query: { limit: 100 } })
  expect(answers).toHaveLength(brought.length)
  expect(answers.some(({ text }) => text.includes('marked-record'))).toBe(true)
  const ofDays = await pulled.live.h.call('provider.raw_answers', { params, query: { collection: DAYS, limit: 1 } })
  expect(ofDays.answers).toMatchObject([{ collection: DAYS }])
  pulled.live.h.time.ms += RAW_KEPT_MS + 1
  expect(await maintainLive(engine, undefined)).toEqual([{ kind: 'raw_answer', count: brought.length }])
})

it('shows the progress of each connection', async () => {
  pulled.live.fake.fail({ path: /days/, status: 404 })
  await pulled.pull()
  const { providers, connections, next_cursor } = await pulled.live.h.call('provider.status', {})
  expect(providers).toMatchObject([{ provider: 'garmin', connections: 1, in_error: 0, delivery: 'polling' }])
  expect(next_cursor).toBeNull()
  const [connection] = connections
  expect(connection).toMatchObject({ status: 'connected', grant: { state: 'active', renewals: 0 } })
  expect(connection?.collections).toMatchObject([
    { name: 'days', state: 'history', failures: 1, last_error: { kind: 'not_found' } },
    { name: 'pulse', state: 'polling', failures: 0, last_error: null },
  ])
})
