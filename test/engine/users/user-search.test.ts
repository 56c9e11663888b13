/** Search, metrics, limits and sign-in tokens of a team's users. */
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { openHarness } from '../../kit/harness.ts'
import { link, linkedUser } from '../links/linked-user.ts'

describe('a search', () => {
  it('matches part of the client_user_id in any case, or a user_id; newest first', async () => {
    const h = await openHarness()
    const ids = new Map<string, string>()
    for (const name of ['Clinic-7', 'clinic-70', 'other', '100%_a']) {
      h.time.ms += 1000
      ids.set(name, (await h.call('user.create', { body: { client_user_id: name } })).user_id)
    }
    const found = async (query_id: string) =>
      (await h.call('user.search', { query: { query_id } })).map(user => user.client_user_id)
    expect(await found('CLINIC-7')).toEqual(['clinic-70', 'Clinic-7'])
    expect(await found('%_')).toEqual(['100%_a'])
    expect(await found('__')).toEqual([])
    expect(await found(String(ids.get('other')).toUpperCase())).toEqual(['other'])
    await h.call('user.delete', { params: { user_id: ids.get('clinic-70') as UserId } })
    expect(await found('clinic')).toEqual(['Clinic-7'])
    expect((await h.refusal('user.search', { query: { query_id: 'c' } })).status).toBe(422)
  })
})

describe('names', () => {
  it('that start with the text are found in order, for active users only', async () => {
    const h = await openHarness()
    const ids = new Map<string, string>()
    for (const name of ['bob', 'ada', 'ada lovelace', 'Ada', 'adä', 'ad']) {
      ids.set(name, (await h.call('user.create', { body: { client_user_id: name } })).user_id)
    }
    const names = async (starts_with?: string) => h.call('user.names', { query: { starts_with } })
    expect((await names('ada')).client_user_ids).toEqual(['ada', 'ada lovelace'])
    expect((await names('ad')).client_user_ids).toEqual(['ad', 'ada', 'ada lovelace', 'adä'])
    expect((await names()).client_user_ids).toHaveLength(6)
    expect(new Set((await names()).user_ids)).toEqual(new Set(ids.values()))
    const id = String(ids.get('bob'))
    expect(await names(id.slice(0, 12).toUpperCase())).toEqual({ client_user_ids: [], user_ids: [id] })
    await h.call('user.delete', { params: { user_id: ids.get('ada') as UserId } })
    expect((await names('ada')).client_user_ids).toEqual(['ada lovelace'])
  })

  it('are limited to 200 and then include the last one, so that a shell inserts only the common prefix of all', async () => {
    const h = await openHarness()
    for (let i = 0; i < 201; i++) {
      await h.call('user.create', { body: { client_user_id: `u-${String(i).padStart(3, '0')}` } })
    }
    const { client_user_ids, user_ids } = await h.call('user.names', { query: { starts_with: 'u' } })
    expect(client_user_ids).toHaveLength(200)
    expect([client_user_ids[0], client_user_ids[198], client_user_ids[199]]).toEqual(['u-000', 'u-198', 'u-200'])
    expect(user_ids).toEqual([])
  })
})

describe('metrics', () => {
  it('count users, connections, failed connections, and connections by week', async () => {
    const { h, user_id, params } = await linkedUser(['whoop'])
    h.time.ms += 7 * DAY_MS
    await link(h, user_id, 'zwift')
    await h.call('provider.fail', { params: { ...params, provider: 'zwift' }, body: { error_type: 'unknown' } })
    const metrics = await h.call('user.metrics', {})
    expect(metrics).toMatchObject({
      team_id: h.team.teamId,
      number_of_users: 1,
      number_of_connected_sources: 2,
      number_of_errored_connected_sources: 1,
      number_of_ordered_tests: 0,
    })
    expect(metrics.number_of_connected_sources_by_week).toHaveLength(12)
    expect(metrics.number_of_connected_sources_by_week.slice(-3)).toEqual([
      { date: '2026-11-09T00:00:00+00:00', value: 0, all: 0 },
      { date: '2026-11-16T00:00:00+00:00', value: 1, all: 1 },
      { date: '2026-11-23T00:00:00+00:00', value: 1, all: 2 },
    ])
    await h.call('user.delete', { params })
    expect(await h.call('user.metrics', {})).toMatchObject({ number_of_users: 0, number_of_connected_sources: 0 })
  })
})

describe('a team', () => {
  it('that is full accepts no new user until one is deleted', async () => {
    const h = await openHarness()
    await h.engine.context.store.teams.change(h.team.teamId, { userLimit: 1 })
    const { user_id } = await h.call('user.create', { body: { client_user_id: 'a' } })
    const refused = await h.refusal('user.create', { body: { client_user_id: 'b' } })
    expect([refused.status, refused.body]).toEqual([
      403,
      { detail: 'The team has reached its limit of 1 active users.' },
    ])
    expect((await h.refusal('user.create', { body: { client_user_id: 'a' } })).code).toBe('client_user_id_taken')
    await h.call('user.delete', { params: { user_id } })
    await h.call('user.create', { body: { client_user_id: 'b' } })
  })
})

describe('a sign-in token', () => {
  it('is issued for an active user, a different one each time', async () => {
    const { h, user_id, params } = await linkedUser([])
    const first = await h.call('user.sign_in_token', { params })
    expect(first).toEqual({ user_id, sign_in_token: expect.stringMatching(/^[\w-]{43}$/) })
    expect((await h.call('user.sign_in_token', { params })).sign_in_token).not.toBe(first.sign_in_token)
    await h.call('user.delete', { params })
    expect((await h.refusal('user.sign_in_token', { params })).body).toEqual({ detail: 'User not found' })
  })
})
