/** Lab orders: placing, refusing, repeating, finding and cancelling them. */
import { describe, expect, it } from 'vitest'
import { labAccounts } from '../../../src/catalogue/labs/lab-accounts.ts'
import { DAY_MS, HOUR_MS } from '../../../src/core/time.ts'
import { EVERY_ORDER } from '../../../src/store/order.ts'
import { NOON, openHarness } from '../../kit/harness.ts'
import { ADDRESS, labTestId, newUser, orderBody, PATIENT, placed } from './orders.ts'

const NOBODY = '00000000-0000-4000-8000-000000000000'
const account = (lab: number): string => labAccounts().find(each => each.labId === lab)?.id ?? ''

describe('an order', () => {
  it('is placed with a requisition, with an event for both states', async () => {
    const harness = await openHarness()
    const { userId, order } = await placed(harness)
    expect(order).toMatchObject({
      user_id: userId,
      team_id: harness.team.teamId,
      status: 'received',
      last_event: { status: 'received.walk_in_test.requisition_created' },
      lab_test: { id: labTestId('essential-health'), lab: { slug: 'labcorp' }, auto_generated: false },
      details: { type: 'walk_in_test', data: { appointment_id: null } },
      patient_details: { ...PATIENT, medical_proxy: null },
      patient_address: ADDRESS,
      billing_type: 'client_bill',
      sample_id: null,
      interpretation: null,
      order_transaction: { status: 'active', orders: [{ id: order.id, low_level_status: 'requisition_created' }] },
    })
    expect(order.id.slice(0, 13)).toBe(userId.slice(0, 13))
    expect(await harness.call('order.get', { params: { order_id: order.id } })).toEqual(order)
    const events = await harness.engine.context.store.events.ofUser(userId as never, 0, 10)
    expect(events.map(event => event.type)).toEqual(['labtest.order.created', 'labtest.order.updated'])
    expect(events[0]?.data).toMatchObject({
      document: { id: order.id, events: [{ status: 'received.walk_in_test.ordered' }] },
    })
  })

  it('with the deprecated lab_test_id equals one with a set of one test; using both is refused', async () => {
    const harness = await openHarness()
    const id = labTestId('iron-status')
    const { userId, order } = await placed(harness, 'iron-status', { order_set: undefined, lab_test_id: id })
    expect(order.lab_test).toMatchObject({ id, slug: 'iron-status' })
    const both = orderBody(userId, 'iron-status', { lab_test_id: id })
    expect(await harness.refusal('order.create', { body: both })).toMatchObject({ status: 422 })
    const neither = orderBody(userId, 'iron-status', { order_set: undefined })
    expect((await harness.refusal('order.create', { body: neither })).body).toMatchObject({
      detail: [{ loc: ['body', 'order_set'], type: 'missing' }],
    })
  })

  it('for several tests and single markers creates a lab test, only once for the same markers', async () => {
    const harness = await openHarness()
    const userId = await newUser(harness)
    const set = { lab_test_ids: [labTestId('essential-health')], add_on: { marker_ids: [602_276] } }
    const first = await harness.call('order.create', { body: orderBody(userId, undefined, { order_set: set }) })
    const again = await harness.call('order.create', { body: orderBody(userId, undefined, { order_set: set }) })
    expect(first.order.lab_test).toMatchObject({ auto_generated: true, method: 'walk_in_test', fasting: true })
    expect(first.order.lab_test.markers?.map(each => each.id)).toContain(602_276)
    expect(again.order.lab_test.id).toBe(first.order.lab_test.id)
    const made = await harness.call('labs.tests', { query: { generation_method: 'auto' } })
    expect(made.data.map(each => each.id)).toEqual([first.order.lab_test.id])
    expect((await harness.call('labs.tests', {})).data.map(each => each.id)).not.toContain(first.order.lab_test.id)
  })

  it('through an account whose team writes its own requisitions bypasses ours, with the account’s notes', async () => {
    const harness = await openHarness()
    const { order } = await placed(harness, 'thyroid-walk-in', { lab_account_id: account(4) })
    expect(order).toMatchObject({
      last_event: { status: 'received.walk_in_test.requisition_bypassed' },
      notes: 'Report to the ordering practice.',
    })
    const refused = await harness.refusal('order.requisition_pdf', { params: { order_id: order.id } })
    expect(refused).toMatchObject({ status: 404 })
  })

  it('waits for its activation date, and starts on it', async () => {
    const harness = await openHarness()
    const { order } = await placed(harness, 'thyroid-kit', { activate_by: '2026-11-25' })
    expect(order).toMatchObject({ activate_by: '2026-11-25', last_event: { status: 'received.testkit.ordered' } })
    const scheduled = async () =>
      (await harness.call('order.list', { query: { order_activation_types: ['scheduled'] } })).orders.map(
        each => each.id,
      )
    expect(await scheduled()).toEqual([order.id])
    harness.time.ms = Date.UTC(2026, 10, 25)
    const begun = await harness.call('order.get', { params: { order_id: order.id } })
    expect(begun.last_event).toMatchObject({
      status: 'received.testkit.requisition_created',
      created_at: '2026-11-25T00:00:00+00:00',
    })
    expect(await scheduled()).toEqual([])
  })
})

