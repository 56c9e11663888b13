/** `svc event trigger`: causes every type of event by a change that can be read back, or on its own; refusals say what is allowed. */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { allEventTypes, resourceEvent } from '../../../src/catalogue/event-types.ts'
import { eventBody } from '../../../src/contract/events/event-payload.ts'
import type { UserId } from '../../../src/core/ids.ts'
import { SUMMARY_KINDS } from '../../../src/core/sample.ts'
import { type Harness, openHarness } from '../../kit/harness.ts'
import { DAILY_STEPS } from '../continuous/continuous.ts'

interface Sample {
  readonly timestamp: string
  readonly value: number
}

let h: Harness
let user_id: UserId
let people = 0
beforeAll(async () => {
  h = await openHarness()
})

async function newUser(client_user_id: string): Promise<UserId> {
  return (await h.call('user.create', { body: { client_user_id, fallback_time_zone: 'Europe/Berlin' } })).user_id
}

const trigger = (type: string, more: Record<string, unknown> = {}) =>
  h.call('event.trigger', { body: { type, user_id, ...more } })
const refusal = (type: string, more: Record<string, unknown> = {}) =>
  h.refusal('event.trigger', { body: { type, user_id, ...more } })

/** Returns the `data` of an event's body. */
async function payload(event_id: string): Promise<Record<string, never>> {
  const event = await h.call('event.get', { params: { event_id } })
  return (event.payload as unknown as { data: Record<string, never> }).data
}

const readSamples = async (resource: string): Promise<Sample[]> => {
  const { groups } = await h.call('timeseries.grouped', {
    params: { user_id, resource },
    query: { start_date: '2020-01-01' },
  })
  return Object.values(groups).flatMap(list => list.flatMap(each => each.data as unknown as Sample[]))
}

const readSummaries = async (kind: string): Promise<Record<string, never>[]> =>
  (
    (await h.call('summary.get', {
      params: { resource: kind, user_id },
      query: { start_date: '2016-01-01' },
    } as never)) as unknown as Record<string, Record<string, never>[]>
  )[kind === 'meal' ? 'meals' : kind] ?? []

describe('samples', () => {
  beforeEach(async () => {
    user_id = await newUser(`samples-${people++}`)
  })

  it('are created with the requested value, and can be read', async () => {
    const { events } = await trigger('daily.data.heartrate.created', { set: { 'data.value': 72 } })
    const [made] = events.filter(each => each.event_type === 'daily.data.heartrate.created')
    const data = await payload(made?.event_id ?? '')
    expect(data['data']).toMatchObject([{ value: 72, unit: 'bpm' }])
    expect(await readSamples('heartrate')).toMatchObject([{ value: 72 }])
  })

  it('are created in the requested number, each with its event, at different times', async () => {
    const { events } = await trigger('daily.data.steps.created', { count: 5 })
    expect(events.filter(each => each.event_type === 'daily.data.steps.created')).toHaveLength(5)
    expect(events.map(each => each.sequence)).toEqual(events.map((_, i) => (events[0]?.sequence as number) + i))
    expect(new Set((await readSamples('steps')).map(each => each.timestamp)).size).toBe(5)
  })

  it('are created once at the requested time', async () => {
    const at = '2026-11-01T08:00:00+01:00'
    // a first event links a source
    await trigger('daily.data.steps.created')
    await trigger('daily.data.glucose.created', { at, set: { 'data.value': 9.1 } })
    expect(await readSamples('glucose')).toMatchObject([{ timestamp: '2026-11-01T07:00:00+00:00', value: 9.1 }])
    expect(await refusal('daily.data.glucose.created', { at })).toMatchObject({ status: 409 })
  })

  it('are changed: the newest ones, or a new one if there are none', async () => {
    const first = await trigger('daily.data.weight.updated')
    expect(first.events.map(each => each.event_type)).toContain('daily.data.weight.created')
    expect(first.events.at(-1)?.event_type).toBe('daily.data.weight.updated')
    const [before] = await readSamples('body_weight')
    const { events } = await trigger('daily.data.weight.updated', { set: { 'data.value': 80.5 } })
    expect(events.map(each => each.event_type)).toEqual(['daily.data.weight.updated'])
    expect(await readSamples('body_weight')).toMatchObject([{ timestamp: before?.timestamp, value: 80.5 }])
    const again = await trigger('daily.data.weight.updated', { set: { 'data.value': 80.5 } })
    expect(again.events.at(-1)?.event_type).toBe('daily.data.weight.updated')
  })

  it('are refused for an unknown path, a wrong value, a wrong source', async () => {
    const unknown = await refusal('daily.data.heartrate.created', { set: { 'data.valeu': 72 } })
    expect(unknown).toMatchObject({ status: 422 })
    expect(unknown.message).toContain('data.value')
    const wrong = await refusal('daily.data.heartrate.created', { set: { 'data.value': 'fast' } })
    expect(wrong.message).toMatch(/value/)
    expect(wrong.message).not.toContain('fast')
    expect(await refusal('daily.data.heartrate.created', { set: { 'data.unit': 'kg' } })).toMatchObject({ status: 422 })
    const source = await refusal('daily.data.heartrate.created', { set: { 'data.source.provider': 'ouraa' } })
    expect(source.message).toContain('oura')
    expect(await refusal('daily.data.heartrate.created', { set: { value: 1 } })).toMatchObject({ status: 422 })
    expect(await refusal('daily.data.heartrate.created', { set: { 'data.__proto__.x': 1 } })).toMatchObject({
      status: 422,
    })
    expect(await refusal('daily.data.heartrat.created')).toMatchObject({ status: 422 })
    expect(
      await refusal('daily.data.heartrate.created', { user_id: '00000000-0000-4000-8000-000000000000' }),
    ).toMatchObject({
      status: 404,
    })
  })
})

