/** Steps of the conversation: lab orders that are placed, read, cancelled and simulated, and their results. */
import { labTestId, orderBody } from '../../engine/orders/orders.ts'
import { type Memory, NOBODY, text, topic, user } from '../conversation.ts'

const { steps, step } = topic()
export const orderSteps = steps

const orderId = (name: string) => (memory: Memory) =>
  String((memory[name]?.['order'] as { id?: string } | undefined)?.id ?? NOBODY)
const at = (name: string) => (memory: Memory) => ({ params: { order_id: orderId(name)(memory) } })
const nowhere = { params: { order_id: NOBODY } }
const key =
  (value: string, more: Record<string, string> = {}) =>
  () => ({
    headers: { 'x-idempotency-key': value, ...more },
  })
const placeOrder = (name: string, slug: string, more: object = {}): void =>
  step(name, 'order.create', memory => ({ body: { ...orderBody(user(memory), slug), ...more } }))

placeOrder('order', 'essential-health', {
  clinical_notes: 'Fasting since midnight.',
  icd_codes: ['E11.9'],
  priority: true,
})
placeOrder('order a kit', 'heart-health-kit')
placeOrder('order by the old field', 'iron-status', { order_set: undefined, lab_test_id: labTestId('iron-status') })
placeOrder('order both ways', 'iron-status', { lab_test_id: labTestId('iron-status') })
placeOrder('order nothing', 'iron-status', { order_set: {} })
placeOrder('order what is not there', 'iron-status', { order_set: { lab_test_ids: [NOBODY] } })
placeOrder('order what is not sold any more', 'heavy-metals-walk-in')
placeOrder('order for a future day', 'thyroid-walk-in', { activate_by: '2026-12-01' })
placeOrder('order for a day that is over', 'thyroid-walk-in', { activate_by: '2026-01-01' })
placeOrder('order for a child', 'thyroid-walk-in', {
  patient_details: { ...orderBody('x').patient_details, dob: '2015-05-05' },
})
placeOrder('order on insurance without one', 'thyroid-walk-in', { billing_type: 'commercial_insurance' })
placeOrder('order for somebody without a name', 'thyroid-walk-in', {
  patient_details: {},
  patient_address: { zip: 'x' },
})
step('order for an unknown user', 'order.create', { body: orderBody(NOBODY) })
step('order once', 'order.create', memory => ({ body: orderBody(user(memory), 'vitamin-d-on-site') }), key('one'))
step(
  'order the same again',
  'order.create',
  memory => ({ body: orderBody(user(memory), 'vitamin-d-on-site') }),
  key('one'),
)
step('order another under its key', 'order.create', memory => ({ body: orderBody(user(memory)) }), key('one'))
step('a refusal under a key', 'order.create', { body: orderBody(NOBODY) }, key('two'))
step('the same refusal', 'order.create', { body: orderBody(NOBODY) }, key('two', { 'x-idempotency-error': 'no-cache' }))
step('an invalid key', 'order.create', memory => ({ body: orderBody(user(memory)) }), key('x'.repeat(300)))

step('get the order', 'order.get', at('order'))
step('get an unknown order', 'order.get', nowhere)
step('get an order by an invalid ID', 'order.get', () => ({ params: { order_id: 'x' } }))
step('orders', 'order.list', { query: { size: 2 } })
step('orders of the user', 'order.list', memory => ({ query: { user_id: user(memory), order_direction: 'asc' } }))
step('waiting orders', 'order.list', { query: { order_activation_types: 'scheduled' } })
step('orders by every filter', 'order.list', memory => ({
  query: {
    order_ids: [orderId('order')(memory)],
    status: ['requisition_created'],
    order_type: ['walk_in_test', 'testkit'],
    start_date: '2026-11-20',
    end_date: '2026-11-20',
    patient_name: 'byron',
    search_input: 'ADA',
    is_critical: 'false',
  },
}))
step('orders in an unknown state', 'order.list', () => ({ query: { status: 'asleep' } }))
step('too many orders', 'order.list', { query: { size: 101 } })
step('the requisition', 'order.requisition_pdf', at('order'))
step('the requisition of a waiting order', 'order.requisition_pdf', at('order for a future day'))
step('the requisition of an unknown order', 'order.requisition_pdf', nowhere)
const orderForm = (memory: Memory, signature?: string) => {
  const order = memory['order']?.['order'] as { id: string; requisition_form_url: string }
  const url = new URL(order.requisition_form_url)
  return {
    params: { order_id: order.id },
    query: {
      expires: url.searchParams.get('expires') ?? '',
      signature: signature ?? url.searchParams.get('signature') ?? '',
    },
  }
}
step('the requisition by its URL', 'order.requisition_form', memory => orderForm(memory))
step('a forged URL', 'order.requisition_form', memory => orderForm(memory, 'A'.repeat(43)))
step('no results yet', 'order.result', at('order'))
step('no report yet', 'order.result_pdf', at('order'))
step('metadata of missing results', 'order.result_metadata', at('order'))

step('simulate', 'order.simulate', memory => ({ ...at('order')(memory), body: { interpretation: 'critical' } }))
step('simulate a finished order', 'order.simulate', at('order'))
step('simulate an unknown order', 'order.simulate', nowhere)
step('simulate slowly', 'order.simulate', memory => ({
  ...at('order a kit')(memory),
  query: { final_status: 'collecting_sample.testkit.with_customer', delay: 60 },
}))
step('simulate a state of another collection method', 'order.simulate', memory => ({
  ...at('order a kit')(memory),
  query: { final_status: 'completed.walk_in_test.completed' },
}))
step('simulate an unknown state', 'order.simulate', memory => ({
  ...at('order a kit')(memory),
  query: { final_status: 'done' },
}))
step('the states after the last one', 'order.next_states', at('order'))
step('the states after the current one of a cancellable order', 'order.next_states', at('order once'))
step('the states of an unknown order', 'order.next_states', nowhere)
step('results', 'order.result', at('order'))
step('results of an unknown order', 'order.result', nowhere)
step('their metadata', 'order.result_metadata', at('order'))
step('result metadata of an unknown order', 'order.result_metadata', nowhere)
step('the report', 'order.result_pdf', at('order'))
step('the report of an unknown order', 'order.result_pdf', nowhere)
step('critical orders', 'order.list', { query: { is_critical: true } })
step('cancel', 'order.cancel', at('order once'))
step('cancel again', 'order.cancel', at('order once'))
step('cancel a finished order', 'order.cancel', at('order'))
step('cancel an unknown order', 'order.cancel', nowhere)
step('the lab test that an order created', 'order.create', memory => ({
  body: { ...orderBody(user(memory)), order_set: { add_on: { marker_ids: [602345, 602276] } } },
}))
step('lab tests that orders created', 'labs.tests', { query: { generation_method: 'auto' } })
step('advance the time', 'clock.set', { body: { advance: '2m' } })
step('the kit has arrived', 'order.get', at('order a kit'))
step('set the time back', 'clock.set', { body: { advance: '-2m' } })
step('the order at the earlier time', 'order.get', memory => ({
  params: { order_id: text(memory, 'get the order', 'id') },
}))