describe('an order is refused', () => {
  const cases = {
    'for what is no lab test': [{ order_set: { lab_test_ids: [NOBODY] } }, 404],
    'for a lab test that is inactive': [{ order_set: { lab_test_ids: [labTestId('heavy-metals-walk-in')] } }, 400],
    'for tests of two labs': [
      { order_set: { lab_test_ids: [labTestId('essential-health'), labTestId('thyroid-walk-in')] } },
      400,
    ],
    'for a marker that is not there': [{ order_set: { add_on: { marker_ids: [1] } } }, 404],
    'for codes without a lab': [{ order_set: { add_on: { provider_ids: ['676109'] } } }, 400],
    'through an unknown account': [{ lab_account_id: NOBODY }, 404],
    'through an account of another lab': [{ lab_account_id: account(4) }, 400],
    'through a suspended account': [
      { order_set: { lab_test_ids: [labTestId('iron-status')] }, lab_account_id: account(7) },
      400,
    ],
    'with a sample that the lab does not collect so': [{ collection_method: 'testkit' as const }, 400],
    'for a day that is over': [{ activate_by: '2026-11-19' }, 422],
    'on insurance that is not named': [{ billing_type: 'commercial_insurance' as const }, 422],
    'for somebody who is not born yet': [{ patient_details: { ...PATIENT, dob: '2027-01-01' } }, 422],
    'for a child that nobody vouches for': [{ patient_details: { ...PATIENT, dob: '2010-11-21' } }, 422],
    'for a name that is none': [{ patient_details: { ...PATIENT, first_name: '-Ada' } }, 422],
    'without enough digits to call': [{ patient_details: { ...PATIENT, phone_number: '+1 555 010' } }, 422],
    'to no postal code': [{ patient_address: { ...ADDRESS, zip: '6270' } }, 422],
    'with answers that nobody asked for': [{ aoe_answers: [{ marker_id: 1, question_id: 1, answer: 'x' }] }, 422],
  } as const
  it.each(Object.entries(cases))('%s', async (_, [more, status]) => {
    const harness = await openHarness()
    const userId = await newUser(harness)
    const refused = await harness.refusal('order.create', { body: orderBody(userId, undefined, more as never) })
    expect(refused.status).toBe(status)
    expect(JSON.stringify(refused.body)).not.toMatch(/Byron|Ada|6270|555/)
    expect((await harness.call('order.list', {})).total).toBe(0)
  })

  it('for an unknown and for a deleted user, with the same message', async () => {
    const harness = await openHarness()
    const userId = await newUser(harness)
    await harness.call('user.delete', { params: { user_id: userId } })
    const gone = await harness.refusal('order.create', { body: orderBody(userId) })
    expect(gone.body).toEqual((await harness.refusal('order.create', { body: orderBody(NOBODY) })).body)
  })

  it('without the answer to a marker’s question, and accepted with it', async () => {
    const harness = await openHarness()
    const userId = await newUser(harness)
    const lead = 605_671
    const body = (answer?: string) =>
      orderBody(userId, undefined, {
        order_set: { add_on: { marker_ids: [lead] } },
        collection_method: 'walk_in_test',
        aoe_answers: answer === undefined ? [] : [{ marker_id: lead, question_id: 1, answer }],
      })
    expect((await harness.refusal('order.create', { body: body() })).body).toMatchObject({
      detail: [{ loc: ['body', 'aoe_answers'], type: 'missing' }],
    })
    expect(await harness.refusal('order.create', { body: body('?') })).toMatchObject({ status: 422 })
    expect((await harness.call('order.create', { body: body('I') })).status).toBe('success')
  })

  it('but not for a minor with a guarantor', async () => {
    const harness = await openHarness()
    const medical_proxy = { ...PATIENT, address: ADDRESS, dob: undefined, gender: undefined }
    const { order } = await placed(harness, undefined, {
      patient_details: { ...PATIENT, dob: '2010-11-21', medical_proxy },
    })
    expect(order.patient_details?.medical_proxy).toMatchObject({ first_name: 'Ada', address: { zip: '62701' } })
  })
})

