/** Changing a user: fields that stay, fields that null clears, and the message of every refusal. */
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { HOUR_MS } from '../../../src/core/time.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { inBytes } from '../links/linked-user.ts'

const UNKNOWN = '99999999-9999-4999-8999-999999999999' as UserId

async function withUser(body: object = {}): Promise<{ h: Harness; params: { user_id: UserId } }> {
  const h = await openHarness()
  const { user_id } = await h.call('user.create', { body: { client_user_id: 'a', ...body } })
  return { h, params: { user_id } }
}

describe('a patch', () => {
  it('changes the given fields, and has an empty response', async () => {
    const { h, params } = await withUser({ fallback_time_zone: 'Europe/Berlin', ingestion_start: '2026-01-01' })
    h.time.ms += HOUR_MS
    expect(
      await h.call('user.patch', { params, body: { client_user_id: 'b', fallback_birth_date: '1990-02-28' } }),
    ).toBeUndefined()
    expect(await h.call('user.get', { params })).toMatchObject({
      client_user_id: 'b',
      fallback_time_zone: { id: 'Europe/Berlin', updated_at: '2026-11-20T12:00:00+00:00' },
      fallback_birth_date: { value: '1990-02-28', source_slug: 'manual', updated_at: '2026-11-20T13:00:00+00:00' },
      ingestion_start: '2026-01-01',
    })
    expect((await h.call('user.resolve', { params: { client_user_id: 'b' } })).user_id).toBe(params.user_id)
    expect((await h.refusal('user.resolve', { params: { client_user_id: 'a' } })).status).toBe(404)
    expect((await h.call('user.create', { body: { client_user_id: 'a' } })).client_user_id).toBe('a')
  })

  it('clears every field except the client_user_id with null', async () => {
    const fields = {
      fallback_time_zone: 'Europe/Berlin',
      fallback_birth_date: '1990-02-28',
      ingestion_start: '2026-01-01',
      ingestion_end: '2026-12-31',
    }
    const { h, params } = await withUser(fields)
    const nothing = Object.fromEntries(Object.keys(fields).map(name => [name, null]))
    await h.call('user.patch', { params, body: nothing })
    expect(await h.call('user.get', { params })).toMatchObject(nothing)
    const refused = await h.refusal('user.patch', { params, body: { client_user_id: null } })
    expect([refused.status, refused.body['detail']]).toEqual([
      422,
      [{ loc: ['body'], msg: expect.stringContaining('client_user_id'), type: 'value_error' }],
    ])
  })

  it.each([
    ['nothing', {}, 400, 'Nothing to patch'],
    ['only what there is not', { nickname: 'x' }, 400, 'Nothing to patch'],
    ['the client_user_id of another user', { client_user_id: 'other' }, 409, 'Client user id already exists'],
  ])('of %s is refused', async (_what, body, status, detail) => {
    const { h, params } = await withUser()
    await h.call('user.create', { body: { client_user_id: 'other' } })
    const refused = await h.refusal('user.patch', { params, body: body as object })
    expect([refused.status, refused.body]).toEqual([status, { detail }])
  })

  it.each([
    ['a zone that there is not', { fallback_time_zone: 'Mars' }, 'fallback_time_zone', /^Value error, Invalid IANA/],
    ['a date that does not exist', { fallback_birth_date: '2025-02-30' }, 'fallback_birth_date', /date/],
    ['a birth to come', { fallback_birth_date: '2050-01-01' }, 'fallback_birth_date', /future/],
    ['an end before the start that is there', { ingestion_end: '2025-12-31' }, 'ingestion_end', /ingestion_start/],
    ['a start after the end that is there', { ingestion_start: '2027-06-01' }, 'ingestion_start', /ingestion_end/],
  ])('refuses %s with 422 at the field', async (_what, body, field, message) => {
    const { h, params } = await withUser({ ingestion_start: '2026-01-01', ingestion_end: '2027-01-01' })
    const refused = await h.refusal('user.patch', { params, body })
    expect([refused.status, refused.body['detail']]).toEqual([
      422,
      [expect.objectContaining({ loc: ['body', field], msg: expect.stringMatching(message) })],
    ])
  })

  it('of an unknown or deleted user is refused with the documented messages', async () => {
    const { h, params } = await withUser()
    const body = { fallback_time_zone: 'UTC' }
    expect((await h.refusal('user.patch', { params: { user_id: UNKNOWN }, body })).body).toEqual({
      detail: 'The user does not or no longer exists in this team',
    })
    await h.call('user.delete', { params })
    expect((await h.refusal('user.patch', { params, body })).body).toEqual({
      detail: 'The user has been scheduled for deletion as per your previous request',
    })
  })

  it('to the current client_user_id is not a conflict', async () => {
    const { h, params } = await withUser()
    await h.call('user.patch', { params, body: { client_user_id: 'a' } })
    expect((await h.call('user.resolve', { params: { client_user_id: 'a' } })).user_id).toBe(params.user_id)
  })

  it('of the time zone recomputes stored results', async () => {
    const { h, params } = await withUser()
    const when = { index: 'timeseries' as const }
    const query = {
      select: [
        { group_key: '*' as const },
        { func: 'count' as const, arg: { timeseries: 'heartrate', field: 'value' } },
      ],
      group_by: [{ arg: when, date_trunc: { unit: 'day' as const, value: 1 } }],
    }
    await h.call('continuous_query.create', { body: { slug: 'beats', title: 'Beats', query } as never })
    const at = '2026-11-19T23:30:00Z'
    await h.call('samples.push', {
      params,
      body: inBytes({
        samples: [{ resource: 'heartrate', provider: 'polar', source_type: 'watch', timestamp: at, value: 60 }],
      }),
    })
    const days = async () => {
      const path = { params: { ...params, query_id_or_slug: 'beats' } }
      return ((await h.call('aggregate.result_table', path)).table as Record<string, unknown[]>)['group_key.0']
    }
    expect(await days()).toEqual(['2026-11-19T00:00:00'])
    h.time.ms += 24 * HOUR_MS
    await h.call('user.patch', { params, body: { fallback_time_zone: 'Europe/Berlin' } })
    expect(await days()).toEqual(['2026-11-20T00:00:00'])
  })
})
