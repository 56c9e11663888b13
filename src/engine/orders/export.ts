/** Exports a user's lab orders with all their stored data. */
import type { EpochMs } from '../../core/time.ts'
import { EVERY_ORDER, type OrderRecord } from '../../store/order.ts'
import type { UserRecord } from '../../store/user.ts'
import type { EngineContext } from '../context.ts'
import { requireReport, resultView } from './results.ts'
import { orderedBy } from './state.ts'
import { orderView } from './view.ts'

const ORDERS_AT_ONCE = 50

/** Yields the orders in the API's format, oldest first, with their answers, consents and results. */
export async function* exportedOrders(
  engine: EngineContext,
  user: UserRecord,
  now: EpochMs,
): AsyncGenerator<Readonly<Record<string, unknown>>> {
  for (let offset = 0; ; offset += ORDERS_AT_ONCE) {
    const { orders } = await engine.store.orders.list(user.teamId, {
      ...EVERY_ORDER,
      userId: user.userId,
      offset,
      limit: ORDERS_AT_ONCE,
    })
    for (const record of orders) yield await exported(engine, record, now)
    if (orders.length < ORDERS_AT_ONCE) return
  }
}

async function exported(
  engine: EngineContext,
  record: OrderRecord,
  now: EpochMs,
): Promise<Readonly<Record<string, unknown>>> {
  // anyone who has the URL can open the requisition, so the URL must not be in a file
  const { requisition_form_url: _, ...order } = orderView(engine, record, await orderedBy(engine, record), now)
  const { consents, aoeAnswers, healthInsurance, labAccountId } = record.document
  return {
    ...order,
    consents,
    aoe_answers: aoeAnswers,
    health_insurance: healthInsurance,
    lab_account_id: labAccountId,
    result: record.result && resultView(record, requireReport(record)),
  }
}