describe('an idempotency key', () => {
  const keyed = (key: string, more = {}) => ({ headers: { 'x-idempotency-key': key, ...more } })

  it('places one order: the first response is repeated, also for simultaneous calls', async () => {
    const harness = await openHarness()
    const userId = await newUser(harness)
    const replies = await Promise.all(
      [1, 2, 3].map(() => harness.call('order.create', { body: orderBody(userId) }, keyed('k'))),
    )
    expect(new Set(replies.map(each => each.order.id)).size).toBe(1)
    expect((await harness.call('order.list', {})).total).toBe(1)
    const events = await harness.engine.context.store.events.ofUser(userId as never, 0, 10)
    expect(events).toHaveLength(2)
    harness.time.ms += 23 * HOUR_MS
    expect(await harness.call('order.create', { body: orderBody(userId) }, keyed('k'))).toEqual(replies[0])
  })

  it('is refused with another body, and can be used again after a day', async () => {
    const harness = await openHarness()
    const userId = await newUser(harness)
    const first = await harness.call('order.create', { body: orderBody(userId) }, keyed('k'))
    const other = { body: orderBody(userId, 'thyroid-kit') }
    expect((await harness.refusal('order.create', other, keyed('k'))).body).toMatchObject({
      detail: [{ loc: ['header', 'x-idempotency-key'] }],
    })
    harness.time.ms += DAY_MS + 1
    const second = await harness.call('order.create', other, keyed('k'))
    expect(second.order.id).not.toBe(first.order.id)
  })

  it('remembers a refusal unless disabled, and never an invalid request', async () => {
    const harness = await openHarness()
    const userId = await newUser(harness)
    const body = orderBody(userId, undefined, { order_set: { lab_test_ids: [labTestId('heavy-metals-walk-in')] } })
    const refused = await harness.refusal('order.create', { body }, keyed('a'))
    const again = await harness.refusal('order.create', { body }, keyed('a'))
    expect(again.body).toEqual(refused.body)
    expect(again.headers).toHaveProperty('x-idempotent-replayed')
    await harness.refusal('order.create', { body }, keyed('b', { 'x-idempotency-error': 'no-cache' }))
    expect((await harness.refusal('order.create', { body }, keyed('b'))).headers).not.toHaveProperty(
      'x-idempotent-replayed',
    )
    await harness.refusal(
      'order.create',
      { body: orderBody(userId, undefined, { activate_by: '2020-01-01' }) },
      keyed('c'),
    )
    expect((await harness.call('order.create', { body: orderBody(userId) }, keyed('c'))).status).toBe('success')
  })
})

