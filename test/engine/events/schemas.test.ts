/** The body of every event type matches its schema, whether a real change causes it or it is the example. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { beforeAll, describe, expect, it } from 'vitest'
import { allEventTypes, EVENT_RESOURCES, OTHER_EVENT_TYPES, resourceEvent } from '../../../src/catalogue/event-types.ts'
import { SHIPPED_REGISTRY } from '../../../src/catalogue/providers.ts'
import { RESOURCES } from '../../../src/catalogue/resources.ts'
import { eventBody } from '../../../src/contract/events/event-payload.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { SUMMARY_KINDS, type SummaryRecord } from '../../../src/core/sample.ts'
import type { StreamRecord } from '../../../src/core/stream.ts'
import { sampleExample } from '../../../src/engine/events/examples/sample-examples.ts'
import { summaryExample } from '../../../src/engine/events/examples/summary-examples.ts'
import { renderEvent } from '../../../src/engine/events/render.ts'
import type { DataWrite } from '../../../src/store/data-write.ts'
import type { OutboxEvent } from '../../../src/store/event.ts'
import { type Harness, NOON, openHarness } from '../../kit/harness.ts'

const SENT = RESOURCES.filter(each => each.name !== 'hypnogram')
let h: Harness
let userId: UserId
let events: readonly OutboxEvent[]

/** Returns one of every kind of data that a provider may send; a higher version makes each one newer. */
function everything(version: number): Pick<DataWrite, 'batches' | 'summaries' | 'streams'> {
  const whose = { teamId: h.team.teamId, userId, clientUserId: 'a', at: NOON, compatibilityDate: '2026-11-20' }
  return {
    batches: SENT.map(each => {
      const batch = sampleExample(each, NOON)
      return { ...batch, value: batch.value.map(value => value + version), offset: null }
    }),
    summaries: SUMMARY_KINDS.map((kind): SummaryRecord => {
      const row = summaryExample(kind, 'created', whose) as Record<string, never>
      return {
        kind,
        id: row['id'] as unknown as string,
        provider: 'oura',
        sourceType: 'ring',
        appId: null,
        deviceId: null,
        at: row['at'] as unknown as number,
        date: row['date'] as unknown as string,
        offset: version,
        document: row['document'] as unknown as Record<string, unknown>,
      }
    }),
    streams: [
      {
        n: 1,
        time: Float64Array.of(NOON),
        columns: new Map([['heartrate', Float64Array.of(90 + version)]]),
        workoutId: 'c0ffee00-0000-4000-8000-000000000001',
        provider: 'strava',
        sourceType: 'watch',
        at: NOON,
        offset: null,
        providerId: '1',
        sport: null,
      } satisfies StreamRecord,
    ],
  }
}

beforeAll(async () => {
  h = await openHarness()
  userId = (await h.call('user.create', { body: { client_user_id: 'a' } })).user_id as UserId
  const write: Omit<DataWrite, 'batches' | 'summaries' | 'streams'> = {
    at: NOON,
    teamId: h.team.teamId,
    events: { kind: 'daily' },
    importing: null,
    connections: [
      {
        userId,
        provider: 'oura',
        createdOn: NOON,
        externalUserId: 'x',
        region: null,
        link: { scopes: null, isDemo: false },
      },
    ],
    devices: [
      {
        deviceId: 'd3c0ffee-0000-4000-8000-000000000001',
        provider: 'oura',
        sourceType: 'ring',
        appId: null,
        manufacturer: 'Oura',
        model: 'Ring',
        version: '1',
      },
    ],
    consumeToken: null,
  }
  const { store } = h.engine.context
  await store.data.write(userId, { ...write, ...everything(0) })
  const devices = write.devices?.map(each => ({ ...each, version: '2' })) ?? []
  await store.data.write(userId, { ...write, devices, connections: [], ...everything(1) })
  const pulled = { kind: 'historical' as const, provider: 'oura', from: NOON - 1_000, to: NOON }
  await store.data.write(userId, { ...write, events: pulled, connections: [], ...everything(2) })
  await h.call('provider.fail', {
    params: { user_id: userId, provider: 'oura' },
    body: { error_type: 'token_refresh_failed' },
  })
  events = await store.events.ofUser(userId, 0, 10_000)
})

