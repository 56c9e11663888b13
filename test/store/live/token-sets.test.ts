/**
 * OAuth apps, token sets and links in the store: the right to refresh a token set, and the effects of a link, a disconnect and a deletion.
 */
import { describe, expect, it } from 'vitest'
import type { TokenSetRecord } from '../../../src/store/live/token-sets.ts'
import type { Store } from '../../../src/store/port.ts'
import { storeWithUser, TEAM, USER, writing } from '../user-store.ts'
import { AT, buildOAuthApp, buildProgress, KEY, link, linkedStore, MINUTE, NOW, PROVIDER } from './live-store.ts'

const find = async (store: Store): Promise<TokenSetRecord> => {
  const tokenSet = await store.live.tokenSets.find(USER, PROVIDER)
  if (tokenSet === null) throw new Error('there is no active grant')
  return tokenSet
}
const lease = (rev: number, holder: string, insteadOf: string | null = null) => ({
  rev,
  holder,
  insteadOf,
  now: NOW,
  until: NOW + MINUTE,
})
const refreshed = (rev: number, text: string) => ({
  rev,
  sealed: Buffer.from(text),
  keyId: 'key',
  expiresAt: NOW + 120 * MINUTE,
})
const findConnection = async (store: Store) => (await store.connections.ofUsers([USER])).get(USER)?.[0]
const simulatedLink = (store: Store) =>
  store.links.connect(
    USER,
    writing([], {
      connections: [
        {
          userId: USER,
          provider: PROVIDER,
          createdOn: AT,
          externalUserId: null,
          region: null,
          link: { scopes: null, isDemo: false },
        },
      ],
    }),
    { onlyUserOf: null },
  )

describe('an OAuth app', () => {
  it('is stored, replaced and listed unchanged', async () => {
    const store = await storeWithUser()
    const oauthApp = buildOAuthApp({
      redirectUrl: 'http://localhost:8484/callback',
      settings: { host: 'eu' },
      keepsRaw: true,
    })
    await store.live.oauthApps.put(buildOAuthApp())
    await store.live.oauthApps.put(oauthApp)
    const found = await store.live.oauthApps.find(TEAM, PROVIDER)
    expect({ ...found, sealed: Buffer.from(found?.sealed ?? []) }).toEqual(oauthApp)
    expect((await store.live.oauthApps.list(null)).map(each => each.provider)).toEqual([PROVIDER])
    expect(await store.live.oauthApps.find(TEAM, 'polar')).toBeNull()
    await store.close()
  })

  it('is removed only without live connections', async () => {
    const store = await linkedStore()
    expect(await store.live.oauthApps.remove(TEAM, PROVIDER)).toBe(1)
    expect(await store.live.oauthApps.find(TEAM, PROVIDER)).not.toBeNull()
    await store.connections.remove(USER, PROVIDER)
    expect(await store.live.oauthApps.remove(TEAM, PROVIDER)).toBe(0)
    expect(await store.live.oauthApps.remove(TEAM, PROVIDER)).toBeNull()
    await expect(link(store)).rejects.toMatchObject({ code: 'conflict' })
    await store.close()
  })
})