describe('a list of orders', () => {
  it('is newest first, paged, and filtered by user, state, collection method, day, name and result', async () => {
    const harness = await openHarness()
    const { userId, order: first } = await placed(harness)
    harness.time.ms = NOON + DAY_MS
    const other = await newUser(harness, 'grace')
    const { order: second } = await harness.call('order.create', {
      body: orderBody(other, 'thyroid-kit', {
        patient_details: { ...PATIENT, first_name: 'Grace', last_name: 'Hopper' },
      }),
    })
    await harness.call('order.simulate', { params: { order_id: first.id }, body: { interpretation: 'abnormal' } })
    const ids = async (query: object) => (await harness.call('order.list', { query })).orders.map(each => each.id)
    expect(await ids({})).toEqual([second.id, first.id])
    expect(await ids({ order_direction: 'asc' })).toEqual([first.id, second.id])
    expect(await harness.call('order.list', { query: { size: 1, page: 2 } })).toMatchObject({
      orders: [{ id: first.id }],
      total: 2,
      pages: 2,
    })
    expect(await ids({ user_id: userId })).toEqual([first.id])
    expect(await ids({ status: 'completed' })).toEqual([first.id])
    expect(await ids({ order_type: ['testkit', 'on_site_collection'] })).toEqual([second.id])
    expect(await ids({ start_date: '2026-11-21' })).toEqual([second.id])
    expect(await ids({ end_date: '2026-11-20' })).toEqual([first.id])
    expect(await ids({ updated_start_date: '2026-11-21', order_type: 'walk_in_test' })).toEqual([first.id])
    expect(await ids({ patient_name: 'hopp' })).toEqual([second.id])
    expect(await ids({ search_input: 'BYRON' })).toEqual([first.id])
    expect(await ids({ search_input: second.id.slice(0, 20) })).toEqual([second.id])
    expect(await ids({ shipping_recipient_name: 'grace' })).toEqual([second.id])
    expect(await ids({ order_ids: [first.id, NOBODY] })).toEqual([first.id])
    expect(await ids({ interpretation: 'abnormal' })).toEqual([first.id])
    expect(await ids({ is_critical: 'true' })).toEqual([])
    expect(await ids({ is_critical: false })).toHaveLength(2)
    expect(await ids({ patient_name: "'; DROP TABLE lab_order; --%" })).toEqual([])
    const backwards = { query: { start_date: '2026-11-21', end_date: '2026-11-20' } }
    expect(await harness.refusal('order.list', backwards)).toMatchObject({ status: 422 })
  })

  it('omits the orders of deleted users until the users are restored', async () => {
    const harness = await openHarness()
    const { userId, order } = await placed(harness)
    await harness.call('user.delete', { params: { user_id: userId } })
    expect((await harness.call('order.list', {})).total).toBe(0)
    const gone = await harness.refusal('order.get', { params: { order_id: order.id } })
    expect(gone.body).toEqual((await harness.refusal('order.get', { params: { order_id: NOBODY } })).body)
    await harness.call('user.undo_delete', { body: { user_id: userId } })
    expect(await harness.call('order.get', { params: { order_id: order.id } })).toEqual(order)
  })

  it('contains nothing about a purged user, and neither do stored responses', async () => {
    const harness = await openHarness()
    const userId = await newUser(harness)
    await harness.call('order.create', { body: orderBody(userId) }, { headers: { 'x-idempotency-key': 'k' } })
    await harness.call('user.delete', { params: { user_id: userId } })
    harness.time.ms += 7 * DAY_MS
    await harness.call('engine.run_due', {})
    const { store } = harness.engine.context
    expect((await store.orders.list(harness.team.teamId, EVERY_ORDER)).total).toBe(0)
    const answer = await harness.refusal(
      'order.create',
      { body: orderBody(userId) },
      { headers: { 'x-idempotency-key': 'k' } },
    )
    expect(answer.headers).not.toHaveProperty('x-idempotent-replayed')
  })
})

describe('cancelling', () => {
  it('ends an order whose sample has not been collected, along with its remaining steps', async () => {
    const harness = await openHarness()
    const { order } = await placed(harness)
    const params = { order_id: order.id }
    await harness.call('order.simulate', { params, query: { delay: 60 } })
    const reply = await harness.call('order.cancel', { params })
    expect(reply.order).toMatchObject({ status: 'cancelled', order_transaction: { status: 'cancelled' } })
    harness.time.ms += HOUR_MS
    expect((await harness.call('order.get', { params })).last_event.status).toBe('cancelled.walk_in_test.cancelled')
    expect(await harness.refusal('order.cancel', { params })).toMatchObject({ status: 400 })
  })

  it('is refused for a kit that was sent', async () => {
    const harness = await openHarness()
    const { order } = await placed(harness, 'heart-health-kit')
    const params = { order_id: order.id }
    await harness.call('order.simulate', {
      params,
      query: { final_status: 'collecting_sample.testkit.transit_customer' },
    })
    expect(await harness.refusal('order.cancel', { params })).toMatchObject({
      status: 400,
      message: 'The order is collecting_sample.testkit.transit_customer and can no longer be cancelled.',
    })
  })
})
