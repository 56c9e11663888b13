/** Causes lab order events: an order in the sandbox, its next state, or a critical result. */
import { labTests } from '../../catalogue/labs/lab-tests.ts'
import { lowStatus, nextStatuses, ORDER_STATUSES, statusName } from '../../catalogue/labs/order-statuses.ts'
import { orderRequest } from '../../contract/orders/order-request.ts'
import { EVERY_ORDER, type OrderRecord } from '../../store/order.ts'
import { NOBODY, NOWHERE } from '../events/examples/nobody.ts'
import { createOrder } from '../orders/create.ts'
import { simulateOrder } from '../orders/simulate.ts'
import type { Cause, TriggerCause } from './cause.ts'
import { badPath, givenText, misfits, refuseGiven, unknownPath, withValue } from './given.ts'

/** Order request fields that can also be given in the event body's format. */
const OF_REQUEST = ['patient_details', 'patient_address', 'passthrough', 'priority'] as const
const STATUS = 'data.last_event.status'

export const placeOrders: Cause = async wanted => {
  for (let i = 0; i < wanted.count; i++) await placeOrder(wanted)
}

/** Moves the newest order that can advance. Creates a new order if there is none. */
export const moveOrders: Cause = async wanted => {
  refuseGiven(wanted.given, [STATUS])
  const status = givenText(wanted.given, 'last_event', 'status')
  if (status !== undefined && !ORDER_STATUSES.includes(status)) {
    throw badPath(
      STATUS,
      `must be one of the statuses of an order, such as ${ORDER_STATUSES.slice(0, 4).join(', ')}`,
      'enum',
    )
  }
  for (let i = 0; i < wanted.count; i++) {
    const order = (await newestOpen(wanted)) ?? (await placedAnew({ ...wanted, given: [] }))
    const { method } = order.document
    const [next] = nextStatuses(method, lowStatus(order.status))
    // every open order has a next state
    const final = status ?? statusName(method, next as string)
    await simulate(wanted, order.orderId, { final_status: final }, {})
  }
}

/** Creates an order with a critical result. */
export const reportCritical: Cause = async wanted => {
  for (let i = 0; i < wanted.count; i++) {
    const { orderId } = await placedAnew(wanted)
    await simulate(wanted, orderId, {}, { interpretation: 'critical' })
  }
}

/** Places an order and returns its ID. */
async function placeOrder({ engine, user, call, given }: TriggerCause): Promise<string> {
  const [test] = labTests().filter(each => each.slug === 'essential-health')
  if (!test) throw new Error('the catalogue has no such lab test')
  let body: unknown = {
    user_id: user.userId,
    patient_details: NOBODY,
    patient_address: NOWHERE,
    order_set: { lab_test_ids: [test.id] },
  }
  for (const { parts, value, path } of given) {
    const [name = ''] = parts
    if (!(OF_REQUEST as readonly string[]).includes(name)) {
      throw unknownPath(
        path,
        OF_REQUEST.map(each => `data.${each}`),
      )
    }
    body = withValue(body, parts, value, path)
  }
  const parsed = orderRequest().safeParse(body)
  if (!parsed.success) throw misfits(parsed.error.issues, ['body', 'set', 'data'])
  const reply = await createOrder(engine, { params: {}, query: {}, body: parsed.data }, call)
  if (reply.kind !== 'json') throw new Error('the response to an order is JSON')
  return reply.body.order.id
}

async function placedAnew(wanted: TriggerCause): Promise<OrderRecord> {
  const order = await wanted.engine.store.orders.find(wanted.user.teamId, await placeOrder(wanted))
  if (!order) throw new Error('the order that was just placed is missing')
  return order
}

async function newestOpen({ engine, user }: TriggerCause): Promise<OrderRecord | null> {
  const filter = { ...EVERY_ORDER, userId: user.userId, isDescending: true }
  const { orders } = await engine.store.orders.list(user.teamId, filter)
  return orders.find(each => nextStatuses(each.document.method, lowStatus(each.status)).length > 0) ?? null
}

async function simulate(
  { engine, call }: TriggerCause,
  orderId: string,
  query: { readonly final_status?: string },
  body: { readonly interpretation?: 'critical' },
): Promise<void> {
  await simulateOrder(engine, { params: { order_id: orderId }, query: { delay: 0, ...query }, body }, call)
}
