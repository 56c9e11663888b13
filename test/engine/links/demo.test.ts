/** Demo connections: their data, how they continue and end, and that they never affect real data. */
import { beforeEach, describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS, HOUR_MS } from '../../../src/core/time.ts'
import { runDueJobs } from '../../../src/engine/upkeep/jobs.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

let h: Harness
let user_id: UserId

beforeEach(async () => {
  h = await openHarness()
  user_id = (await h.call('user.create', { body: { client_user_id: 'a' } })).user_id
})

const demo = (provider: 'oura' | 'fitbit' | 'freestyle_libre' | 'apple_health_kit' = 'oura') =>
  h.call('link.demo', { body: { user_id, provider } })
const connections = async () => (await h.call('user.providers', { params: { user_id } })).providers
const runDue = () => runDueJobs(h.engine.context, { now: h.time.ms, userIds: null })
const sleeps = async () => {
  const query = { start_date: '2026-10-01', end_date: '2026-12-01' }
  return ((await h.call('summary.get', { params: { user_id, resource: 'sleep' }, query })) as { sleep: unknown[] })
    .sleep
}
const eventTypes = async () => (await h.engine.context.store.events.ofUser(user_id, 0, 1_000)).map(event => event.type)
const linkReal = async () => {
  const { link_token } = await h.call('link.token', { body: { user_id } })
  return h.call(
    'link.password',
    { params: { provider: 'whoop' }, body: { username: 'ada', password: 'pw' } },
    { linkToken: link_token },
  )
}

describe('a demo connection', () => {
  it('adds 30 days of summaries, no samples, and the events of a link', async () => {
    expect(await demo()).toEqual({ success: true, detail: `Connected user ${user_id} to provider oura` })
    expect(await connections()).toMatchObject([{ slug: 'oura', status: 'connected', external_user_id: null }])
    expect(await sleeps()).toHaveLength(31)
    const page = await h.call('timeseries.grouped', {
      params: { user_id, resource: 'steps' },
      query: { start_date: '2026-10-01' },
    })
    expect(page.groups).toEqual({})
    const types = await eventTypes()
    expect(types).toContain('provider.connection.created')
    expect(types).toContain('historical.data.sleep.created')
    expect(types.filter(type => type.startsWith('daily.'))).toEqual([])
  })

  it('to a provider without summaries adds its samples', async () => {
    await demo('freestyle_libre')
    const page = await h.call('timeseries.grouped', {
      params: { user_id, resource: 'glucose' },
      query: { start_date: '2026-11-19' },
    })
    expect(Object.keys(page.groups)).toEqual(['freestyle_libre'])
  })

  it('changes nothing when requested again', async () => {
    await demo()
    const before = await eventTypes()
    h.time.ms += DAY_MS
    expect((await demo()).success).toBe(true)
    expect(await eventTypes()).toEqual(before)
  })

  it('adds new data every two hours, with daily events', async () => {
    await demo()
    h.time.ms += HOUR_MS
    expect((await runDue()).ran).toEqual([])
    h.time.ms += 25 * HOUR_MS
    expect((await runDue()).ran).toContainEqual({ kind: 'demo_data', count: 1 })
    expect(await sleeps()).toHaveLength(32)
    expect(await eventTypes()).toContain('daily.data.sleep.created')
    expect((await runDue()).ran, 'and not twice').toEqual([])
    h.time.ms += 2 * HOUR_MS
    expect((await runDue()).ran).toContainEqual({ kind: 'demo_data', count: 1 })
  })

  it('ends after 7 days and permanently removes its user and all data', async () => {
    await demo()
    h.time.ms += 6 * DAY_MS
    await runDue()
    expect((await connections()).length).toBe(1)
    h.time.ms += DAY_MS
    const { ran } = await runDue()
    expect(ran).toContainEqual({ kind: 'demo_end', count: 1 })
    expect((await h.refusal('user.get', { params: { user_id } })).status).toBe(404)
    expect((await h.refusal('user.undo_delete', { body: { user_id } })).code).toBe('undo_refused')
    const { summaries, events, users } = await h.engine.context.store.upkeep.statistics()
    expect({ summaries, events, users }).toEqual({ summaries: 0, events: 0, users: 0 })
    expect((await runDue()).ran).toEqual([])
  })

  it('ends only once when two processes end it', async () => {
    await demo()
    h.time.ms += 8 * DAY_MS
    const other = await openHarness({ dataDir: h.dataDir })
    other.time.ms = h.time.ms
    const runs = await Promise.all(
      [h, other].map(each => runDueJobs(each.engine.context, { now: h.time.ms, userIds: null })),
    )
    const ended = runs.flatMap(({ ran }) => ran.filter(({ kind }) => kind === 'demo_end').map(({ count }) => count))
    expect(ended).toEqual([1])
    await other.engine.close()
  })
})

describe('demo and real connections', () => {
  it('cannot be mixed: a user with a real one is refused a demo', async () => {
    await linkReal()
    const error = await h.refusal('link.demo', { body: { user_id, provider: 'oura' } })
    expect([error.status, error.code]).toEqual([400, 'bad_request'])
    expect((await connections()).map(each => each.slug)).toEqual(['whoop'])
  })

  it('cannot be mixed: a user with a demo is refused a real one, and the token stays usable', async () => {
    await demo()
    expect(await linkReal()).toMatchObject({ state: 'error', error_type: 'provider_api_error' })
    expect((await connections()).map(each => each.slug)).toEqual(['oura'])
  })

  it('leave a user whose demo was disconnected like any other, also after seven days', async () => {
    await demo()
    await h.call('user.disconnect', { params: { user_id, provider: 'oura' } })
    expect((await linkReal()).state).toBe('success')
    h.time.ms += 8 * DAY_MS
    await runDue()
    expect((await connections()).map(each => each.slug)).toEqual(['whoop'])
  })

  it('leave a user who was deleted and restored without a demo', async () => {
    await demo()
    await h.call('user.delete', { params: { user_id } })
    await h.call('user.undo_delete', { body: { user_id } })
    h.time.ms += 8 * DAY_MS
    await runDue()
    expect(await connections()).toEqual([])
  })
})