describe('summaries', () => {
  beforeEach(async () => {
    user_id = await newUser(`summaries-${people++}`)
  })

  it('are created, one per day, and can be read', async () => {
    const { events } = await trigger('daily.data.sleep.created', { count: 2, set: { 'data.score': 12 } })
    const made = events.filter(each => each.event_type === 'daily.data.sleep.created')
    expect(made).toHaveLength(2)
    const sleeps = await readSummaries('sleep')
    expect(sleeps).toMatchObject([{ score: 12 }, { score: 12 }])
    expect((await payload(made[1]?.event_id ?? ''))['id']).toBe(sleeps[0]?.['id'])
  })

  it('are changed and keep their ID', async () => {
    await trigger('daily.data.sleep.created', { count: 2 })
    const [, newest] = await readSummaries('sleep')
    await trigger('daily.data.sleep.updated', { set: { 'data.score': 90 } })
    const [, after] = await readSummaries('sleep')
    expect(after).toMatchObject({ id: newest?.['id'], score: 90 })
  })

  it('accept nested fields, and are refused as the contract requires', async () => {
    const { events } = await trigger('daily.data.activity.created', { set: { 'data.heart_rate.max_bpm': 181 } })
    expect(await payload(events.at(-1)?.event_id ?? '')).toMatchObject({ heart_rate: { max_bpm: 181, min_bpm: 48 } })
    const unknown = await refusal('daily.data.activity.created', { set: { 'data.stepps': 1 } })
    expect(unknown.message).toContain('data.steps')
    expect(await refusal('daily.data.activity.created', { set: { 'data.steps': 'many' } })).toMatchObject({
      status: 422,
    })
    expect(await refusal('daily.data.activity.created', { set: { 'data.id': 'x' } })).toMatchObject({ status: 422 })
  })

  it('of a workout are at the requested time', async () => {
    await trigger('daily.data.workouts.created', { at: '2026-11-05T06:30:00Z' })
    expect(await readSummaries('workouts')).toMatchObject([
      { time_start: '2026-11-05T06:30:00+00:00', time_end: '2026-11-05T07:12:00+00:00' },
    ])
  })

  it('have a stream that can be read', async () => {
    const { events } = await trigger('daily.data.workout_stream.created')
    const made = events.find(each => each.event_type === 'daily.data.workout_stream.created')
    const { workout_id } = await payload(made?.event_id ?? '')
    const stream = await h.call('timeseries.workout_stream', { params: { workout_id: workout_id as never } })
    expect(stream.heartrate).toHaveLength(60)
    const changed = await trigger('daily.data.workout_stream.updated')
    expect(changed.events.map(each => each.event_type)).toEqual(['daily.data.workout_stream.updated'])
  })
})

describe('links', () => {
  beforeEach(async () => {
    user_id = await newUser(`links-${people++}`)
  })

  it('are created, fail, and recover', async () => {
    const made = await trigger('provider.connection.created', { set: { 'data.provider.slug': 'whoop' } })
    expect(made.events[0]?.event_type).toBe('provider.connection.created')
    expect(made.events.some(each => each.event_type.startsWith('daily.'))).toBe(false)
    expect(await refusal('provider.connection.created', { set: { 'data.provider.slug': 'whoop' } })).toMatchObject({
      status: 409,
    })
    const broken = await trigger('provider.connection.error', {
      set: { 'data.error_type': 'provider_password_expired' },
    })
    expect(await payload(broken.events[0]?.event_id ?? '')).toMatchObject({
      provider: 'whoop',
      error_type: 'provider_password_expired',
    })
    await trigger('provider.connection.created')
    const { providers } = await h.call('user.providers', { params: { user_id } })
    expect(providers).toMatchObject([{ slug: 'whoop', status: 'connected' }])
    const wrong = await refusal('provider.connection.error', { set: { 'data.error_type': 'tired' } })
    expect(wrong).toMatchObject({ status: 422 })
  })

  it('start a backfill of one resource', async () => {
    await trigger('provider.connection.created')
    const { events } = await trigger('historical.data.sleep.created', { count: 2 })
    expect(events.map(each => each.event_type)).toEqual(Array(2).fill('historical.data.sleep.created'))
    const fresh = await trigger('historical.data.water.created')
    expect(fresh.events.map(each => each.event_type)).toContain('historical.data.water.created')
    expect((await readSamples('water')).length).toBeGreaterThan(10)
    expect(await refusal('historical.data.ige.created')).toMatchObject({ status: 409 })
  })

  it('start no backfill that would be empty', async () => {
    const body = { client_user_id: 'bounded', ingestion_end: '2020-01-01' }
    const bounded = (await h.call('user.create', { body })).user_id
    const type = 'historical.data.water.created'
    await expect(h.call('event.trigger', { body: { type, user_id: bounded } })).rejects.toMatchObject({ status: 409 })
    const { data } = await h.call('event.list', { query: { user_id: bounded } } as never)
    expect(data).toEqual([])
  })

  it('report devices', async () => {
    const added = await trigger('provider.device.created', { set: { 'data.device_model': 'Watch 7' } })
    expect(await payload(added.events[0]?.event_id ?? '')).toMatchObject({ device_model: 'Watch 7' })
    const changed = await trigger('provider.device.updated')
    expect(changed.events.map(each => each.event_type)).toEqual(['provider.device.updated'])
  })
})

