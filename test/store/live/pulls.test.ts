/** The right to pull a live connection, and when it is due. */
import { describe, expect, it } from 'vitest'
import { hashSecret, type TeamId, type UserId } from '../../../src/core/ids.ts'
import { TEAM, USER } from '../user-store.ts'
import { buildOAuthApp, buildPage, buildProgress, KEY, link, linkedStore, MINUTE, NOW, PROVIDER } from './live-store.ts'

const lease = (holder: string, now = NOW) => ({ holder, now, until: now + MINUTE })

describe('a lease on a live connection', () => {
  it('goes to one of two processes, and can be extended by the same one', async () => {
    const store = await linkedStore()
    const { pulls } = store.live
    const [a, b] = await Promise.all(['a', 'b'].map(holder => pulls.lease(KEY, lease(holder))))
    expect([a === null, b === null].sort()).toEqual([false, true])
    const holder = a === null ? 'b' : 'a'
    expect(await pulls.due(NOW, null, 10)).toEqual([])
    expect(await pulls.lease(KEY, lease(holder, NOW + 1))).toMatchObject({ leasedUntil: NOW + 1 + MINUTE })
    await pulls.release(KEY, 'somebody')
    expect((await pulls.find(KEY))?.leasedBy).toBe(holder)
    await pulls.release(KEY, holder)
    expect(await pulls.due(NOW, null, 10)).toEqual([KEY])
    await store.close()
  })

  it('expires, and its former holder then writes nothing', async () => {
    const store = await linkedStore()
    const { pulls } = store.live
    await pulls.lease(KEY, lease('a'))
    expect(await pulls.due(NOW + MINUTE, [USER], 10)).toEqual([KEY])
    expect(await pulls.lease(KEY, lease('b', NOW + MINUTE))).not.toBeNull()
    expect(await pulls.note(KEY, { holder: 'a', progress: {}, dueAt: null })).toBe(false)
    expect(await pulls.bring(KEY, buildPage([], { holder: 'a' }))).toEqual({ kind: 'lost' })
    await store.close()
  })
})

describe('a connection that is made due', () => {
  const idle = {
    sleep: buildProgress({ dueAt: NOW + 60 * MINUTE }),
    heartrate: buildProgress({ dueAt: NOW + 30 * MINUTE }),
  }

  it('is due at once with the given collections', async () => {
    const store = await linkedStore()
    const { pulls } = store.live
    await pulls.lease(KEY, lease('a'))
    expect(await pulls.note(KEY, { holder: 'a', progress: idle, dueAt: NOW + 30 * MINUTE })).toBe(true)
    await pulls.release(KEY, 'a')
    expect(await pulls.due(NOW, null, 10)).toEqual([])
    await pulls.hasten(KEY, ['unknown'], NOW)
    expect(await pulls.due(NOW, null, 10)).toEqual([])
    await pulls.hasten(KEY, ['sleep'], NOW)
    expect(await pulls.due(NOW, null, 10)).toEqual([KEY])
    const { progress } = (await pulls.find(KEY)) ?? {}
    expect([progress?.['sleep']?.dueAt, progress?.['heartrate']?.dueAt]).toEqual([NOW, NOW + 30 * MINUTE])
    await store.close()
  })

  it.each(['release', 'kill'])('stays due if another process pulls meanwhile: %s', async end => {
    const store = await linkedStore()
    const { pulls } = store.live
    await pulls.lease(KEY, lease('a'))
    await pulls.hasten(KEY, ['sleep'], NOW + 1)
    // the data being pulled may have been read before
    const follows = () => ({ dueAt: NOW + 30 * MINUTE, completed: [] })
    await pulls.bring(KEY, buildPage([], { holder: 'a', progress: idle.sleep, follows }))
    await pulls.note(KEY, { holder: 'a', progress: idle, dueAt: NOW + 30 * MINUTE })
    if (end === 'release') await pulls.release(KEY, 'a')
    expect(await pulls.due(NOW + MINUTE, null, 10)).toEqual([KEY])
    const next = await pulls.lease(KEY, lease('b', NOW + MINUTE))
    expect(next?.progress['sleep']?.dueAt).toBe(NOW + 1)
    expect(next?.progress['heartrate']?.dueAt).toBe(NOW + 30 * MINUTE)
    await store.close()
  })
})

