/** Users from creation to the undoing of a deletion. */
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { NOON, openHarness } from '../../kit/harness.ts'

const UNKNOWN = '99999999-9999-4999-8999-999999999999' as UserId

describe('users', () => {
  it('are created as requested, and a second one with the same client_user_id is refused', async () => {
    const { call, refusal, team } = await openHarness()
    const user = await call('user.create', {
      body: {
        client_user_id: 'alice',
        fallback_time_zone: 'Europe/Berlin',
        fallback_birth_date: '1990-02-28',
        ingestion_start: '2026-01-01',
      },
    })
    expect(user).toMatchObject({
      team_id: team.teamId,
      client_user_id: 'alice',
      created_on: '2026-11-20T12:00:00+00:00',
      connected_sources: [],
      fallback_time_zone: { id: 'Europe/Berlin', source_slug: 'manual', updated_at: '2026-11-20T12:00:00+00:00' },
      fallback_birth_date: { value: '1990-02-28', source_slug: 'manual' },
      ingestion_start: '2026-01-01',
      ingestion_end: null,
    })
    const error = await refusal('user.create', { body: { client_user_id: 'alice' } })
    expect(error.status).toBe(400)
    expect(error.body).toEqual({
      detail: {
        error_type: 'INVALID_REQUEST',
        error_message: 'Client user id already exists.',
        user_id: user.user_id,
        created_on: user.created_on,
      },
      user_id: user.user_id,
      created_on: user.created_on,
    })
  })

  it('are listed newest first with the team’s total', async () => {
    const { call, time } = await openHarness()
    for (const name of ['a', 'b', 'c']) {
      time.ms += 1000
      await call('user.create', { body: { client_user_id: name } })
    }
    const page = await call('user.list', { query: { offset: '0', limit: '2' } })
    expect(page.users.map(user => user.client_user_id)).toEqual(['c', 'b'])
    expect(page).toMatchObject({ total: 3, offset: 0, limit: 2 })
    const empty = await call('user.list', { query: { offset: 10 } })
    expect(empty).toMatchObject({ users: [], total: 3 })
  })

  it.each([
    ['an unknown time zone', { client_user_id: 'x', fallback_time_zone: 'Mars/Base' }, ['body', 'fallback_time_zone']],
    [
      'a date that does not exist',
      { client_user_id: 'x', fallback_birth_date: '2025-02-30' },
      ['body', 'fallback_birth_date'],
    ],
    [
      'bounds the wrong way round',
      { client_user_id: 'x', ingestion_start: '2026-02-01', ingestion_end: '2026-01-01' },
      ['body', 'ingestion_end'],
    ],
    ['no client_user_id', {}, ['body', 'client_user_id']],
    ['an empty client_user_id', { client_user_id: '' }, ['body', 'client_user_id']],
    ['a NUL in the client_user_id', { client_user_id: 'ab\u0000cd' }, ['body', 'client_user_id']],
    ['an escape sequence in it', { client_user_id: '\u001b[31m' }, ['body', 'client_user_id']],
    [
      'a birth date to come',
      { client_user_id: 'x', fallback_birth_date: '2050-01-01' },
      ['body', 'fallback_birth_date'],
    ],
  ])('refuses %s with 422 at the field', async (_what, body, loc) => {
    const { refusal } = await openHarness()
    const error = await refusal('user.create', { body: body as never })
    expect(error.status).toBe(422)
    expect((error.body['detail'] as { loc: unknown }[])[0]?.loc).toEqual(loc)
  })

  it('have their time zone stored in its usual spelling', async () => {
    const { call } = await openHarness()
    const user = await call('user.create', { body: { client_user_id: 'x', fallback_time_zone: 'europe/BERLIN' } })
    expect(user.fallback_time_zone?.id).toBe('Europe/Berlin')
  })

  it('that do not exist get the documented message', async () => {
    const { refusal } = await openHarness()
    expect((await refusal('user.get', { params: { user_id: UNKNOWN } })).body).toEqual({ detail: 'Not found' })
    expect((await refusal('user.resolve', { params: { client_user_id: 'nobody' } })).body).toEqual({
      detail: 'User not found',
    })
    const malformed = await refusal('user.get', { params: { user_id: 'xyz' } })
    expect(malformed.status).toBe(422)
    expect(malformed.body['detail']).toMatch(/^Invalid format for parameter user_id: /)
  })

  it('can be restored within 7 days, but not later', async () => {
    const { call, refusal, time } = await openHarness()
    const { user_id } = await call('user.create', { body: { client_user_id: 'a' } })
    expect(await call('user.delete', { params: { user_id } })).toEqual({ success: true })
    expect((await refusal('user.get', { params: { user_id } })).body).toEqual({
      detail: 'You have scheduled this user for deletion.',
    })
    expect((await refusal('user.delete', { params: { user_id } })).status).toBe(404)
    time.ms = NOON + 7 * DAY_MS - 1
    expect(await call('user.undo_delete', { query: { client_user_id: 'a' } as never })).toEqual({ success: true })
    expect((await call('user.get', { params: { user_id } })).client_user_id).toBe('a')
    await call('user.delete', { params: { user_id } })
    time.ms += 7 * DAY_MS
    const late = await refusal('user.undo_delete', { body: { user_id } })
    expect([late.status, late.message]).toEqual([400, expect.stringContaining('grace period')])
    expect((await refusal('user.get', { params: { user_id } })).body).toEqual({ detail: 'Not found' })
  })

  it('cannot be restored once a new user has the client_user_id', async () => {
    const { call, refusal } = await openHarness()
    const { user_id } = await call('user.create', { body: { client_user_id: 'a' } })
    await call('user.delete', { params: { user_id } })
    await call('user.create', { body: { client_user_id: 'a' } })
    const error = await refusal('user.undo_delete', { body: { client_user_id: 'a' } })
    expect([error.status, error.message]).toEqual([400, expect.stringContaining('same client_user_id')])
    const both = await refusal('user.undo_delete', { body: { client_user_id: 'a', user_id } })
    expect(both.status).toBe(422)
    expect((await refusal('user.undo_delete', { body: {} })).status).toBe(422)
    expect((await refusal('user.undo_delete', { body: { client_user_id: 'nobody' } })).status).toBe(404)
  })
})