describe('a live link', () => {
  it('stores the token set with the connection, which is due at once', async () => {
    const store = await linkedStore()
    expect(await findConnection(store)).toMatchObject({ provider: PROVIDER, isLive: true, status: 'connected' })
    const tokenSet = await find(store)
    expect(tokenSet).toMatchObject({ grantId: 'grant-1', state: 'active', rev: 0, leasedBy: null, renewingSince: null })
    expect(Buffer.from(tokenSet.sealed).toString()).toBe('sealed-grant-1')
    expect(await store.live.pulls.due(NOW, null, 10)).toEqual([KEY])
    expect(await store.live.pulls.find(KEY)).toMatchObject({
      linkedAt: NOW,
      announced: [],
      progress: { sleep: buildProgress() },
    })
    await store.close()
  })

  it('replaces the previous token set, which is then to be revoked', async () => {
    const store = await linkedStore()
    await link(store, 'grant-2')
    expect((await find(store)).grantId).toBe('grant-2')
    const [former, ...more] = await store.live.tokenSets.revoking(Date.now(), null, 10)
    expect(former).toMatchObject({ grantId: 'grant-1', state: 'revoking', tries: 0 })
    expect(more).toEqual([])
    await store.live.tokenSets.retry({ ...KEY, grantId: 'grant-1' }, Date.now() + MINUTE)
    expect(await store.live.tokenSets.revoking(Date.now(), [USER], 10)).toEqual([])
    expect(await store.live.tokenSets.revoking(Date.now() + MINUTE, [USER], 10)).toMatchObject([{ tries: 1 }])
    await store.live.tokenSets.remove({ ...KEY, grantId: 'grant-1' })
    expect(await store.live.tokenSets.revoking(Date.now() + MINUTE, null, 10)).toEqual([])
    await store.close()
  })

  it('ends with a simulated link, a disconnect or a deletion, and its token set is to be revoked', async () => {
    const endings: readonly ((store: Store) => Promise<unknown>)[] = [
      simulatedLink,
      store => store.connections.remove(USER, PROVIDER),
      store => store.users.delete(TEAM, USER, AT, AT + MINUTE),
    ]
    for (const end of endings) {
      const store = await linkedStore()
      await end(store)
      expect(await store.live.pulls.find(KEY)).toBeNull()
      expect(await store.live.pulls.due(NOW, null, 10)).toEqual([])
      expect(await store.live.tokenSets.find(USER, PROVIDER)).toBeNull()
      expect(await store.live.tokenSets.revoking(Date.now(), null, 10)).toHaveLength(1)
      expect((await findConnection(store))?.isLive ?? false).toBe(false)
      await store.close()
    }
  })

  it('is not due while its connection is in error or paused, and due again after a new link', async () => {
    const store = await linkedStore()
    await store.connections.fail(TEAM, USER, PROVIDER, { type: 'token_refresh_failed', message: 'm', at: AT })
    expect(await store.live.pulls.due(NOW, null, 10)).toEqual([])
    await store.live.pulls.hasten(KEY, null, NOW)
    expect(await store.live.pulls.due(NOW, null, 10)).toEqual([])
    await link(store, 'grant-2')
    expect(await store.live.pulls.due(NOW, null, 10)).toEqual([KEY])
    await store.users.patch(TEAM, USER, { ingestionEnd: '2026-01-01' } as never, AT)
    expect(await store.connections.pause(USER, NOW)).toBe(true)
    expect(await store.live.pulls.due(NOW, [USER], 10)).toEqual([])
    await store.close()
  })
})