describe('orders and queries', () => {
  beforeAll(async () => {
    user_id = await newUser('orders')
  })

  it('of labs are placed, advance, and become critical', async () => {
    const placed = await trigger('labtest.order.created', { set: { 'data.patient_details.first_name': 'Grace' } })
    expect(placed.events[0]?.event_type).toBe('labtest.order.created')
    const { orders } = await h.call('order.list', { query: { user_id } } as never)
    expect(orders).toMatchObject([{ patient_details: { first_name: 'Grace' } }])
    const moved = await trigger('labtest.order.updated')
    expect(moved.events.at(-1)?.event_type).toBe('labtest.order.updated')
    const critical = await trigger('labtest.result.critical')
    expect(critical.events.map(each => each.event_type)).toContain('labtest.result.critical')
    expect(await refusal('labtest.order.created', { set: { 'data.patient_details.dob': 'long ago' } })).toMatchObject({
      status: 422,
    })
    expect(await refusal('labtest.order.created', { at: '2026-11-01' })).toMatchObject({ status: 422 })
  })

  it('change the result table of an existing query, or explain how to create one', async () => {
    const none = await refusal('continuous_query.result_table.changed')
    expect(none).toMatchObject({ status: 409 })
    expect(none.suggestions.join()).toContain('aggregate watch create')
    await h.call('continuous_query.create', { body: DAILY_STEPS })
    const { events } = await trigger('continuous_query.result_table.changed')
    expect(events.at(-1)?.event_type).toBe('continuous_query.result_table.changed')
  })
})

describe('every event type', () => {
  const daily = allEventTypes().filter(type => type.startsWith('daily.'))
  it.each(daily)('can be caused, and its body matches its schema: %s', async type => {
    user_id = await newUser(type)
    const { events } = await trigger(type)
    const made = events.find(each => each.event_type === type)
    expect(made).toBeDefined()
    const { payload: body } = await h.call('event.get', { params: { event_id: made?.event_id ?? '' } })
    expect(eventBody(type)?.safeParse(body).error).toBeUndefined()
    const about = resourceEvent(type)
    if (SUMMARY_KINDS.some(kind => kind === about?.resource) && about?.resource !== 'profile') {
      expect((await readSummaries(about?.resource ?? '')).length).toBeGreaterThan(0)
    }
  })

  it('can be written on its own, changing nothing', async () => {
    user_id = await newUser('alone')
    for (const type of allEventTypes()) {
      const { events } = await trigger(type, { only_event: true })
      expect(events).toMatchObject([{ event_type: type, user_id }])
    }
    expect(await readSamples('heartrate')).toEqual([])
    const { events } = await trigger('daily.data.heartrate.created', {
      only_event: true,
      set: { 'data.value': 99 },
      count: 2,
    })
    expect(events).toHaveLength(2)
    expect((await payload(events[1]?.event_id ?? ''))['data']).toMatchObject([{ value: 99 }, {}])
    expect(
      await refusal('daily.data.heartrate.created', { only_event: true, set: { 'data.value': 'x' } }),
    ).toMatchObject({
      status: 422,
    })
    const strange = await refusal('message.attempt.exhausted', { only_event: true, set: { 'data.atempts': 3 } })
    expect(strange.message).toContain('data.attempts')
  })

  it('that nothing can cause is refused, with an alternative', async () => {
    for (const type of ['message.attempt.exhausted', 'labtest.appointment.created', 'lab_report.parsing_job.created']) {
      const refused = await refusal(type)
      expect(refused).toMatchObject({ status: 409, code: 'conflict' })
      expect(refused.suggestions.join()).toContain('--only-event')
    }
  })
})
