/** Timeseries pages: pagination equals one read of everything, and a cursor is valid only for its own range and filter. */
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS } from '../../../src/core/time.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

async function linked(h: Harness, provider = 'zwift', client_user_id = 'a'): Promise<UserId> {
  const { user_id } = await h.call('user.create', { body: { client_user_id } })
  const { link_token } = await h.call('link.token', { body: { user_id } })
  const result = await h.call(
    'link.password',
    { params: { provider }, body: { username: 'u', password: 'p' } },
    { linkToken: link_token },
  )
  expect(result.state).toBe('success')
  return user_id
}

const read = (h: Harness, user_id: UserId, query: Record<string, string>, resource = 'steps') =>
  h.call('timeseries.grouped', { params: { user_id, resource }, query: query as never })

describe('timeseries pages', () => {
  it('read to the end equal one read of everything', async () => {
    const h = await openHarness({ pageSize: 100 })
    const user_id = await linked(h)
    const seen: string[] = []
    let cursor: string | null | undefined
    let pages = 0
    do {
      const page = await read(h, user_id, { start_date: '2026-11-01', ...(cursor ? { next_cursor: cursor } : {}) })
      for (const groups of Object.values(page.groups))
        for (const group of groups) for (const sample of group.data) seen.push(JSON.stringify(sample))
      expect(page.next).toBe(page.next_cursor)
      cursor = page.next_cursor
      pages++
    } while (cursor)
    expect(pages).toBeGreaterThan(3)
    const whole = await openHarness({ dataDir: h.dataDir })
    const all = await read(whole, user_id, { start_date: '2026-11-01' })
    expect(all.next_cursor).toBeNull()
    expect(seen).toEqual(
      Object.values(all.groups)
        .flat()
        .flatMap(group => group.data.map(sample => JSON.stringify(sample))),
    )
  })

  it('contain samples from 00:00:00 of start_date to the last second of end_date, in UTC', async () => {
    const h = await openHarness()
    const user_id = await linked(h)
    const page = await read(h, user_id, { start_date: '2026-11-10', end_date: '2026-11-10' }, 'heartrate')
    const times = Object.values(page.groups)
      .flat()
      .flatMap(group => group.data.map(sample => sample.start))
    expect(times.length).toBeGreaterThanOrEqual(288)
    expect(times.at(0)).toMatch(/^2026-11-10T00:0/)
    expect(times.at(-1)).toMatch(/^2026-11-10T23:5/)
    const moments = times.map(time => Date.parse(time))
    expect(moments).toEqual([...moments].sort((a, b) => a - b))
  })

  it('refuse a cursor of another user, resource, range or provider filter, and a modified one', async () => {
    const h = await openHarness({ pageSize: 50 })
    const user_id = await linked(h)
    const other = await linked(h, 'whoop', 'b')
    const { next_cursor } = await read(h, user_id, { start_date: '2026-11-01' })
    const cursor = next_cursor as string
    const refused = async (user: UserId, query: Record<string, string>, resource = 'steps') => {
      const error = await h.refusal('timeseries.grouped', {
        params: { user_id: user, resource },
        query: { ...query, next_cursor: cursor } as never,
      })
      expect([error.status, error.code]).toEqual([422, 'invalid_cursor'])
    }
    await refused(other, { start_date: '2026-11-01' })
    await refused(user_id, { start_date: '2026-11-01' }, 'heartrate')
    await refused(user_id, { start_date: '2026-11-02' })
    await refused(user_id, { start_date: '2026-11-01', end_date: '2026-11-19' })
    await refused(user_id, { start_date: '2026-11-01', provider: 'zwift' })
    const bent = `${cursor.slice(0, 8)}${cursor[8] === 'A' ? 'B' : 'A'}${cursor.slice(9)}`
    const error = await h.refusal('timeseries.grouped', {
      params: { user_id, resource: 'steps' },
      query: { start_date: '2026-11-01', next_cursor: bent },
    })
    expect(error.code).toBe('invalid_cursor')
  })

  it('treat empty parameters as absent ones', async () => {
    const h = await openHarness()
    const user_id = await linked(h)
    const empty = await read(h, user_id, { start_date: '2026-11-19', end_date: '', next_cursor: '', provider: '' })
    expect(empty).toEqual(await read(h, user_id, { start_date: '2026-11-19' }))
  })

  it('follow the clock: without end_date they end now', async () => {
    const h = await openHarness()
    const user_id = await linked(h)
    const last = async () => {
      const page = await read(h, user_id, { start_date: '2026-11-19' }, 'heartrate')
      return Object.values(page.groups)
        .flat()
        .flatMap(group => group.data)
        .at(-1)?.start
    }
    const before = await last()
    await h.call('clock.set', { body: { advance: '-1d' } })
    expect(Date.parse((await last()) as string)).toBeLessThan(Date.parse(before as string) - DAY_MS / 2)
  })

  it('are refused for an unknown user, resource, provider or date with the documented messages', async () => {
    const h = await openHarness()
    const user_id = await linked(h)
    const refusal = (user: string, resource: string, query: object) =>
      h.refusal('timeseries.grouped', { params: { user_id: user as UserId, resource }, query: query as never })
    expect((await refusal('99999999-9999-4999-8999-999999999999', 'steps', { start_date: '2026-11-01' })).body).toEqual(
      { detail: 'User not found' },
    )
    const resource = await refusal(user_id, 'stepz', { start_date: '2026-11-01' })
    expect([resource.status, resource.code, resource.message]).toEqual([
      422,
      'unknown_resource',
      expect.stringContaining('Did you mean "steps"'),
    ])
    expect((await refusal(user_id, 'steps', { start_date: '2026-11-01', provider: 'zwfit' })).message).toContain(
      '"zwift"',
    )
    expect((await refusal(user_id, 'steps', { start_date: 'yesterday' })).status).toBe(422)
    expect((await refusal(user_id, 'steps', {})).status).toBe(422)
    expect((await refusal(user_id, 'hypnogram', { start_date: '2026-11-01' })).message).toContain('sleep_cycle')
    await h.call('clock.set', { body: { set: '2025-01-30T12:00:00Z' } })
    expect(await read(h, user_id, { start_date: '2025-01-01' }, 'hypnogram')).toMatchObject({ groups: {} })
  })
})
