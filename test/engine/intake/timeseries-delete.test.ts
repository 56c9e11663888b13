/** Deleting samples removes exactly the samples that the same range would read. */
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

async function withHours(): Promise<{ h: Harness; user_id: UserId }> {
  const h = await openHarness()
  const { user_id } = await h.call('user.create', { body: { client_user_id: 'a' } })
  const samples = ['manual', 'whoop'].flatMap(provider =>
    ['heartrate', 'hrv'].flatMap(resource =>
      Array.from({ length: 72 }, (_, hour) => ({
        resource,
        provider,
        timestamp: new Date(Date.UTC(2026, 10, 17, hour)).toISOString(),
        value: 60 + (hour % 9),
      })),
    ),
  )
  const stream = Readable.from([Buffer.from(JSON.stringify(samples))])
  await h.call('samples.push', { params: { user_id }, body: { kind: 'stream', stream } })
  return { h, user_id }
}

const WHOLE = { start_date: '2026-11-01', end_date: '2026-11-30' }
const count = async (h: Harness, user_id: UserId, resource = 'heartrate', query: object = WHOLE) => {
  const page = await h.call('timeseries.grouped', { params: { user_id, resource }, query: query as typeof WHOLE })
  return Object.values(page.groups)
    .flat()
    .reduce((sum, group) => sum + group.data.length, 0)
}
const remove = (h: Harness, user_id: UserId, query: object, resource = 'heartrate') =>
  h.call('timeseries.delete', { params: { user_id, resource }, query: query as typeof WHOLE })

describe('deleting samples', () => {
  it.each([
    [{ start_date: '2026-11-18', end_date: '2026-11-18' }, 48],
    [{ start_date: '2026-11-18T01:00:00Z', end_date: '2026-11-18T03:00:00+01:00' }, 4],
    [{ start_date: '2026-11-18', end_date: '2026-11-19', provider: 'whoop' }, 48],
    [WHOLE, 144],
    [{ start_date: '2025-01-01', end_date: '2025-12-31' }, 0],
  ])('removes the samples that %j reads: %d', async (range, expected) => {
    const { h, user_id } = await withHours()
    expect(await count(h, user_id, 'heartrate', range)).toBe(expected)
    expect(await remove(h, user_id, range)).toEqual({ deleted: expected })
    expect(await count(h, user_id)).toBe(144 - expected)
    expect(await count(h, user_id, 'hrv')).toBe(144)
    expect(await remove(h, user_id, range)).toEqual({ deleted: 0 })
  })

  it('needs both ends in order, and an existing resource and provider', async () => {
    const { h, user_id } = await withHours()
    const refused = (query: object, resource = 'heartrate') =>
      h.refusal('timeseries.delete', { params: { user_id, resource }, query: query as typeof WHOLE })
    expect((await refused({ start_date: '2026-11-01' })).message).toContain('end_date')
    expect((await refused({ end_date: '2026-11-01' })).message).toContain('start_date')
    expect((await refused({ start_date: '2026-11-02', end_date: '2026-11-01' })).message).toContain('before')
    expect((await refused(WHOLE, 'heartbeat')).code).toBe('unknown_resource')
    expect((await refused({ ...WHOLE, provider: 'woop' })).code).toBe('unknown_provider')
    expect(await count(h, user_id)).toBe(144)
  })
})
