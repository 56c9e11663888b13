/** Token sets: one token refresh at a time over all processes, and interrupted or refused ones. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { LiveConnector } from '../../../src/connectors/live/live-connector.ts'
import { ProviderError } from '../../../src/connectors/provider-session.ts'
import { HOUR_MS, MINUTE_MS } from '../../../src/core/time.ts'
import type { EngineContext } from '../../../src/engine/context.ts'
import { failLive } from '../../../src/engine/live/failures.ts'
import { findLiveApp } from '../../../src/engine/live/oauth-apps/live-app.ts'
import { currentTokenSet, type HeldTokenSet, refreshTokenSet } from '../../../src/engine/live/token-sets.ts'
import type { TokenSetKey } from '../../../src/store/live/token-sets.ts'
import type { TokenSetStore } from '../../../src/store/logic/live/token-sets.ts'
import { openHarness } from '../../kit/harness.ts'
import { TEST_PROVIDER, testConnector } from '../../providers/test-connector.ts'
import { type LiveHarness, openLive } from './live-harness.ts'

vi.mock('../../../src/connectors/live/live-connectors.ts', () => import('./live-connectors.ts'))

let live: LiveHarness
let engine: EngineContext
let held: HeldTokenSet

beforeEach(async () => {
  live = await openLive()
  await live.link()
  engine = live.h.engine.context
  held = await currentTokenSet(engine, { userId: live.user_id, provider: TEST_PROVIDER })
})

async function refresh(within = engine, connector: LiveConnector = testConnector): Promise<HeldTokenSet> {
  const oauthApp = await findLiveApp(within, live.h.team.teamId, TEST_PROVIDER)
  if (!oauthApp) throw new Error('the provider is not set up')
  return refreshTokenSet(within, { app: oauthApp.app, signal: undefined }, connector, held)
}
const stored = () => engine.store.live.tokenSets.find(live.user_id, TEST_PROVIDER)
const refreshes = () => live.fake.requests.filter(each => each.form.get('grant_type') === 'refresh_token')
const catchFailure = (run: Promise<unknown>): Promise<ProviderError> =>
  run.then(
    () => Promise.reject(new Error('it was not refused')),
    error => error,
  )

describe('a token refresh', () => {
  it('stores the next token set before it is used', async () => {
    const refreshed = await refresh()
    expect(refreshed).toMatchObject({ rev: 1, grantId: held.grantId })
    expect(refreshed.tokenSet.accessToken).toBe(live.fake.tokenSets[0]?.accessToken)
    expect(await currentTokenSet(engine, held)).toEqual(refreshed)
    expect(await stored()).toMatchObject({ leasedBy: null, renewingSince: null })
  })

  it('uses a refresh token once, however many processes want it at once', async () => {
    const other = (await openHarness({ dataDir: live.h.dataDir })).engine.context
    live.fake.fail({ path: /token/, delayMs: 150 })
    const refreshed = await Promise.all([refresh(), refresh(other), refresh(), refresh(other)])
    expect(new Set(refreshed.map(each => each.tokenSet.accessToken)).size).toBe(1)
    expect(refreshes()).toHaveLength(1)
    expect(live.fake.reuses).toBe(0)
    expect(await refresh(), 'a stale grant is followed by the one that is stored').toEqual(refreshed[0])
    expect(refreshes()).toHaveLength(1)
  })

  it('continues in another process that has watched a stopped process’s lease for its full duration', async () => {
    expect(await leaseFor('a process that was stopped', held)).toBe(true)
    live.h.time.ms += HOUR_MS
    const refreshing = refresh()
    await new Promise(resolve => setTimeout(resolve, 200))
    expect(refreshes(), 'it may have been taken just now by a process with another clock').toEqual([])
    live.h.time.ms += 2 * MINUTE_MS
    expect((await refreshing).rev).toBe(1)
    expect(await engine.store.live.tokenSets.refresh(held, { ...(await lateStore()), rev: 0 })).toBe(false)
    expect((await currentTokenSet(engine, held)).rev).toBe(1)
  })

  it.each([-10, 10])(
    'uses a refresh token once even if the clock of another node differs by %i minutes',
    async minutes => {
      const other = (await openHarness({ dataDir: live.h.dataDir })).engine.context
      const elapsed = () => performance.now()
      const here = { ...engine, wall: { now: () => live.h.time.now(), elapsed } }
      const there = { ...other, wall: { now: () => live.h.time.now() + minutes * MINUTE_MS, elapsed } }
      for (const [first, second] of [
        [here, there],
        [there, here],
      ] as const) {
        live.fake.forget()
        live.fake.fail({ path: /token/, delayMs: 300 })
        const refreshing = refresh(first)
        await expect.poll(() => refreshes()).toHaveLength(1)
        const refreshed = await Promise.all([refresh(second), refresh(second), refreshing])
        expect(new Set(refreshed.map(each => each.tokenSet.accessToken)).size).toBe(1)
        expect(refreshes()).toHaveLength(1)
        held = refreshed[0]
      }
      expect(live.fake.reuses).toBe(0)
    },
  )

  it('sends nothing under a lease that others may take over, after the process was suspended', async () => {
    const { tokenSets } = engine.store.live
    let suspended = 0
    const store = storeWith({
      lease: async (...args) => {
        const isLeased = await tokenSets.lease(...args)
        if (suspended++ === 0) live.h.time.ms += MINUTE_MS
        expect(refreshes()).toEqual([])
        return isLeased
      },
    })
    expect((await refresh({ ...engine, store })).rev).toBe(1)
    expect(suspended).toBe(2)
    expect(refreshes()).toHaveLength(1)
  })

  it('with an unknown outcome is tried again, and loses nothing if the provider never received it', async () => {
    live.fake.fail({ path: /token/, reset: 'before' })
    expect((await catchFailure(refresh())).kind).toBe('unavailable')
    expect(await stored()).toMatchObject({ leasedBy: null, rev: 0 })
    expect((await refresh()).rev).toBe(1)
  })

  it('whose response was lost leaves a token set that only the person can replace', async () => {
    live.fake.fail({ path: /token/, reset: 'after' })
    expect((await catchFailure(refresh())).kind).toBe('unavailable')
    const error = await catchFailure(refresh())
    expect([error.kind, error.message]).toEqual(['grant_lost', 'The provider refused to refresh the tokens.'])
  })

  it('continues when the caller leaves', async () => {
    const oauthApp = await findLiveApp(engine, live.h.team.teamId, TEST_PROVIDER)
    const controller = new AbortController()
    live.fake.fail({ path: /token/, delayMs: 100 })
    const app = oauthApp?.app
    const refreshing = app && refreshTokenSet(engine, { app, signal: controller.signal }, testConnector, held)
    await expect.poll(() => refreshes()).toHaveLength(1)
    controller.abort()
    await refreshing
    expect((await currentTokenSet(engine, held)).tokenSet.accessToken).toBe(live.fake.tokenSets[0]?.accessToken)
  })

  it('survives a busy store when the token set is to be stored', async () => {
    let refused = 0
    const store = storeWith({
      refresh: (...args) => {
        if (refused++ < 2) return Promise.reject(new Error('busy'))
        return engine.store.live.tokenSets.refresh(...args)
      },
    })
    expect((await refresh({ ...engine, store })).rev).toBe(1)
    expect(refused).toBe(3)
    expect((await currentTokenSet(engine, held)).tokenSet.accessToken).toBe(live.fake.tokenSets[0]?.accessToken)
  })

  it('has no effect after the connection was removed', async () => {
    live.fake.fail({ path: /token/, delayMs: 150 })
    const failing = catchFailure(refresh())
    await expect.poll(() => refreshes()).toHaveLength(1)
    await engine.store.connections.remove(live.user_id, TEST_PROVIDER)
    // the token set is kept for the revocation, and no connection has it
    await failing.catch(() => {})
    expect(await stored()).toBeNull()
    expect((await catchFailure(refresh())).kind).toBe('grant_lost')
  })
})

/** Returns the store with replaced calls to lease and refresh. */
function storeWith(parts: Partial<TokenSetStore>): EngineContext['store'] {
  const tokenSets = Object.assign(Object.create(engine.store.live.tokenSets), parts)
  const ofLive = Object.assign(Object.create(engine.store.live), { tokenSets })
  return Object.assign(Object.create(engine.store), { live: ofLive })
}

