/** A row of a lab order, and the record it stands for. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { OrderDocument, OrderRecord } from '../../order.ts'
import { storedJson } from '../checksums/damage.ts'
import { ORDERS, type OrderRow } from '../checksums/more-tables.ts'

export function orderOf(row: OrderRow): OrderRecord {
  return {
    userId: row.user_id as UserId,
    orderId: row.order_id,
    teamId: row.team_id as TeamId,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    document: storedJson<OrderDocument>(row.document, () => ORDERS.placeOf(row)),
    result: row.result === null ? null : storedJson<Record<string, unknown>>(row.result, () => ORDERS.placeOf(row)),
    rev: row.rev,
  }
}

/** Returns the row of an order. */
export function rowOf(order: OrderRecord): OrderRow {
  return {
    user_id: order.userId,
    order_id: order.orderId,
    team_id: order.teamId,
    status: order.status,
    created_at: order.createdAt,
    updated_at: order.updatedAt,
    document: JSON.stringify(order.document),
    result: order.result === null ? null : JSON.stringify(order.result),
    rev: order.rev,
  }
}
