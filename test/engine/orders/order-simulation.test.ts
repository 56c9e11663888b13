/** Simulated lab orders: their states over time, the lab reports, and the events. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { labTests } from '../../../src/catalogue/labs/lab-tests.ts'
import { nextStatuses, statusName } from '../../../src/catalogue/labs/order-statuses.ts'
import { INTERPRETATIONS, RESULT_TYPES } from '../../../src/contract/orders/order-result.ts'
import { DAY_MS, MINUTE_MS } from '../../../src/core/time.ts'
import { times } from '../../kit/effort.ts'
import type { Harness } from '../../kit/harness.ts'
import { openHarness } from '../../kit/harness.ts'
import { seed } from '../../kit/seed.ts'
import { newUser, orderBody, placed } from './orders.ts'

const readStatus = async (harness: Harness, order_id: string): Promise<string> =>
  (await harness.call('order.get', { params: { order_id } })).last_event.status
const listTypes = async (harness: Harness, userId: string): Promise<string[]> =>
  (await harness.engine.context.store.events.ofUser(userId as never, 0, 1000)).map(event => event.type)

describe('simulating an order', () => {
  it('completes it at once, with an event for each state', async () => {
    const harness = await openHarness()
    const { userId, order } = await placed(harness, 'heart-health-kit')
    const reply = await harness.call('order.simulate', { params: { order_id: order.id } })
    expect(reply).toMatchObject({ success: true, final_status: 'completed.testkit.completed', delay: 0 })
    expect(reply.statuses).toEqual([
      'collecting_sample.testkit.transit_customer',
      'collecting_sample.testkit.with_customer',
      'collecting_sample.testkit.transit_lab',
      'sample_with_lab.testkit.delivered_to_lab',
      'completed.testkit.completed',
    ])
    const done = await harness.call('order.get', { params: { order_id: order.id } })
    expect(done.events.map(each => each.status).slice(2)).toEqual(reply.statuses)
    expect(done).toMatchObject({ status: 'completed', interpretation: 'normal', has_missing_results: false })
    expect(done.sample_id).toMatch(/^S[0-9A-F]{10}$/)
    expect(done.details.data.shipment).toMatchObject({ inbound_courier: 'sandbox courier' })
    expect(done.expected_result_by_date).toBe('2026-11-22')
    expect(await listTypes(harness, userId)).toEqual([
      'labtest.order.created',
      ...Array.from({ length: 6 }, () => 'labtest.order.updated'),
    ])
  })

  it('with a delay advances one state at a time by the clock, each with its own time', async () => {
    const harness = await openHarness()
    const { order } = await placed(harness, 'heart-health-kit')
    const params = { order_id: order.id }
    const reply = await harness.call('order.simulate', { params, query: { delay: '60' } })
    expect(reply.completes_at).toBe('2026-11-20T12:05:00+00:00')
    expect(await readStatus(harness, order.id)).toBe('received.testkit.requisition_created')
    harness.time.ms += MINUTE_MS
    expect(await readStatus(harness, order.id)).toBe('collecting_sample.testkit.transit_customer')
    harness.time.ms += 2 * MINUTE_MS + 1
    const later = await harness.call('order.get', { params })
    expect(later.last_event).toMatchObject({
      status: 'collecting_sample.testkit.transit_lab',
      created_at: '2026-11-20T12:03:00+00:00',
    })
    harness.time.ms += DAY_MS
    expect((await harness.call('engine.run_due', {})).ran).toContainEqual({ kind: 'order', count: 1 })
    expect((await harness.call('order.list', {})).orders[0]?.last_event).toMatchObject({
      status: 'completed.testkit.completed',
      created_at: '2026-11-20T12:05:00+00:00',
    })
    expect((await harness.call('engine.run_due', {})).ran).toEqual([])
  })

  it('advances once, however many callers read it at the same time', async () => {
    const harness = await openHarness()
    const { userId, order } = await placed(harness, 'heart-health-kit')
    const params = { order_id: order.id }
    await harness.call('order.simulate', { params, query: { delay: 1 } })
    harness.time.ms += MINUTE_MS
    await Promise.all([
      ...[1, 2, 3].map(() => harness.call('order.get', { params })),
      harness.call('engine.run_due', {}),
      harness.call('order.list', {}),
    ])
    expect((await harness.call('order.get', { params })).events).toHaveLength(7)
    expect(await listTypes(harness, userId)).toHaveLength(7)
  })

  it('is replaced by a later simulation, and refused for a state that the order cannot reach', async () => {
    const harness = await openHarness()
    const { order } = await placed(harness, 'heart-health-kit')
    const params = { order_id: order.id }
    await harness.call('order.simulate', { params, query: { delay: 60 } })
    await harness.call('order.simulate', { params, query: { final_status: 'failed.testkit.lost' } })
    harness.time.ms += DAY_MS
    expect(await readStatus(harness, order.id)).toBe('failed.testkit.lost')
    expect(await harness.refusal('order.simulate', { params })).toMatchObject({
      status: 400,
      message: expect.stringContaining('The order is failed'),
    })
    expect(await harness.refusal('order.result', { params })).toMatchObject({ status: 404 })
    const other = { params, query: { final_status: 'completed.walk_in_test.completed' } }
    expect(await harness.refusal('order.simulate', other)).toMatchObject({ status: 400 })
    expect(await harness.refusal('order.simulate', { params, query: { final_status: 'done' } })).toMatchObject({
      status: 422,
    })
  })

  it('ends when its user is deleted, and does not continue when the user is restored', async () => {
    const harness = await openHarness()
    const { userId, order } = await placed(harness, 'heart-health-kit')
    const params = { order_id: order.id }
    await harness.call('order.simulate', { params, query: { delay: 60 } })
    await harness.call('user.delete', { params: { user_id: userId } })
    harness.time.ms += DAY_MS
    await harness.call('engine.run_due', {})
    await harness.call('user.undo_delete', { body: { user_id: userId } })
    harness.time.ms += DAY_MS
    expect(await readStatus(harness, order.id)).toBe('received.testkit.requisition_created')
    expect(await listTypes(harness, userId)).toHaveLength(2)
  })

  it('of any order, along any path in its table, keeps states, events and results consistent', async () => {
    const harness = await openHarness()
    const userId = await newUser(harness)
    const active = labTests().filter(each => each.status === 'active')
    const run = async (slug: string, choices: readonly number[]): Promise<void> => {
      const { order } = await harness.call('order.create', { body: orderBody(userId, slug) })
      const params = { order_id: order.id }
      const method = order.details.type as (typeof active)[number]['method']
      const path: string[] = order.events.map(each => each.status)
      let low = 'requisition_created'
      for (const choice of choices) {
        const next = nextStatuses(method, low)
        if (next.length === 0) break
        low = next[choice % next.length] as string
        path.push(statusName(method, low))
        await harness.call('order.simulate', { params, query: { final_status: path.at(-1) } })
      }
      const after = await harness.call('order.get', { params })
      expect(after.events.map(each => each.status)).toEqual(path)
      expect(after.events.map(each => each.id)).toEqual(path.map((_, i) => i + 1))
      const isReported = path.some(each => /\.(partial_results|completed|corrected)$/.test(each))
      expect(after.interpretation !== null).toBe(isReported)
      if (isReported) await harness.call('order.result', { params })
      else expect(await harness.refusal('order.result', { params })).toMatchObject({ status: 404 })
    }
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...active.map(each => each.slug)), fc.array(fc.nat(), { maxLength: 9 }), run),
      { seed, numRuns: times(10) },
    )
  })
})

describe('a simulated lab report', () => {
  const report = async (slug: string, flags: object, final_status?: string) => {
    const harness = await openHarness()
    const { userId, order } = await placed(harness, slug)
    const params = { order_id: order.id }
    await harness.call('order.simulate', { params, query: { final_status }, body: flags })
    const result = await harness.call('order.result', { params })
    return { harness, userId, params, result, order: await harness.call('order.get', { params }) }
  }

  it('is within the ranges if all is normal, and the same each time', async () => {
    const { result, harness, params } = await report('essential-health', {})
    expect(result.results.length).toBeGreaterThan(30)
    for (const line of result.results) {
      expect(line).toMatchObject({ interpretation: 'normal', type: line.result_type, source_interpretation: 'N' })
      expect(line.value, line.name).toBe(line.type === 'numeric' ? Number(line.result) : -1)
      if (line.min_range_value !== null) expect(line.value, line.name).toBeGreaterThanOrEqual(line.min_range_value)
      if (line.max_range_value !== null) expect(line.value, line.name).toBeLessThanOrEqual(line.max_range_value)
    }
    expect(await harness.call('order.result', { params })).toEqual(result)
    expect((await report('essential-health', {})).result.results).toEqual(result.results)
    expect(result.metadata).toMatchObject({
      age: '40',
      patient: 'Ada Byron-King',
      status: 'final',
      laboratory: 'Labcorp',
    })
    expect(await harness.call('order.result_metadata', { params })).toMatchObject({
      patient_first_name: 'Ada',
      lab_name: 'Labcorp',
      specimen_number: result.metadata.specimen_number,
    })
    const names = result.results.map(line => line.loinc)
    expect(new Set(names).size).toBe(names.length)
  })

  it('has a result far outside its range and an event without its value if it is critical', async () => {
    const { result, order, harness, userId } = await report('essential-health', { interpretation: 'critical' })
    const critical = result.results.filter(line => line.interpretation === 'critical')
    expect(critical).toHaveLength(1)
    expect(critical[0]?.source_interpretation).toMatch(/^(HH|LL|AA)$/)
    expect(order).toMatchObject({ interpretation: 'critical' })
    const events = await harness.engine.context.store.events.ofUser(userId as never, 0, 100)
    expect(events.at(-1)).toMatchObject({
      type: 'labtest.result.critical',
      data: {
        document: {
          order_id: order.id,
          sample_id: order.sample_id,
          status: 'completed.walk_in_test.completed',
          interpretation: 'critical',
          team_id: order.team_id,
          user_id: userId,
          created_at: order.created_at,
          updated_at: order.updated_at,
        },
      },
    })
  })

  it('marks abnormal results on the correct side, for any interpretation and type', async () => {
    const harness = await openHarness()
    const userId = await newUser(harness)
    const run = async (
      slug: string,
      interpretation: (typeof INTERPRETATIONS)[number],
      types: readonly (typeof RESULT_TYPES)[number][],
      missing: boolean,
    ): Promise<void> => {
      const { order } = await harness.call('order.create', { body: orderBody(userId, slug) })
      const params = { order_id: order.id }
      const body = { interpretation, result_types: [...types], has_missing_results: missing }
      await harness.call('order.simulate', { params, body })
      const { results, missing_results: lacking, metadata } = await harness.call('order.result', { params })
      expect(lacking).toHaveLength(missing ? 1 : 0)
      expect(metadata.interpretation).toBe(interpretation)
      for (const line of results) {
        if (types.length > 0 && !types.includes(line.type as never)) expect(line.type).toBe('coded_value')
        if (interpretation === 'unknown') expect(line.interpretation).toBe('unknown')
        if (line.type !== 'numeric') {
          expect(line.value).toBe(-1)
          continue
        }
        const high = line.max_range_value !== null && line.value > line.max_range_value
        const low = line.min_range_value !== null && line.value < line.min_range_value
        expect([line.is_above_max_range, line.is_below_min_range], JSON.stringify(line)).toEqual([high, low])
        if (interpretation !== 'unknown') expect(line.interpretation !== 'normal').toBe(high || low)
      }
      const notable = results.filter(line => line.interpretation === 'abnormal' || line.interpretation === 'critical')
      if (interpretation === 'normal') expect(notable).toEqual([])
      if (results.length > 0 && (interpretation === 'abnormal' || interpretation === 'critical')) {
        expect(notable.map(line => line.interpretation)).toContain(interpretation)
      }
    }
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(
          ...labTests()
            .filter(each => each.status === 'active')
            .map(each => each.slug),
        ),
        fc.constantFrom(...INTERPRETATIONS),
        fc.subarray([...RESULT_TYPES]),
        fc.boolean(),
        run,
      ),
      { seed, numRuns: times(25) },
    )
  })

  it('has some of the results while partial, all when completed, and different ones when corrected', async () => {
    const {
      harness,
      params,
      result: partial,
    } = await report('iron-status', {}, 'sample_with_lab.on_site_collection.partial_results')
    expect(partial.metadata.status).toBe('partial')
    await harness.call('order.simulate', { params })
    const final = await harness.call('order.result', { params })
    expect(final.results.length).toBeGreaterThan(partial.results.length)
    expect(final.results.slice(0, partial.results.length)).toEqual(partial.results)
    await harness.call('order.simulate', { params, query: { final_status: 'completed.on_site_collection.corrected' } })
    const corrected = await harness.call('order.result', { params })
    expect(corrected.results.map(line => line.name)).toEqual(final.results.map(line => line.name))
    expect(corrected.results).not.toEqual(final.results)
  })

  it('has only a missing result if its only result is missing', async () => {
    const { result, order } = await report('food-allergy-kit', { has_missing_results: true })
    expect(order.has_missing_results).toBe(true)
    expect(result.missing_results[0]).toMatchObject({
      loinc: expect.any(String),
      source_markers: [{ marker_id: expect.any(Number) }],
    })
  })
})