function leaseFor(holder: string, key: TokenSetKey): Promise<boolean> {
  const now = live.h.time.ms
  return engine.store.live.tokenSets.lease(key, { rev: 0, holder, insteadOf: null, now, until: now + MINUTE_MS })
}

/** Returns the data that a stopped process might still try to store. */
async function lateStore() {
  const record = await stored()
  if (!record) throw new Error('there is no grant')
  return { sealed: record.sealed, keyId: record.keyId, expiresAt: record.expiresAt }
}

describe('an unusable token set', () => {
  it('fails the connection with its event', async () => {
    const [tokenSet] = live.fake.tokenSets
    if (tokenSet) tokenSet.isRevoked = true
    const error = await catchFailure(refresh())
    const key = { teamId: live.h.team.teamId, userId: live.user_id, provider: TEST_PROVIDER }
    expect(await failLive(engine, key, error)).toBe(true)
    const { providers } = await live.h.call('user.providers', { params: { user_id: live.user_id } })
    expect(providers).toMatchObject([{ status: 'error', error_details: { error_type: 'token_refresh_failed' } }])
    const { data } = await live.h.call('event.list', { query: { type: 'provider.connection.error' } })
    expect(data).toHaveLength(1)
    expect(await engine.store.live.pulls.due(live.h.time.ms + HOUR_MS, null, 10)).toEqual([])
    expect(await failLive(engine, key, new ProviderError('unavailable', 'later'))).toBe(false)
  })

  it('causes one request only, even after the process that received the refusal was stopped', async () => {
    const [tokenSet] = live.fake.tokenSets
    if (tokenSet) tokenSet.isRevoked = true
    let isStopped = false
    // its process is stopped as soon as it could record that the access is lost
    const store = storeWith({
      async release(...args) {
        await engine.store.live.tokenSets.release(...args)
        isStopped = true
      },
    })
    expect((await catchFailure(refresh({ ...engine, store }))).kind).toBe('grant_lost')
    expect(isStopped).toBe(true)
    const other = (await openHarness({ dataDir: live.h.dataDir })).engine.context
    for (const process of [engine, other]) expect((await catchFailure(refresh(process))).kind).toBe('grant_lost')
    expect((await currentTokenSet(engine, held)).tokenSet).toMatchObject({
      accessToken: held.tokenSet.accessToken,
      refreshToken: null,
    })
    await live.h.call('user.disconnect', { params: { user_id: live.user_id, provider: TEST_PROVIDER } })
    await live.h.call('engine.run_due', {})
    expect(refreshes(), 'nor does the end of the access').toHaveLength(1)
  })

  it('is one that was refused while the store was busy', async () => {
    const [tokenSet] = live.fake.tokenSets
    if (tokenSet) tokenSet.isRevoked = true
    let busy = 0
    const store = storeWith({
      release: (...args) =>
        busy++ < 2 ? Promise.reject(new Error('busy')) : engine.store.live.tokenSets.release(...args),
    })
    expect((await catchFailure(refresh({ ...engine, store }))).kind).toBe('grant_lost')
    expect((await catchFailure(refresh())).kind).toBe('grant_lost')
    expect(refreshes()).toHaveLength(1)
  })

  it('is one that was encrypted with another master key, or taken from another connection', async () => {
    const other = { ...engine, masterKey: () => Buffer.alloc(32, 7) }
    const error = await catchFailure(currentTokenSet(other, held))
    expect([error.kind, error.message]).toEqual(['grant_lost', expect.stringContaining('master key')])
    const stolen = { ...held, userId: (await anotherUser()).user_id }
    expect((await catchFailure(currentTokenSet(engine, stolen))).kind).toBe('grant_lost')
  })

  it('is also a missing one', async () => {
    await engine.store.live.tokenSets.remove(held)
    expect((await catchFailure(currentTokenSet(engine, held))).kind).toBe('grant_lost')
  })
})

/** Returns a user whose token set was replaced by the first user's. */
async function anotherUser() {
  const other = await live.h.call('user.create', { body: { client_user_id: 'grace' } })
  await live.link(await live.newToken(other.user_id))
  const key = { userId: other.user_id, provider: TEST_PROVIDER, grantId: '' }
  const own = await engine.store.live.tokenSets.find(other.user_id, TEST_PROVIDER)
  const target = { ...key, grantId: own?.grantId ?? '' }
  await engine.store.live.tokenSets.refresh(target, { ...(await lateStore()), rev: 0 })
  return other
}
