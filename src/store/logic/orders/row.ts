/** Converts between a lab order and its row. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { OrderDocument, OrderRecord } from '../../order.ts'
import { storedJson } from '../rows/damage.ts'
import { asRow } from '../rows/record-names.ts'
import { ORDERS, type OrderRow } from '../rows/tables.ts'

export function toOrder(row: OrderRow): OrderRecord {
  return {
    ...ORDERS.record(row),
    userId: row.user_id as UserId,
    teamId: row.team_id as TeamId,
    document: storedJson<OrderDocument>(row.document, () => ORDERS.damageLocation(row)),
    result:
      row.result === null ? null : storedJson<Record<string, unknown>>(row.result, () => ORDERS.damageLocation(row)),
  }
}

/** Returns an order's row. */
export function toOrderRow(order: OrderRecord): OrderRow {
  const result = order.result === null ? null : JSON.stringify(order.result)
  return asRow({ ...order, document: JSON.stringify(order.document), result })
}
