/** Events about deleted data. See docs/interface/events.md#events-15. */
import { Readable } from 'node:stream'
import { beforeEach, describe, expect, it } from 'vitest'
import { eventBody } from '../../../src/contract/events/event-payload.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

let h: Harness
let user_id: UserId

beforeEach(async () => {
  h = await openHarness()
  user_id = (await h.call('user.create', { body: { client_user_id: 'a' } })).user_id
})

const lines = (items: readonly object[]) => Buffer.from(items.map(each => `${JSON.stringify(each)}\n`).join(''))
const push = (items: readonly object[]) =>
  h.call('samples.push', { params: { user_id }, body: { kind: 'stream', stream: Readable.from([lines(items)]) } })
const importItems = async (items: readonly object[]) =>
  (await h.call('import.create', {
    params: { user_id },
    query: {},
    body: { kind: 'stream', stream: Readable.from([lines(items)]) },
  } as never)) as { readonly import_id: string }
const heartRates = (values: readonly number[]) =>
  values.map((value, hour) => ({
    resource: 'heartrate',
    provider: 'oura',
    source_type: 'ring',
    timestamp: `2026-11-18T0${hour}:00:00Z`,
    value,
  }))

async function deletions() {
  const { data } = await h.call('event.list', { query: { type: 'user.data.deleted', payload: true, order: 'asc' } })
  for (const { payload } of data) expect(eventBody('user.data.deleted')?.safeParse(payload).error).toBeUndefined()
  return data.map(({ payload }) => (payload as { readonly data: object }).data)
}

describe('an event says what was deleted', () => {
  it('by a request, as a range of each series', async () => {
    await push([...heartRates([60, 61, 62, 63]), { ...heartRates([70])[0], provider: 'whoop', source_type: 'watch' }])
    const range = { start_date: '2026-11-18T00:00:00Z', end_date: '2026-11-18T02:00:00Z', provider: '' }
    await h.call('timeseries.delete', { params: { user_id, resource: 'heartrate' }, query: range })
    const [first, third] = ['2026-11-18T00:00:00+00:00', '2026-11-18T02:00:00+00:00']
    expect(await deletions()).toMatchObject([
      {
        reason: 'request',
        timeseries: [
          { resource: 'heartrate', provider: 'oura', source_type: 'ring', start: first, end: third, samples: 3 },
          { resource: 'heartrate', provider: 'whoop', source_type: 'watch', start: first, end: first, samples: 1 },
        ],
        summaries: [],
      },
    ])
    await h.call('timeseries.delete', { params: { user_id, resource: 'heartrate' }, query: range })
    expect(await deletions()).toHaveLength(1)
  })

  it('by undoing an import, without what it restored', async () => {
    await importItems(heartRates([60]))
    const { import_id } = await importItems(heartRates([61, 62, 63]))
    await h.call('import.undo', { params: { import_id } } as never)
    expect(await deletions()).toMatchObject([
      { reason: 'import_undone', timeseries: [{ resource: 'heartrate', provider: 'oura', samples: 2 }] },
    ])
    const { data } = await h.call('event.list', { query: { payload: true, order: 'desc', limit: 2 } })
    expect(data.map(each => each.event_type)).toEqual(['user.data.deleted', 'daily.data.heartrate.updated'])
  })

  it('without values', async () => {
    await push(heartRates([97.125]))
    const range = { start_date: '2026-11-18', end_date: '2026-11-18', provider: '' }
    await h.call('timeseries.delete', { params: { user_id, resource: 'heartrate' }, query: range })
    expect(JSON.stringify(await deletions())).not.toContain('97.125')
  })
})
