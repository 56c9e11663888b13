/** The cost of a transaction on PostgreSQL, conflicts with another one, and the order of events. */
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import type { EventQuery } from '../../../src/store/event.ts'
import type { Store } from '../../../src/store/port.ts'
import { openHarness } from '../../kit/harness.ts'
import { IS_ON_POSTGRES } from '../../kit/postgres/database.ts'
import { until } from '../../kit/until.ts'
import { buildPush, MINUTE, START } from './pushes.ts'

async function withUsers(count: number) {
  const svc = await openHarness()
  const { call, engine, team, settled: placed } = svc
  const users: UserId[] = []
  for (let i = 0; i < count; i++)
    users.push((await call('user.create', { body: { client_user_id: `user-${i}` } })).user_id)
  const store: Store = engine.context.store
  const every: EventQuery = {
    teamId: team.teamId,
    userId: null,
    types: ['daily.data.*'],
    since: null,
    until: null,
    state: null,
    endpointId: null,
    order: 'asc',
    after: null,
    limit: 1_000,
  }
  return { svc, store, team, users, placed, every }
}

describe.skipIf(!IS_ON_POSTGRES)('a push on PostgreSQL', () => {
  it('takes two round trips, whether its day is new or already has samples', async () => {
    const { store, team, users, placed } = await withUsers(1)
    const user = users[0] as UserId
    // the first one creates the series, whose number no process knows before
    await store.data.write(user, buildPush(team.teamId, [0]))
    for (const minutes of [[1], [2, 3, 4], [5 * 1_440, 5 * 1_440 + 1], [6, 6 * 1_440, 7 * 1_440]]) {
      await store.data.write(user, buildPush(team.teamId, minutes))
      await placed()
      const before = store.upkeep.wire()?.roundTrips ?? 0
      await store.data.write(user, buildPush(team.teamId, minutes))
      expect((store.upkeep.wire()?.roundTrips ?? 0) - before).toBe(2)
    }
  })

  it('to one user by several processes at once loses nothing', async () => {
    const { store, team, users } = await withUsers(1)
    const user = users[0] as UserId
    const pushes = Array.from({ length: 60 }, (_, i) =>
      store.data.write(user, buildPush(team.teamId, [i * 3, i * 3 + 1])),
    )
    await Promise.all(pushes)
    const query = { resource: 'heartrate', provider: null, from: START, to: START + 1_440 * MINUTE }
    let n = 0
    for await (const { columns } of store.samples.scan(user, query)) n += columns.n
    expect(n).toBe(120)
    expect(await store.events.lastOfUser(user)).toBe(60)
  })
})

describe.skipIf(!IS_ON_POSTGRES)('the byte count on PostgreSQL', () => {
  it('stays exact while limits are set and removed during pushes', async () => {
    const { svc, store, team, users } = await withUsers(4)
    const limit = (max_bytes: number | null) =>
      svc.call('team.update', { params: { team_id: team.teamId }, body: { max_bytes } })
    let isWriting = true
    const writers = users.map(async user => {
      for (let i = 0; isWriting; i++) await store.data.write(user, buildPush(team.teamId, [i * 7, i * 7 + 1]))
    })
    for (let i = 0; i < 4; i++) {
      await limit(1e12)
      expect((await svc.call('engine.check', {})).problems).toEqual([])
      if (i < 3) await limit(null)
    }
    isWriting = false
    await Promise.all(writers)
    expect((await svc.call('engine.check', {})).problems).toEqual([])
    const counted = (await svc.call('team.list', {})).teams[0]?.stored_bytes
    await limit(null)
    expect((await limit(1e12)).stored_bytes).toBe(counted)
  })

  it('costs no statement after the last limit was removed', async () => {
    const { svc, store, team, users } = await withUsers(1)
    const user = users[0] as UserId
    const limit = (max_bytes: number | null) =>
      svc.call('team.update', { params: { team_id: team.teamId }, body: { max_bytes } })
    await store.data.write(user, buildPush(team.teamId, [0]))
    let day = 0
    const statementsOfPush = async (): Promise<number> => {
      const before = store.upkeep.wire()?.statements ?? 0
      await store.data.write(user, buildPush(team.teamId, [++day * 1_440]))
      return (store.upkeep.wire()?.statements ?? 0) - before
    }
    const usual = await statementsOfPush()
    await limit(1e12)
    expect(await statementsOfPush()).toBeGreaterThan(usual)
    await limit(null)
    expect(await statementsOfPush()).toBe(usual)
  })
})

describe.skipIf(!IS_ON_POSTGRES)('the order of events on PostgreSQL', () => {
  it('shows every event once to a reader that follows while others write, and keeps each user’s order', async () => {
    const { store, team, users, every } = await withUsers(5)
    const seen: string[] = []
    let isWriting = true
    const follow = async () => {
      let after: EventQuery['after'] = null
      for (;;) {
        const wasWriting = isWriting
        const page = await store.events.list({ ...every, after })
        for (const { event } of page) {
          seen.push(`${event.userId} ${event.sequence}`)
          after = { arrival: event.arrival, sequence: event.sequence }
        }
        if (page.length === 0 && !wasWriting && seen.length >= 200) return
      }
    }
    const tail = follow()
    const writers = users.map(async (user, k) => {
      for (let i = 0; i < 40; i++) await store.data.write(user, buildPush(team.teamId, [k + i * 10]))
    })
    await Promise.all(writers)
    isWriting = false
    await tail
    expect(new Set(seen).size).toBe(200)
    expect(seen).toHaveLength(200)
    for (const user of users) {
      const numbers = seen.filter(each => each.startsWith(user)).map(each => Number(each.split(' ')[1]))
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b))
    }
  })

  it('shows an event soon after its commit, in lists of the team and of the user', async () => {
    const { store, team, users, every } = await withUsers(1)
    const user = users[0] as UserId
    await store.data.write(user, buildPush(team.teamId, [0]))
    await until(async () => (await store.events.list(every)).length === 1, { everyMs: 1 })
    expect(await store.events.list({ ...every, userId: user })).toEqual(await store.events.list(every))
    const [listed] = await store.events.list(every)
    expect(await store.events.end(team.teamId, user)).toMatchObject({ sequence: listed?.event.sequence })
  })
})
