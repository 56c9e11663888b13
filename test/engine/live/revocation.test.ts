/** The end of access at a live provider: after a disconnect and before a purge, now or later. */
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/core/time.ts'
import { revokeDue } from '../../../src/engine/live/revoke.ts'
import { TEST_PROVIDER } from '../../providers/test-connector.ts'
import { type LiveHarness, openLive } from './live-harness.ts'

vi.mock('../../../src/connectors/live/live-connectors.ts', () => import('./live-connectors.ts'))

let live: LiveHarness

beforeEach(async () => {
  live = await openLive()
  await live.link()
})

const disconnect = () => live.h.call('user.disconnect', { params: { user_id: live.user_id, provider: TEST_PROVIDER } })
const waiting = () => live.h.engine.context.store.live.tokenSets.revoking(Number.MAX_SAFE_INTEGER, [live.user_id], 10)
const isRevoked = () => live.fake.tokenSets.map(each => each.isRevoked)
const revoke = () => revokeDue(live.h.engine.context, null, undefined)
const tries = () => live.fake.requests.filter(each => each.path === '/access').length

describe('a disconnect', () => {
  it('revokes the access at the provider', async () => {
    expect(await disconnect()).toEqual({ success: true })
    expect(isRevoked()).toEqual([true])
    expect(await waiting()).toEqual([])
  })

  it('refreshes an expired access token, because the provider requires a valid one', async () => {
    live.h.time.ms += 2 * HOUR_MS
    await disconnect()
    expect(isRevoked()).toEqual([true])
    expect(live.fake.tokenSets[0]?.refreshes).toBe(1)
  })

  it('succeeds even if the provider fails, with retries at growing intervals', async () => {
    live.fake.fail({ path: /access/, status: 403, times: 3 })
    expect(await disconnect()).toEqual({ success: true })
    expect(await waiting()).toMatchObject([{ state: 'revoking', tries: 1, dueAt: live.h.time.ms + MINUTE_MS }])
    expect(await revoke(), 'nothing is due yet').toBe(0)
    live.h.time.ms += MINUTE_MS
    await revoke()
    expect(await waiting()).toMatchObject([{ tries: 2, dueAt: live.h.time.ms + 4 * MINUTE_MS }])
    live.h.time.ms += 20 * MINUTE_MS
    await revoke()
    live.h.time.ms += 20 * MINUTE_MS
    expect(await revoke()).toBe(1)
    expect(isRevoked()).toEqual([true])
    expect(await waiting()).toEqual([])
  })

  it('is no longer retried after a week', async () => {
    live.fake.fail({ path: /access/, status: 403, times: 1_000 })
    const began = live.h.time.ms
    await disconnect()
    while ((await waiting()).length > 0) {
      live.h.time.ms += HOUR_MS
      await revoke()
    }
    expect((live.h.time.ms - began) / DAY_MS).toBeGreaterThan(6)
    expect((live.h.time.ms - began) / DAY_MS).toBeLessThan(7.5)
    expect(tries()).toBeLessThan(30)
  })

  it('does nothing for access that has already ended', async () => {
    const [tokenSet] = live.fake.tokenSets
    if (tokenSet) tokenSet.isRevoked = true
    await disconnect()
    expect(await waiting()).toEqual([])
  })
})

it('a second link does not revoke the access of the same account', async () => {
  await live.link()
  await revoke()
  expect(isRevoked()).toEqual([false, false])
  expect(await waiting()).toEqual([])
})

describe('a purge', () => {
  const purge = async () => {
    await live.h.call('user.delete', { params: { user_id: live.user_id } })
    live.h.time.ms += 8 * DAY_MS
    return live.h.call('engine.run_due', {})
  }

  it('revokes the access first', async () => {
    expect((await purge()).ran).toContainEqual({ kind: 'purge', count: 1 })
    expect(isRevoked()).toEqual([true])
    expect(await waiting()).toEqual([])
  })

  it('does not fail if the provider does', async () => {
    live.fake.fail({ path: /access|token/, status: 403, times: 10 })
    expect((await purge()).ran).toContainEqual({ kind: 'purge', count: 1 })
    expect(await waiting()).toEqual([])
  })
})

describe('a reset', () => {
  const reset = () => live.h.call('engine.reset', { body: { confirm: 'reset' } })
  const secondPerson = async () => {
    const { user_id } = await live.h.call('user.create', { body: { client_user_id: 'grace' } })
    live.fake.consent = { account: 'person-2' }
    await live.link(await live.newToken(user_id))
  }

  it('revokes the access first, also for a connection that waits for revocation', async () => {
    await secondPerson()
    live.fake.fail({ path: /access/, status: 403 })
    await disconnect()
    expect(isRevoked()).toEqual([false, false])
    expect(await reset()).toMatchObject({ users_before: 2, users_after: 0, not_revoked: 0 })
    expect(isRevoked()).toEqual([true, true])
    expect(await waiting()).toEqual([])
  })

  it('reports how many accesses could not be revoked, and is done nevertheless', async () => {
    await secondPerson()
    live.fake.fail({ path: /access/, status: 403 })
    expect(await reset()).toMatchObject({ users_after: 0, not_revoked: 1 })
    expect(isRevoked().filter(Boolean)).toHaveLength(1)
  })

  it('does nothing for access that has already ended, or for a store without live providers', async () => {
    for (const tokenSet of live.fake.tokenSets) tokenSet.isRevoked = true
    expect(await reset()).toMatchObject({ not_revoked: 0 })
    const before = tries()
    expect(await reset()).toMatchObject({ not_revoked: 0 })
    expect(tries()).toBe(before)
  })
})