describe('a lease on a token set', () => {
  it('goes to one of two processes, and ends when the next token set is stored', async () => {
    const store = await linkedStore()
    const { tokenSets } = store.live
    const key = { ...KEY, grantId: 'grant-1' }
    const taken = await Promise.all(['a', 'b'].map(holder => tokenSets.lease(key, lease(0, holder))))
    expect([...taken].sort()).toEqual([false, true])
    const [holder] = taken[0] ? ['a'] : ['b']
    expect(await tokenSets.lease(key, lease(0, holder as string))).toBe(false)
    expect((await find(store)).renewingSince).toBe(NOW)
    expect(await tokenSets.refresh(key, refreshed(1, 'after another'))).toBe(false)
    expect(await tokenSets.refresh(key, refreshed(0, 'next pair'))).toBe(true)
    const isStored = await find(store)
    expect(isStored).toMatchObject({ rev: 1, leasedBy: null, renewingSince: null, expiresAt: NOW + 120 * MINUTE })
    expect(Buffer.from(isStored.sealed).toString()).toBe('next pair')
    // a process that read the token set before the refresh does not refresh it again
    expect(await tokenSets.lease(key, lease(0, 'b'))).toBe(false)
    expect(await tokenSets.lease(key, lease(1, 'b'))).toBe(true)
    await store.close()
  })

  it('can be taken over only with knowledge of its holder, whatever a clock says', async () => {
    const store = await linkedStore()
    const { tokenSets } = store.live
    const key = { ...KEY, grantId: 'grant-1' }
    await tokenSets.lease(key, lease(0, 'a'))
    const late = { now: NOW + 60 * MINUTE, until: NOW + 61 * MINUTE }
    expect(await tokenSets.lease(key, { ...lease(0, 'b'), ...late })).toBe(false)
    expect(await tokenSets.lease(key, lease(0, 'b', 'c'))).toBe(false)
    expect(await tokenSets.lease(key, lease(0, 'b', 'a'))).toBe(true)
    expect(await tokenSets.lease(key, lease(0, 'c', 'a')), 'of two, one takes it over').toBe(false)
    await tokenSets.release(key, 'a')
    expect((await find(store)).leasedBy).toBe('b')
    await tokenSets.release(key, 'b')
    expect(await find(store)).toMatchObject({ leasedBy: null, renewingSince: null, rev: 0 })
    await store.close()
  })

  it('that was taken over loses no token set, and the first one counts', async () => {
    const store = await linkedStore()
    const { tokenSets } = store.live
    const key = { ...KEY, grantId: 'grant-1' }
    await tokenSets.lease(key, lease(0, 'a'))
    await tokenSets.lease(key, lease(0, 'b', 'a'))
    expect(await tokenSets.refresh(key, refreshed(0, 'of a, which was slow'))).toBe(true)
    expect(await tokenSets.refresh(key, refreshed(0, 'of b'))).toBe(false)
    expect(Buffer.from((await find(store)).sealed).toString()).toBe('of a, which was slow')
    await store.close()
  })

  it('that ends with a refusal stores the holder’s outcome, and a token set that still arrives counts', async () => {
    const store = await linkedStore()
    const { tokenSets } = store.live
    const key = { ...KEY, grantId: 'grant-1' }
    const left = (text: string) => ({ sealed: Buffer.from(text), keyId: 'key-1' })
    await tokenSets.lease(key, lease(0, 'a'))
    await tokenSets.release(key, 'b', left('of another'))
    expect(Buffer.from((await find(store)).sealed).toString()).not.toBe('of another')
    await tokenSets.release(key, 'a', left('without its refresh token'))
    const refused = await find(store)
    expect(refused).toMatchObject({ leasedBy: null, renewingSince: null, rev: 0, state: 'active' })
    expect(Buffer.from(refused.sealed).toString()).toBe('without its refresh token')
    // a process that was suspended with the response has the only valid token set
    expect(await tokenSets.refresh(key, refreshed(0, 'next pair'))).toBe(true)
    expect(Buffer.from((await find(store)).sealed).toString()).toBe('next pair')
    await store.close()
  })

  it('outlives a disconnect, so that the newest token set is revoked', async () => {
    const store = await linkedStore()
    const { tokenSets } = store.live
    const key = { ...KEY, grantId: 'grant-1' }
    const now = Date.now()
    await tokenSets.lease(key, { ...lease(0, 'a'), until: now + MINUTE })
    await store.connections.remove(USER, PROVIDER)
    expect(await tokenSets.revoking(now, null, 10)).toEqual([])
    expect(await tokenSets.refresh(key, refreshed(0, 'newest'))).toBe(true)
    const [tokenSet] = await tokenSets.revoking(Date.now(), null, 10)
    expect(Buffer.from(tokenSet?.sealed ?? []).toString()).toBe('newest')
    // it may be refreshed once more, to be revoked with a valid token
    expect(await tokenSets.lease(key, lease(1, 'b'))).toBe(true)
    await store.close()
  })
})
