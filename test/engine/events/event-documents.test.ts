/** The outbox content for each kind of event, from which webhook bodies are built. See docs/interface/events.md. */
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { isEventType } from '../../../src/catalogue/event-types.ts'
import type { UserId } from '../../../src/core/ids.ts'
import type { OutboxEvent } from '../../../src/store/event.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'

let h: Harness
let userId: UserId
let linked: readonly OutboxEvent[]

const since = (sequence: number) => h.engine.context.store.events.ofUser(userId, sequence, 10_000)

async function push(items: readonly object[]): Promise<readonly OutboxEvent[]> {
  const before = (await since(0)).at(-1)?.sequence ?? 0
  const body = { kind: 'stream' as const, stream: Readable.from([Buffer.from(JSON.stringify(items))]) }
  await h.call('samples.push', { params: { user_id: userId }, body })
  return since(before)
}

beforeAll(async () => {
  h = await openHarness()
  userId = (await h.call('user.create', { body: { client_user_id: 'events' } })).user_id as UserId
  const { link_token } = await h.call('link.token', { body: { user_id: userId } })
  const signIn = { params: { provider: 'zwift' as const }, body: { username: 'rider', password: 'p' } }
  await h.call('link.password', signIn, { linkToken: link_token })
  linked = await since(0)
})

const parseDocument = (event: OutboxEvent | undefined): Readonly<Record<string, unknown>> =>
  event?.data.kind === 'document' ? event.data.document : {}

describe('events', () => {
  it('contain their type, team and user, and have unique IDs', () => {
    for (const event of linked) {
      expect(isEventType(event.type), event.type).toBe(true)
      expect(event).toMatchObject({ teamId: h.team.teamId, userId })
    }
    expect(new Set(linked.map(each => each.eventId)).size).toBe(linked.length)
  })

  it('of a link start with the connection, followed by one for each resource that was pulled', () => {
    expect(linked[0]?.type).toBe('provider.connection.created')
    expect(parseDocument(linked[0])).toMatchObject({ provider: 'zwift' })
    const pulls = linked.slice(1)
    for (const event of pulls) {
      expect(event.type).toMatch(/^historical\.data\.\w+\.created$/)
      expect(parseDocument(event)).toMatchObject({ provider: 'zwift', start_date: expect.any(Number) })
    }
    expect(new Set(pulls.map(each => each.type)).size).toBe(pulls.length)
    expect(pulls.map(each => each.type)).toContain('historical.data.sleep_cycle.created')
    expect(linked.map(each => each.type).join()).not.toContain('hypnogram')
  })

  it('of samples contain a batch of one source with its key; the catalogue has the units', async () => {
    const sample = (minute: number, value: number) => ({
      resource: 'glucose',
      provider: 'freestyle_libre',
      source_type: 'automatic',
      timestamp: `2026-11-20T08:0${minute}:00+01:00`,
      value,
    })
    const [created, ...more] = (await push([sample(0, 5), sample(1, 6)])).filter(each => each.data.kind === 'samples')
    expect(more).toEqual([])
    const batch = created?.data.kind === 'samples' ? created.data.batch : undefined
    expect(created?.type).toBe('daily.data.glucose.created')
    expect(batch?.series).toMatchObject({ resource: 'glucose', provider: 'freestyle_libre', sourceType: 'automatic' })
    expect(batch?.n).toBe(2)
    // a later value with the same key replaces the earlier one and is reported as updated
    const [updated] = await push([sample(1, 7)])
    expect(updated?.type).toBe('daily.data.glucose.updated')
  })

  it('of more samples than fit into a body are split, in time order', async () => {
    const minute = (i: number) => new Date(Date.UTC(2026, 10, 10) + i * 60_000).toISOString()
    const items = Array.from({ length: 6_000 }, (_, i) => ({ resource: 'heartrate', timestamp: minute(i), value: 60 }))
    const events = (await push(items)).filter(each => each.type === 'daily.data.heartrate.created')
    const starts = events.map(each => (each.data.kind === 'samples' ? each.data.batch.start[0] : undefined))
    expect(events.length).toBeGreaterThanOrEqual(3)
    expect(starts).toEqual([...starts].sort((a, b) => Number(a) - Number(b)))
  })
})
