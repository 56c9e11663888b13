/** Cancels a lab order if its state allows it. See docs/interface/orders.md#orders-6. */
import { lowStatus, nextStatuses, statusName } from '../../catalogue/labs/order-statuses.ts'
import { ServiceError } from '../../core/errors.ts'
import { type Handler, ok } from '../context.ts'
import { move } from './advance.ts'
import { changeOrder } from './change.ts'
import { orderView } from './view.ts'

const CANCELLED = 'cancelled'

export const cancelOrder: Handler<'order.cancel'> = async (engine, { params }, call) => {
  const { now } = call
  const { record, ordered } = await changeOrder(engine, call, params.order_id, (before, what) => {
    const { method } = before.document
    const low = lowStatus(before.status)
    if (!nextStatuses(method, low).includes(CANCELLED)) {
      throw new ServiceError('bad_request', `The order is ${before.status} and can no longer be cancelled.`)
    }
    // also cancels the order's remaining planned steps
    const halted = { ...before, document: { ...before.document, plan: null } }
    return move(engine, halted, what, { status: statusName(method, CANCELLED), at: now, flags: {}, now })
  })
  const order = orderView(engine, record, ordered, now)
  return ok({ order, status: 'success', message: 'The order was cancelled.' })
}
