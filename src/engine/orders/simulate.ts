/**
 * Simulates a lab order's progress: its states up to a final one, either immediately or one after another. See
 * docs/interface/orders.md#orders-7.
 */
import {
  lowStatus,
  nextStatuses,
  reachableStatuses,
  statusName,
  wayBetween,
} from '../../catalogue/labs/order-statuses.ts'
import { ServiceError } from '../../core/errors.ts'
import { formatInstant, SECOND_MS } from '../../core/time.ts'
import type { OrderRecord } from '../../store/order.ts'
import { type Handler, ok } from '../context.ts'
import { moveAlong } from './advance.ts'
import { changeOrder } from './change.ts'
import { orderOfCall } from './read.ts'

/** The final state of an order if no other state is requested. */
const USUAL_END = 'completed'

export const simulateOrder: Handler<'order.simulate'> = async (engine, { params, query, body: flags }, call) => {
  const { now } = call
  const delayMs = query.delay * SECOND_MS
  let statuses: readonly string[] = []
  const { record } = await changeOrder(engine, call, params.order_id, (before, ordered) => {
    statuses = simulatedPath(before, query.final_status)
    if (delayMs > 0) {
      const plan = { statuses, nextAt: now + delayMs, delayMs, flags }
      return { record: { ...before, document: { ...before.document, plan } }, notices: [] }
    }
    const steps = statuses.map(status => ({ status, at: now }))
    const halted = { ...before, document: { ...before.document, plan: null } }
    return moveAlong(engine, halted, ordered, { steps, flags, now })
  })
  return ok({
    success: true,
    order_id: record.orderId,
    final_status: statuses.at(-1) as string,
    delay: query.delay,
    statuses: [...statuses],
    completes_at: formatInstant(now + delayMs * statuses.length),
  })
}

export const listNextStates: Handler<'order.next_states'> = async (engine, { params }, call) => {
  const { orderId, status, document } = await orderOfCall(engine, call, params.order_id)
  const from = lowStatus(status)
  const named = (low: string): string => statusName(document.method, low)
  return ok({
    order_id: orderId,
    status,
    next: nextStatuses(document.method, from).map(named),
    reachable: reachableStatuses(document.method, from).map(named),
  })
}

/** Returns the states that lead to the final state. Throws 400 if the order cannot reach the final state from its current state. */
function simulatedPath(record: OrderRecord, asked: string | undefined): readonly string[] {
  const { method } = record.document
  const from = lowStatus(record.status)
  const final = asked ?? statusName(method, USUAL_END)
  const isOfMethod = final.split('.')[1] === method
  const way = isOfMethod ? wayBetween(method, from, lowStatus(final)) : null
  if (way) return way.map(low => statusName(method, low))
  const next = nextStatuses(method, from).map(low => statusName(method, low))
  const what = next.length === 0 ? 'No state follows.' : `Possible next states: ${next.join(', ')}`
  throw new ServiceError('bad_request', `The order is ${record.status} and cannot reach ${final} from there. ${what}`)
}
