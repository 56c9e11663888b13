/**
 * Changes an order that others may change at the same time. If another change came first, the order is read again and `decide` is called
 * again.
 */
import type { OrderRecord } from '../../store/order.ts'
import type { EngineContext, TeamCall } from '../context.ts'
import type { Moved } from './advance.ts'
import { orderOfCall } from './read.ts'
import { type Ordered, orderedBy } from './state.ts'

/** Changes an order, increments its revision, and returns the order. Throws 404, and any error from `decide`. */
export async function changeOrder(
  engine: EngineContext,
  call: TeamCall,
  orderId: string,
  decide: (record: OrderRecord, ordered: Ordered) => Moved,
): Promise<{ readonly record: OrderRecord; readonly ordered: Ordered }> {
  for (;;) {
    const before = await orderOfCall(engine, call, orderId)
    const ordered = await orderedBy(engine, before)
    const { record, notices } = decide(before, ordered)
    const next = { ...record, rev: before.rev + 1 }
    if (await engine.store.orders.replace(next, notices, call.now)) return { record: next, ordered }
  }
}