const text = (event: OutboxEvent) => renderEvent(event, SHIPPED_REGISTRY)
const findProblems = (type: string, body: unknown) => {
  const schema = eventBody(type)
  if (!schema) return [`no schema for ${type}`]
  return schema.safeParse(body).error?.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`) ?? []
}

describe('the body of an event', () => {
  it.each(EVENT_RESOURCES)('matches its schema when %s are added, changed and pulled', resource => {
    const types = allEventTypes().filter(type => resourceEvent(type)?.resource === resource)
    expect(types).toHaveLength(3)
    for (const type of types) {
      const event = events.find(each => each.type === type)
      expect(event, type).toBeDefined()
      const body = JSON.parse(text(event as OutboxEvent))
      expect(findProblems(type, body), type).toEqual([])
      expect(Object.keys(body)).toEqual(['event_type', 'data', 'team_id', 'user_id', 'client_user_id'])
      expect(body).toMatchObject({ event_type: type, user_id: userId, client_user_id: 'a', data: { user_id: userId } })
      expect(body.data.source).toMatchObject({ provider: expect.any(String), type: expect.any(String) })
      expect(body.data.source).toHaveProperty('app_id')
    }
  })

  it.each([
    'provider.connection.created',
    'provider.connection.error',
    'provider.device.created',
    'provider.device.updated',
  ])('matches its schema: %s', type => {
    const event = events.find(each => each.type === type)
    expect(findProblems(type, event && JSON.parse(text(event)))).toEqual([])
  })

  it('has the same bytes each time it is rendered', async () => {
    const first = events.map(text)
    const again = await h.engine.context.store.events.ofUser(userId, 0, 10_000)
    expect(again.map(text)).toEqual(first)
  })
})

describe('an event type', () => {
  it('is listed with its meaning, and can be selected with a pattern', async () => {
    const { data } = await h.call('event.types', {})
    expect(data.map(each => each.type)).toEqual(allEventTypes())
    for (const each of data) expect(each.description, each.type).toMatch(/^[A-Z].{10,}/)
    const some = await h.call('event.types', { query: { type: 'daily.data.s*.created,provider.device.*' } })
    expect(some.data.map(each => each.type)).toContain('daily.data.steps.created')
    expect(some.data.map(each => each.type)).toContain('provider.device.updated')
    expect(some.data.every(each => /^(daily\.data\.s\w+\.created|provider\.device\.\w+)$/.test(each.type))).toBe(true)
  })

  it('has an example that matches its schema', async () => {
    for (const type of allEventTypes()) {
      const { example, resource } = await h.call('event.type', { params: { type } })
      expect(resource).toBe(resourceEvent(type)?.resource ?? null)
      expect(findProblems(type, example), type).toEqual([])
    }
  })

  // one from each family, because compiling a schema takes a while
  it.each([
    'daily.data.glucose.created',
    'daily.data.blood_pressure.updated',
    'daily.data.note.created',
    'daily.data.meal.created',
    'daily.data.workout_stream.created',
    'historical.data.sleep.created',
    ...OTHER_EVENT_TYPES.filter(each => !each.endsWith('.updated')),
  ])('has its own JSON Schema, which a validator accepts: %s', async type => {
    const { schema, example } = await h.call('event.type', { params: { type } })
    const ajv = new Ajv2020({ strict: false })
    formats.default(ajv)
    const validate = ajv.compile(schema)
    validate(example)
    expect(validate.errors ?? []).toEqual([])
    expect(validate({ ...example, data: 'nothing' })).toBe(false)
  })

  it('that does not exist gets the nearest one as a suggestion', async () => {
    const refused = await h.refusal('event.type', { params: { type: 'daily.data.step.created' } })
    expect(refused.status).toBe(404)
    expect(refused.message).toContain('daily.data.steps.created')
  })
})
