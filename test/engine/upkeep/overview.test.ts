/** Counters of a team, and the overview that shows them. */
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { UserId } from '../../../src/core/ids.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../src/core/time.ts'
import { Counters, removeOldCounts } from '../../../src/engine/counters.ts'
import { runOperation } from '../../../src/engine/engine.ts'
import type { Count } from '../../../src/store/team.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'

const TODAY = '2026-11-20'

async function createUser(h: Harness, name: string): Promise<UserId> {
  return (await h.call('user.create', { body: { client_user_id: name } })).user_id as UserId
}

const pushed = (userId: string, values: readonly number[]) => {
  const samples = values.map((value, i) => ({
    resource: 'heartrate',
    timestamp: new Date(NOON - i * MINUTE_MS).toISOString(),
    value,
  }))
  const stream = Readable.from([Buffer.from(JSON.stringify({ samples }))])
  return { params: { user_id: userId as UserId }, body: { kind: 'stream', stream } } as const
}

/** Stores the counts as a server does every minute, by closing the engine and opening it again. */
async function counted(h: Harness): Promise<Harness> {
  await h.engine.close()
  const again = await openHarness({ dataDir: h.dataDir })
  again.time.ms = h.time.ms
  return again
}

describe('counters', () => {
  it('count committed users, connections, samples and events, and nothing that was undone', async () => {
    let h = await openHarness()
    const userId = await createUser(h, 'alice')
    await createUser(h, 'bob')
    await h.refusal('user.create', { body: { client_user_id: 'bob' } })
    await h.call('samples.push', pushed(userId, [60, 61]))
    await h.call('samples.push', pushed(userId, [60, 62]))
    await h.call('team.update', { params: { team_id: h.team.teamId }, body: { max_bytes: 1 } })
    expect(await h.refusal('samples.push', pushed(userId, [70]))).toMatchObject({ code: 'quota_exceeded' })
    h = await counted(h)
    const { days } = await h.call('engine.overview', {})
    expect(days).toHaveLength(14)
    const events = (await h.call('event.list', {})).data.length
    expect(days.at(-1)).toMatchObject({ date: TODAY, users: 2, connections: 1, samples: 3, events })
    expect(days.at(-2)).toMatchObject({ date: '2026-11-19', users: 0, samples: 0, events: 0 })
  })

  it('add up over processes and hours, and are removed after 15 days', async () => {
    let h = await openHarness()
    await createUser(h, 'alice')
    h = await counted(h)
    h.time.ms += HOUR_MS
    await createUser(h, 'bob')
    h = await counted(h)
    expect((await h.call('engine.overview', {})).days.at(-1)).toMatchObject({ users: 2 })
    h.time.ms = NOON + 13 * DAY_MS
    expect((await h.call('engine.overview', {})).days[0]).toMatchObject({ date: TODAY, users: 2 })
    expect(await removeOldCounts(h.engine.context)).toBe(0)
    h.time.ms = NOON + 15 * DAY_MS + 1
    expect(await removeOldCounts(h.engine.context)).toBeGreaterThan(0)
  })

  it('are kept for the next time if they cannot be stored', async () => {
    const counters = new Counters()
    const stored: (readonly Count[])[] = []
    let isBroken = true
    const add = async (counts: readonly Count[]) => {
      if (isBroken) throw new Error('no')
      stored.push(counts)
    }
    const count = { teamId: 't' as never, name: 'events', subject: '', n: 2 } as const
    counters.add(count)
    counters.add(count)
    await counters.flush({ counters: { add } as never }, NOON)
    isBroken = false
    counters.add({ ...count, n: 1 })
    await counters.flush({ counters: { add } as never }, NOON)
    await counters.flush({ counters: { add } as never }, NOON)
    expect(stored).toEqual([[{ ...count, n: 5 }]])
  })
})

describe('the overview', () => {
  it('shows what needs attention, connections by provider, and the latest activity', async () => {
    const h = await openHarness()
    expect(await h.call('engine.overview', {})).toMatchObject({ attention: [], users: 0, connections: [], events: [] })
    const [alice, bob] = [await createUser(h, 'alice'), await createUser(h, 'bob')]
    for (const user_id of [alice, bob]) await h.call('link.demo', { body: { user_id, provider: 'oura' } })
    await h.call('link.demo', { body: { user_id: alice, provider: 'fitbit' } })
    await h.call('provider.fail', {
      params: { user_id: bob, provider: 'oura' },
      body: { error_type: 'token_refresh_failed' },
    } as never)
    const { endpoint_id } = await h.call('webhook.create', { body: { url: 'https://example.com/hooks' } })
    await h.call('event.trigger', { body: { type: 'provider.device.created', user_id: alice } } as never)
    const { store } = h.engine.context
    await store.webhooks.disable(h.team.teamId, endpoint_id, 'failing', NOON)
    await h.settled()
    const found = await h.call('engine.overview', {})
    expect(found).toMatchObject({
      attention: [
        { kind: 'connections_in_error', count: 1, endpoint_id: null },
        { kind: 'endpoint_disabled', since: '2026-11-20T12:00:00+00:00', endpoint_id },
        { kind: 'dead_deliveries', count: 1 },
      ],
      users: 2,
      connections: [
        { provider: 'oura', count: 2, in_error: 1 },
        { provider: 'fitbit', count: 1, in_error: 0 },
      ],
      deliveries: { waiting: 0, dead: 1 },
    })
    expect(found.events[0]).toMatchObject({ event_type: 'provider.device.created', user_id: alice })
    expect(found.audit?.[0]).toMatchObject({ operation: 'event.trigger', outcome: 'ok' })
  })

  it('shows a team only its own figures, and no audit trail', async () => {
    const h = await openHarness()
    await h.call('link.demo', { body: { user_id: await createUser(h, 'alice'), provider: 'oura' } })
    const { team_id } = await h.call('team.create', { body: { name: 'acme' } })
    const { api_key } = await h.call('key.create', { params: { team_id }, body: {} })
    const asTeam = async () => {
      const credentials = { kind: 'headers', apiKey: api_key, linkToken: null } as const
      const input = { params: {}, query: {}, body: undefined }
      const reply = await runOperation(h.engine.context, 'engine.overview', { input, credentials, accept: '' })
      return reply.kind === 'json' ? (reply.body as object) : {}
    }
    expect(await asTeam()).toMatchObject({ users: 0, connections: [], events: [], audit: null, attention: [] })
    // the jobs of demo connections are overdue, which concerns operators
    h.time.ms += 2 * DAY_MS
    const { attention } = await h.call('engine.overview', {})
    expect(attention).toMatchObject([{ kind: 'overdue_jobs', is_minimum: false, since: expect.any(String) }])
    expect(await asTeam()).toMatchObject({ attention: [] })
  })
})
