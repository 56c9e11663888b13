/** Notifications and subscriptions in the store. */
import { describe, expect, it } from 'vitest'
import type { TeamId } from '../../../src/core/ids.ts'
import type { NotificationRecord } from '../../../src/store/live/notifications.ts'
import { TEAM, USER } from '../user-store.ts'
import { linkedStore, MINUTE, NOW, PROVIDER } from './live-store.ts'

const notification = (notificationId: string, more: Partial<NotificationRecord> = {}): NotificationRecord => ({
  teamId: TEAM,
  provider: PROVIDER,
  notificationId,
  receivedAt: NOW,
  dueAt: NOW,
  tries: 0,
  sealed: Buffer.from(`event ${notificationId}`),
  ...more,
})
const listIds = (found: readonly NotificationRecord[]) => found.map(({ notificationId }) => notificationId)

describe('notifications', () => {
  it('are stored once, however often and by however many processes they are received', async () => {
    const store = await linkedStore()
    const { notifications } = store.live
    const some = [notification('a'), notification('b', { dueAt: NOW + 1 })]
    const added = await Promise.all([notifications.add(some), notifications.add([...some, notification('c')])])
    expect(added.reduce((sum, n) => sum + n)).toBe(3)
    expect(listIds(await notifications.due(NOW + 1, null, 10))).toHaveLength(3)
    expect(listIds(await notifications.due(NOW, TEAM, 10)).sort()).toEqual(['a', 'c'])
    await store.close()
  })

  it('are recognized for a week after they were processed, without their content', async () => {
    const store = await linkedStore()
    const { notifications } = store.live
    await notifications.add([notification('a'), notification('b')])
    await notifications.settle([notification('a')], NOW + 5)
    expect(listIds(await notifications.due(NOW, null, 10))).toEqual(['b'])
    expect(await notifications.add([notification('a')])).toBe(0)
    expect(await notifications.removeOld(NOW + 5)).toBe(0)
    expect(await notifications.removeOld(NOW + 6)).toBe(1)
    expect(await notifications.add([notification('a')])).toBe(1)
    await store.close()
  })

  it('take turns by team and provider, so that an unreachable provider delays no others', async () => {
    const store = await linkedStore()
    const { notifications } = store.live
    const many = Array.from({ length: 30 }, (_, i) => notification(`a${String(i).padStart(2, '0')}`))
    const ofOthers = [
      notification('another provider', { receivedAt: NOW + 1, dueAt: NOW + 1, provider: 'withings' }),
      notification('another team', { receivedAt: NOW + 2, dueAt: NOW + 2, teamId: 'another-team' as TeamId }),
    ]
    await notifications.add([...many, ...ofOthers])
    expect(listIds(await notifications.due(NOW + 2, null, 4))).toEqual([
      'a00',
      'another provider',
      'another team',
      'a01',
    ])
    expect(await notifications.due(NOW + 2, null, 100)).toHaveLength(32)
    await store.close()
  })

  it('are due again later after a failure', async () => {
    const store = await linkedStore()
    const { notifications } = store.live
    await notifications.add([notification('a')])
    await notifications.retry(notification('a'), NOW + MINUTE)
    expect(await notifications.due(NOW, null, 10)).toEqual([])
    const [again] = await notifications.due(NOW + MINUTE, null, 10)
    expect(again).toMatchObject({ tries: 1, dueAt: NOW + MINUTE })
    expect(Buffer.from(again?.sealed ?? []).toString()).toBe('event a')
    await store.close()
  })
})

describe('subscriptions', () => {
  it('are replaced by name, listed, due and removed, also together with their OAuth app', async () => {
    const store = await linkedStore()
    const { subscriptions, oauthApps } = store.live
    const subscription = {
      ...{ teamId: TEAM, provider: PROVIDER, name: 'update:sleep', remoteId: 'r1', expiresAt: NOW + MINUTE },
      ...{ dueAt: NOW, failures: 0, lastError: null, sealed: null },
    }
    await subscriptions.put({ ...subscription, remoteId: 'r0' })
    await subscriptions.put(subscription)
    await subscriptions.put({ ...subscription, name: 'update:workout', dueAt: null })
    expect(await subscriptions.due(NOW, 10)).toEqual([subscription])
    expect((await subscriptions.list(TEAM, PROVIDER)).map(({ name }) => name)).toEqual([
      'update:sleep',
      'update:workout',
    ])
    await subscriptions.remove(TEAM, PROVIDER, 'update:workout')
    expect(await subscriptions.list(TEAM, PROVIDER)).toEqual([subscription])
    await store.live.notifications.add([notification('a')])
    await store.connections.remove(USER, PROVIDER)
    expect(await oauthApps.remove(TEAM, PROVIDER)).toBe(0)
    expect(await subscriptions.list(TEAM, PROVIDER)).toEqual([])
    expect(await store.live.notifications.due(NOW, null, 10)).toEqual([])
    await store.close()
  })
})
