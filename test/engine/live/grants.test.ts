/** Token sets: one token refresh at a time over all processes, and interrupted or refused ones. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { LiveConnector } from '../../../src/connectors/live/live-connector.ts'
import { ProviderError } from '../../../src/connectors/provider-session.ts'
import { HOUR_MS, MINUTE_MS } from '../../../src/core/time.ts'
import type { EngineContext } from '../../../src/engine/context.ts'
import { failLive } from '../../../src/engine/live/failures.ts'
import { currentGrant, type HeldGrant, renewGrant } from '../../../src/engine/live/grants.ts'
import { liveSetup } from '../../../src/engine/live/setups/live-setup.ts'
import type { GrantKey } from '../../../src/store/live/grants.ts'
import type { GrantStore } from '../../../src/store/logic/live/grants.ts'
import { openHarness } from '../../kit/harness.ts'
import { TEST_PROVIDER, testConnector } from '../../providers/test-connector.ts'
import { type LiveHarness, openLive } from './live-harness.ts'

vi.mock('../../../src/connectors/live/live-connectors.ts', () => import('./live-connectors.ts'))

let live: LiveHarness
let engine: EngineContext
let held: HeldGrant

beforeEach(async () => {
  live = await openLive()
  await live.link()
  engine = live.h.engine.context
  held = await currentGrant(engine, { userId: live.user_id, provider: TEST_PROVIDER })
})

async function renew(within = engine, connector: LiveConnector = testConnector): Promise<HeldGrant> {
  const setup = await liveSetup(within, live.h.team.teamId, TEST_PROVIDER)
  if (!setup) throw new Error('the provider is not set up')
  return renewGrant(within, { app: setup.app, signal: undefined }, connector, held)
}
const stored = () => engine.store.live.grants.find(live.user_id, TEST_PROVIDER)
const refreshes = () => live.standIn.requests.filter(each => each.form.get('grant_type') === 'refresh_token')
const failureOf = (run: Promise<unknown>): Promise<ProviderError> =>
  run.then(
    () => Promise.reject(new Error('it was not refused')),
    error => error,
  )

describe('a token refresh', () => {
  it('stores the next token set before it is used', async () => {
    const renewed = await renew()
    expect(renewed).toMatchObject({ rev: 1, grantId: held.grantId })
    expect(renewed.grant.accessToken).toBe(live.standIn.grants[0]?.accessToken)
    expect(await currentGrant(engine, held)).toEqual(renewed)
    expect(await stored()).toMatchObject({ leasedBy: null, renewingSince: null })
  })

  it('uses a refresh token once, however many processes want it at once', async () => {
    const other = (await openHarness({ dataDir: live.h.dataDir })).engine.context
    live.standIn.fail({ path: /token/, delayMs: 150 })
    const renewed = await Promise.all([renew(), renew(other), renew(), renew(other)])
    expect(new Set(renewed.map(each => each.grant.accessToken)).size).toBe(1)
    expect(refreshes()).toHaveLength(1)
    expect(live.standIn.reuses).toBe(0)
    expect(await renew(), 'a stale grant is followed by the one that is stored').toEqual(renewed[0])
    expect(refreshes()).toHaveLength(1)
  })

  it('continues in another process that has watched a stopped process’s lease for its full duration', async () => {
    expect(await leaseFor('a process that was stopped', held)).toBe(true)
    live.h.time.ms += HOUR_MS
    const renewing = renew()
    await new Promise(resolve => setTimeout(resolve, 200))
    expect(refreshes(), 'it may have been taken just now by a process with another clock').toEqual([])
    live.h.time.ms += 2 * MINUTE_MS
    expect((await renewing).rev).toBe(1)
    expect(await engine.store.live.grants.renew(held, { ...(await lateStore()), rev: 0 })).toBe(false)
    expect((await currentGrant(engine, held)).rev).toBe(1)
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
        live.standIn.forget()
        live.standIn.fail({ path: /token/, delayMs: 300 })
        const renewing = renew(first)
        await expect.poll(() => refreshes()).toHaveLength(1)
        const renewed = await Promise.all([renew(second), renew(second), renewing])
        expect(new Set(renewed.map(each => each.grant.accessToken)).size).toBe(1)
        expect(refreshes()).toHaveLength(1)
        held = renewed[0]
      }
      expect(live.standIn.reuses).toBe(0)
    },
  )

  it('sends nothing under a lease that others may take over, after the process was suspended', async () => {
    const { grants } = engine.store.live
    let suspended = 0
    const store = storeWith({
      lease: async (...args) => {
        const isLeased = await grants.lease(...args)
        if (suspended++ === 0) live.h.time.ms += MINUTE_MS
        expect(refreshes()).toEqual([])
        return isLeased
      },
    })
    expect((await renew({ ...engine, store })).rev).toBe(1)
    expect(suspended).toBe(2)
    expect(refreshes()).toHaveLength(1)
  })

  it('with an unknown outcome is tried again, and loses nothing if the provider never received it', async () => {
    live.standIn.fail({ path: /token/, reset: 'before' })
    expect((await failureOf(renew())).kind).toBe('unavailable')
    expect(await stored()).toMatchObject({ leasedBy: null, rev: 0 })
    expect((await renew()).rev).toBe(1)
  })

  it('whose response was lost leaves a token set that only the person can replace', async () => {
    live.standIn.fail({ path: /token/, reset: 'after' })
    expect((await failureOf(renew())).kind).toBe('unavailable')
    const error = await failureOf(renew())
    expect([error.kind, error.message]).toEqual(['grant_lost', 'The provider refused to refresh the tokens.'])
  })

  it('continues when the caller leaves', async () => {
    const setup = await liveSetup(engine, live.h.team.teamId, TEST_PROVIDER)
    const controller = new AbortController()
    live.standIn.fail({ path: /token/, delayMs: 100 })
    const app = setup?.app
    const renewing = app && renewGrant(engine, { app, signal: controller.signal }, testConnector, held)
    await expect.poll(() => refreshes()).toHaveLength(1)
    controller.abort()
    await renewing
    expect((await currentGrant(engine, held)).grant.accessToken).toBe(live.standIn.grants[0]?.accessToken)
  })

  it('survives a busy store when the token set is to be stored', async () => {
    let refused = 0
    const store = storeWith({
      renew: (...args) => {
        if (refused++ < 2) return Promise.reject(new Error('busy'))
        return engine.store.live.grants.renew(...args)
      },
    })
    expect((await renew({ ...engine, store })).rev).toBe(1)
    expect(refused).toBe(3)
    expect((await currentGrant(engine, held)).grant.accessToken).toBe(live.standIn.grants[0]?.accessToken)
  })

  it('has no effect after the connection was removed', async () => {
    live.standIn.fail({ path: /token/, delayMs: 150 })
    const failing = failureOf(renew())
    await expect.poll(() => refreshes()).toHaveLength(1)
    await engine.store.connections.remove(live.user_id, TEST_PROVIDER)
    // the token set is kept for the revocation, and no connection has it
    await failing.catch(() => {})
    expect(await stored()).toBeNull()
    expect((await failureOf(renew())).kind).toBe('grant_lost')
  })
})

/** Returns the store with replaced calls to lease and refresh. */
function storeWith(parts: Partial<GrantStore>): EngineContext['store'] {
  const grants = Object.assign(Object.create(engine.store.live.grants), parts)
  const ofLive = Object.assign(Object.create(engine.store.live), { grants })
  return Object.assign(Object.create(engine.store), { live: ofLive })
}

