/** A row of a lab order, and the record it stands for. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { OrderDocument, OrderRecord } from '../../order.ts'

export interface OrderRow {
  readonly user_id: string
  readonly order_id: string
  readonly team_id: string
  readonly status: string
  readonly created_at: number
  readonly updated_at: number
  readonly document: string
  readonly result: string | null
  readonly rev: number
}

export const ORDER_COLUMNS = 'user_id, order_id, team_id, status, created_at, updated_at, document, result, rev'

export function orderOf(row: OrderRow): OrderRecord {
  return {
    userId: row.user_id as UserId,
    orderId: row.order_id,
    teamId: row.team_id as TeamId,
    status: row.status,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    document: JSON.parse(row.document) as OrderDocument,
    result: row.result === null ? null : (JSON.parse(row.result) as Record<string, unknown>),
    rev: row.rev,
  }
}