describe('live connections', () => {
  it('are found by their account, listed by user, and counted', async () => {
    const store = await linkedStore()
    const { pulls } = store.live
    expect(await pulls.userOfAccount(TEAM, PROVIDER, 'account of grant-1')).toBe(USER)
    expect(await pulls.userOfAccount(TEAM, PROVIDER, 'another')).toBeNull()
    expect(await pulls.userOfAccount(TEAM, 'polar', 'account of grant-1')).toBeNull()
    expect((await pulls.list(TEAM, PROVIDER, null, 10)).map(({ userId }) => userId)).toEqual([USER])
    expect(await pulls.list(TEAM, null, KEY, 10)).toEqual([])
    expect(await pulls.list(TEAM, PROVIDER, KEY, 10)).toEqual([])
    const notificationId = hashSecret('n')
    await store.live.notifications.add([
      {
        ...{ teamId: TEAM, provider: PROVIDER, notificationId, receivedAt: NOW, dueAt: NOW },
        tries: 0,
        sealed: Buffer.from('n'),
      },
    ])
    const figures = {
      teamId: TEAM,
      provider: PROVIDER,
      connections: 1,
      inError: 0,
      inHistory: 1,
      lastPullAt: null,
      nextPullAt: NOW + 5,
      waitingNotifications: 1,
    }
    expect(await pulls.figures(TEAM, NOW + 5)).toEqual([figures])
    await pulls.lease(KEY, lease('a'))
    const progress = buildProgress({ isComplete: true, lastPullAt: NOW + 7 })
    await pulls.note(KEY, { holder: 'a', progress: { sleep: progress }, dueAt: NOW + 9 })
    await store.connections.fail(TEAM, USER, PROVIDER, { type: 't', message: 'm', at: NOW })
    const [now] = await pulls.figures(null, NOW)
    expect(now).toEqual({ ...figures, inError: 1, inHistory: 0, lastPullAt: NOW + 7, nextPullAt: null })
    await store.close()
  })

  it('keep the person’s subscriptions, across a new link', async () => {
    const store = await linkedStore()
    const state = { remoteId: 'r', expiresAt: null, dueAt: NOW, failures: 0, lastError: null }
    await store.live.pulls.subscribed(KEY, { sleep: state })
    await link(store, 'grant-2')
    expect((await store.live.pulls.find(KEY))?.subscriptions).toEqual({ sleep: state })
    expect(await store.live.pulls.ofUser(USER)).toHaveLength(1)
    await store.close()
  })
})

describe('due connections', () => {
  it('are listed by team in turn, so that no team fills the list', async () => {
    const store = await linkedStore()
    const idOf = (n: number) => `33333333-3333-4333-8333-00000000000${n}` as UserId
    const other = '44444444-4444-4444-8444-444444444444' as TeamId
    const key0 = { keyId: 'key-1', teamId: other, hash: 'ab'.repeat(32), prefix: 'sk', label: '', isOperator: false }
    const times = { createdOn: 0, lastUsedAt: null, revokedAt: null }
    await store.teams.create({ teamId: other, name: 'other', createdOn: 0 }, { ...key0, ...times })
    await store.live.oauthApps.put(buildOAuthApp({ teamId: other }))
    for (const [n, teamId] of [TEAM, TEAM, TEAM, other].entries()) {
      const userId = idOf(n)
      await store.users.create({
        userId,
        teamId,
        clientUserId: `person-${n}`,
        createdOn: 0,
        fallbackTimeZone: null,
        fallbackBirthDate: null,
        ingestionStart: null,
        ingestionEnd: null,
        deletedAt: null,
      })
      await link(store, `grant-of-${n}`, { userId, teamId })
    }
    // the other team's connection is due last
    const key = { userId: idOf(3), provider: PROVIDER }
    await store.live.pulls.lease(key, { holder: 'a', now: NOW, until: NOW + MINUTE })
    await store.live.pulls.note(key, { holder: 'a', progress: {}, dueAt: NOW + MINUTE })
    await store.live.pulls.release(key, 'a')
    const due = await store.live.pulls.due(NOW + MINUTE, null, 2)
    expect(due[1]).toEqual(key)
    expect(await store.live.pulls.due(NOW + MINUTE, null, 10)).toHaveLength(5)
    await store.close()
  })
})
