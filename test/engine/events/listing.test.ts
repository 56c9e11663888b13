/** Lists of events: in order of arrival, filtered, page by page, and followed as they arrive. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { heart, openTeam, type Team } from './team.ts'

let team: Team
let other: UserId

beforeEach(async () => {
  team = await openTeam()
  other = (await team.h.call('user.create', { body: { client_user_id: 'bo' } })).user_id as UserId
  await team.endpoint('hearts', ['daily.data.heart*'])
  await team.endpoint('off', ['*'], { disabledAt: 1, disabledReason: 'manual' })
  // a millisecond apart, because events of the same millisecond have no order of time
  for (let i = 0; i < 6; i++) {
    team.h.time.ms++
    await team.push([heart(i, 60 + i)], i % 2 === 0 ? team.userId : other)
  }
  team.h.time.ms++
  await team.push([heart(0, 99), { ...heart(1, 70), resource: 'steps' }])
})

const list = (query: object = {}) => team.h.call('event.list', { query: query as never })
const types = async (query: object) => (await list(query)).data.map(each => each.event_type)

describe('the list of events', () => {
  it('is newest first, or in order of arrival', async () => {
    const newest = (await list()).data
    expect(newest.length).toBeGreaterThan(8)
    const oldest = (await list({ order: 'asc' })).data
    expect(oldest).toEqual(newest.toReversed())
    const hearts = oldest.filter(each => each.event_type.startsWith('daily.data.heartrate'))
    expect(hearts.map(each => each.client_user_id)).toEqual(['ada', 'bo', 'ada', 'bo', 'ada', 'bo', 'ada'])
    expect(newest[0]).toMatchObject({ user_id: team.userId, client_user_id: 'ada', samples: 1 })
    expect(newest[0]).not.toHaveProperty('payload')
  })

  it('can be filtered by type, user and time', async () => {
    expect(new Set(await types({ type: 'daily.data.heartrate.*' }))).toEqual(
      new Set(['daily.data.heartrate.created', 'daily.data.heartrate.updated']),
    )
    expect(await types({ type: '*.updated' })).toEqual(['daily.data.heartrate.updated'])
    const ofOther = (await list({ user_id: other })).data
    expect(ofOther.map(each => each.client_user_id)).toEqual(ofOther.map(() => 'bo'))
    expect(ofOther.map(each => each.sequence)).toEqual(ofOther.map((_, i) => ofOther.length - i))
    expect(await types({ until: '2026-11-19' })).toEqual([])
    expect((await list({ since: '2026-11-20' })).data).toHaveLength((await list()).data.length)
  })

  it('counts the deliveries to enabled endpoints that subscribe to the type', async () => {
    const { data } = await list({ type: 'daily.data.*' })
    for (const each of data) {
      const pending = each.event_type.includes('heartrate') ? 1 : 0
      expect(each.deliveries, each.event_type).toEqual({ pending, delivered: 0, dead: 0 })
    }
    expect(new Set(await types({ state: 'pending' }))).toEqual(new Set(await types({ endpoint_id: 'hearts' })))
    expect(await types({ endpoint_id: 'off' })).toEqual([])
    for (const state of ['failing', 'delivered', 'dead']) expect(await types({ state })).toEqual([])
  })

  it.each(['asc', 'desc'])('is paged, with each event once: %s', async order => {
    for (const scope of [{}, { user_id: team.userId }, { type: 'daily.data.*' }]) {
      const whole = (await list({ order, ...scope })).data.map(each => each.event_id)
      const listed: string[] = []
      for (let next_cursor: string | null = null; listed.length < whole.length; ) {
        const page = await list({ order, limit: 2, ...scope, ...(next_cursor === null ? {} : { next_cursor }) })
        listed.push(...page.data.map(each => each.event_id))
        next_cursor = page.next_cursor
        if (next_cursor === null) break
      }
      expect(listed).toEqual(whole)
    }
  })

  it('refuses a cursor of another list, and a modified one', async () => {
    const { next_cursor } = await list({ limit: 1 })
    for (const query of [{ next_cursor, order: 'asc' }, { next_cursor, user_id: other }, { next_cursor: 'AAAA' }]) {
      expect((await team.h.refusal('event.list', { query: query as never })).code).toBe('invalid_cursor')
    }
  })

  it.each([
    [{ type: 'daily.data.step.created' }, 'daily.data.steps.created'],
    [{ type: 'daily data' }, 'separated by commas'],
    [{ from: 'now' }, 'order=asc'],
    [{ since: '2026-11-20', until: '2026-11-19' }, 'before since'],
    [{ limit: 501 }, '500'],
  ])('refuses %j', async (query, words) => {
    const refused = await team.h.refusal('event.list', { query: query as never })
    expect(refused.status).toBe(422)
    expect(JSON.stringify(refused.body)).toContain(words)
  })

  it('returns 404 for an unknown user or endpoint', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000'
    expect((await team.h.refusal('event.list', { query: { user_id: nobody } as never })).status).toBe(404)
    expect((await team.h.refusal('event.list', { query: { endpoint_id: 'none' } })).status).toBe(404)
  })
})

describe('following events', () => {
  it.each([{}, { type: 'daily.data.steps.*' }, { user: true }])('misses none and repeats none: %j', async scope => {
    const { user, ...rest } = scope as { user?: boolean }
    const query = { order: 'asc', ...rest, ...(user ? { user_id: team.userId } : {}) }
    let { data, next_cursor } = await list({ ...query, from: 'now' })
    expect(data).toEqual([])
    const seen: string[] = []
    for (let i = 0; i < 4; i++) {
      await team.push([{ ...heart(30 + i, Math.random() * 100), resource: 'steps' }])
      await team.push([heart(40 + i, Math.random() * 100)])
      ;({ data, next_cursor } = await list({ ...query, next_cursor }))
      expect(data.length).toBe(Object.keys(rest).length > 0 ? 1 : 2)
      seen.push(...data.map(each => each.event_id))
      ;({ data, next_cursor } = await list({ ...query, next_cursor }))
      expect(data).toEqual([])
      expect(next_cursor).not.toBeNull()
    }
    expect(new Set(seen).size).toBe(seen.length)
  })

  it('continues when the real clock is set back', async () => {
    let { data, next_cursor } = await list({ order: 'asc', from: 'now' })
    team.h.time.ms -= 3_600_000
    await team.push([heart(50, Math.random() * 100)])
    ;({ data, next_cursor } = await list({ order: 'asc', next_cursor }))
    expect(data).toHaveLength(1)
    team.h.time.ms += 3_600_000
  })
})

describe('a single event', () => {
  it('has its body and its deliveries', async () => {
    const [first] = (await list({ type: 'daily.data.heartrate.updated', order: 'asc' })).data
    const event = await team.h.call('event.get', { params: { event_id: first?.event_id as string } })
    expect(event).toMatchObject({
      event_type: 'daily.data.heartrate.updated',
      samples: 1,
      payload: {
        event_type: 'daily.data.heartrate.updated',
        data: { user_id: team.userId, source: { provider: 'manual', type: 'unknown' }, data: [{ value: 99 }] },
        team_id: team.h.team.teamId,
        client_user_id: 'ada',
      },
      deliveries: [{ endpoint_id: 'hearts', url: 'https://hooks.example/hearts', state: 'waiting', attempts: [] }],
    })
    const ofSteps = (await list({ type: 'daily.data.steps.created', order: 'asc' })).data[0]
    const unsent = await team.h.call('event.get', { params: { event_id: ofSteps?.event_id as string } })
    expect(unsent.deliveries).toEqual([])
  })

  it('is 404 if it does not exist', async () => {
    const event_id = '00000000-0000-4000-8000-000000000000'
    expect((await team.h.refusal('event.get', { params: { event_id } })).status).toBe(404)
  })

  it('of a deleted user is hidden, and visible again when the deletion is undone', async () => {
    const { user_id } = await team.h.call('user.create', { body: { client_user_id: 'gone' } })
    await team.push([heart(0, 60)], user_id as UserId)
    const [event] = (await list({ user_id })).data
    await team.h.call('user.delete', { params: { user_id } })
    const params = { event_id: event?.event_id as string }
    expect((await team.h.refusal('event.get', { params })).status).toBe(404)
    expect((await list({ limit: 500 })).data.filter(each => each.user_id === user_id)).toEqual([])
    await team.h.call('user.undo_delete', { body: { user_id } })
    expect((await team.h.call('event.get', { params })).event_id).toBe(event?.event_id)
  })
})

describe('following a list across a restore', () => {
  it.each([true, false])('misses nothing (of one user: %s)', async isOfOne => {
    const { h, userId, push } = await openTeam()
    const pushAt = (minute: number) => {
      h.time.ms += 1_000
      return push([heart(minute, 60)])
    }
    await pushAt(0)
    await h.call('snapshot.save', { body: { name: 'base' } })
    for (let i = 1; i < 6; i++) await pushAt(i)
    const query = { order: 'asc' as const, limit: 100, ...(isOfOne ? { user_id: userId } : {}) }
    let { next_cursor } = await h.call('event.list', { query })
    await h.call('snapshot.restore', { params: { name: 'base' } })
    const seen: number[] = []
    for (let i = 10; i < 18; i++) {
      await pushAt(i)
      if (i % 2 === 0) continue
      const page = await h.call('event.list', { query: { ...query, next_cursor } })
      next_cursor = page.next_cursor
      seen.push(...page.data.map(each => each.sequence))
    }
    const { data } = await h.call('event.list', { query: { order: 'asc', limit: 100 } })
    const [first = 0] = seen
    expect(seen).toHaveLength(8)
    expect(seen).toEqual(data.map(each => each.sequence).filter(each => each >= first))
  })
})

describe('the ID of an event', () => {
  it('is never used again, even if the store is restored in between', async () => {
    const { h, push } = await openTeam()
    await push([heart(0, 60)])
    await h.call('snapshot.save', { body: { name: 'base' } })
    const ids: (string | undefined)[] = []
    for (let i = 1; i < 4; i++) {
      await push([heart(i, 60)])
      ids.push((await h.call('event.list', {})).data[0]?.event_id)
      await h.call('snapshot.restore', { params: { name: 'base' } })
    }
    expect(new Set(ids).size).toBe(3)
  })
})