function leaseFor(holder: string, key: GrantKey): Promise<boolean> {
  const now = live.h.time.ms
  return engine.store.live.grants.lease(key, { rev: 0, holder, insteadOf: null, now, until: now + MINUTE_MS })
}

/** Returns the data that a stopped process might still try to store. */
async function lateStore() {
  const record = await stored()
  if (!record) throw new Error('there is no grant')
  return { sealed: record.sealed, keyId: record.keyId, expiresAt: record.expiresAt }
}

describe('an unusable token set', () => {
  it('fails the connection with its event', async () => {
    const [grant] = live.standIn.grants
    if (grant) grant.isRevoked = true
    const error = await failureOf(renew())
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
    const [grant] = live.standIn.grants
    if (grant) grant.isRevoked = true
    let isStopped = false
    // its process is stopped as soon as it could record that the access is lost
    const store = storeWith({
      async release(...args) {
        await engine.store.live.grants.release(...args)
        isStopped = true
      },
    })
    expect((await failureOf(renew({ ...engine, store }))).kind).toBe('grant_lost')
    expect(isStopped).toBe(true)
    const other = (await openHarness({ dataDir: live.h.dataDir })).engine.context
    for (const process of [engine, other]) expect((await failureOf(renew(process))).kind).toBe('grant_lost')
    expect((await currentGrant(engine, held)).grant).toMatchObject({
      accessToken: held.grant.accessToken,
      refreshToken: null,
    })
    await live.h.call('user.disconnect', { params: { user_id: live.user_id, provider: TEST_PROVIDER } })
    await live.h.call('engine.run_due', {})
    expect(refreshes(), 'nor does the end of the access').toHaveLength(1)
  })

  it('is one that was refused while the store was busy', async () => {
    const [grant] = live.standIn.grants
    if (grant) grant.isRevoked = true
    let busy = 0
    const store = storeWith({
      release: (...args) =>
        busy++ < 2 ? Promise.reject(new Error('busy')) : engine.store.live.grants.release(...args),
    })
    expect((await failureOf(renew({ ...engine, store }))).kind).toBe('grant_lost')
    expect((await failureOf(renew())).kind).toBe('grant_lost')
    expect(refreshes()).toHaveLength(1)
  })

  it('is one that was encrypted with another master key, or taken from another connection', async () => {
    const other = { ...engine, masterKey: () => Buffer.alloc(32, 7) }
    const error = await failureOf(currentGrant(other, held))
    expect([error.kind, error.message]).toEqual(['grant_lost', expect.stringContaining('master key')])
    const stolen = { ...held, userId: (await anotherUser()).user_id }
    expect((await failureOf(currentGrant(engine, stolen))).kind).toBe('grant_lost')
  })

  it('is also a missing one', async () => {
    await engine.store.live.grants.remove(held)
    expect((await failureOf(currentGrant(engine, held))).kind).toBe('grant_lost')
  })
})

/** Returns a user whose token set was replaced by the first user's. */
async function anotherUser() {
  const other = await live.h.call('user.create', { body: { client_user_id: 'grace' } })
  await live.link(await live.newToken(other.user_id))
  const key = { userId: other.user_id, provider: TEST_PROVIDER, grantId: '' }
  const own = await engine.store.live.grants.find(other.user_id, TEST_PROVIDER)
  const target = { ...key, grantId: own?.grantId ?? '' }
  await engine.store.live.grants.renew(target, { ...(await lateStore()), rev: 0 })
  return other
}
