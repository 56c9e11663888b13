/** Reads lab orders, either one by ID or a list. See docs/interface/orders.md. */
import { invalid, ServiceError } from '../../core/errors.ts'
import type { OrderFilter, OrderRecord } from '../../store/order.ts'
import { type CallContext, type EngineContext, type Handler, ok } from '../context.ts'
import { parseRangeEnd, parseRangeStart } from '../readings/timeseries.ts'
import { advanceDueOrders, advanceOrder } from './advance.ts'
import { orderedBy } from './state.ts'
import { orderView } from './view.ts'

/** Returns the 404 error, which is the same for unknown orders and for orders of other teams and deleted users. */
export function noSuchOrder(): ServiceError {
  return new ServiceError('not_found', 'Order not found', { suggestions: ['`svc order list` shows the orders.'] })
}

/** Returns an order of the calling team after running the due steps of its plan. Throws 404. */
export async function orderOfCall(engine: EngineContext, call: CallContext, orderId: string): Promise<OrderRecord> {
  const teamId = call.team?.teamId
  const find = () =>
    teamId === undefined ? engine.store.orders.findAnywhere(orderId) : engine.store.orders.find(teamId, orderId)
  const found = await find()
  if (!found) throw noSuchOrder()
  const { plan } = found.document
  if (!plan || plan.nextAt > call.now) return found
  await advanceOrder(engine, found.userId, orderId, call.now)
  return (await find()) ?? found
}

export const getOrder: Handler<'order.get'> = async (engine, { params }, call) => {
  const record = await orderOfCall(engine, call, params.order_id)
  return ok(orderView(engine, record, await orderedBy(engine, record), call.now))
}

export const listOrders: Handler<'order.list'> = async (engine, { query }, call) => {
  await advanceDueOrders(engine, call.now)
  const { orders, total } = await engine.store.orders.list(call.team.teamId, toFilter(query))
  const views = await Promise.all(
    orders.map(async record => orderView(engine, record, await orderedBy(engine, record), call.now)),
  )
  return ok({ orders: views, total, page: query.page, size: query.size, pages: Math.ceil(total / query.size) })
}

type Query = Parameters<Handler<'order.list'>>[1]['query']

function toFilter(query: Query): OrderFilter {
  const created = { from: startOrNull(query.start_date), to: endOrNull(query.end_date) }
  const updated = { from: startOrNull(query.updated_start_date), to: endOrNull(query.updated_end_date) }
  checkRange(created, 'end_date', 'start_date')
  checkRange(updated, 'updated_end_date', 'updated_start_date')
  const types = query.order_activation_types
  return {
    userId: query.user_id ?? null,
    orderIds: query.order_ids ?? null,
    statuses: query.status ?? null,
    methods: query.order_type ?? null,
    // there are only two types
    isScheduled: types === undefined || new Set(types).size === 2 ? null : types[0] === 'scheduled',
    createdFrom: created.from,
    createdTo: created.to,
    updatedFrom: updated.from,
    updatedTo: updated.to,
    interpretation: query.interpretation ?? null,
    isCritical: query.is_critical ?? null,
    patientName: textOrNull(query.patient_name),
    receiverName: textOrNull(query.shipping_recipient_name),
    search: textOrNull(query.search_input),
    sort: query.order_key,
    isDescending: query.order_direction === 'desc',
    offset: (query.page - 1) * query.size,
    limit: query.size,
  }
}

const startOrNull = (text: string | undefined): number | null => (text === undefined ? null : parseRangeStart(text))
const endOrNull = (text: string | undefined): number | null => (text === undefined ? null : parseRangeEnd(text))
const textOrNull = (text: string | undefined): string | null => text?.trim() || null

function checkRange(
  { from, to }: { readonly from: number | null; readonly to: number | null },
  end: string,
  start: string,
): void {
  if (from === null || to === null || to >= from) return
  throw invalid([{ loc: ['query', end], msg: `must not be before ${start}`, type: 'value_error' }])
}
