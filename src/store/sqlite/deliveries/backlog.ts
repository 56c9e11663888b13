/** Waiting deliveries: what there is to do, how many there are, and what a deletion or a change of the clock does to them. */
import type { UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { DeliveryFigures, DeliveryLook } from '../../delivery.ts'
import type { Connection } from '../connection.ts'
import { WAITING_KINDS } from '../webhooks/disabling.ts'
import { enabledEndpoints } from '../webhooks/endpoint-row.ts'
import { othersUntil } from './leases.ts'

export function lookAt(db: Connection, delivererId: string): DeliveryLook {
  const endpoints = enabledEndpoints(db).map(endpoint => ({
    endpoint,
    hasFirst: hasFirst(db, endpoint.endpointId),
    againAt: againAt(db, endpoint.endpointId),
  }))
  const leasedElsewhere = count(db, 'leased_by IS NOT NULL AND leased_by<>?', delivererId)
  return { endpoints, leasedElsewhere, othersUntil: othersUntil(db, delivererId) }
}

function hasFirst(db: Connection, endpointId: string): boolean {
  const sql = `SELECT 1 FROM delivery INDEXED BY delivery_first
    WHERE endpoint_id=? AND state='waiting' AND attempts=0 AND leased_by IS NULL LIMIT 1`
  return db.get(sql, endpointId) !== undefined
}

function againAt(db: Connection, endpointId: string): EpochMs | null {
  const sql = `SELECT due_at FROM delivery INDEXED BY delivery_again
    WHERE endpoint_id=? AND state='waiting' AND attempts>0 AND leased_by IS NULL ORDER BY due_at LIMIT 1`
  return db.get<{ due_at: number }>(sql, endpointId)?.due_at ?? null
}

function count(db: Connection, where: string, ...values: readonly string[]): number {
  return db.get<{ n: number }>(`SELECT count(*) AS n FROM delivery WHERE ${where}`, ...values)?.n ?? 0
}

export function deliveryFigures(db: Connection): DeliveryFigures {
  return {
    waiting: WAITING_KINDS.map(kind => count(db, `state='waiting' AND ${kind}`)).reduce((a, b) => a + b),
    leased: count(db, 'leased_by IS NOT NULL'),
    dead: count(db, "state='dead'"),
  }
}

/** Cancels the waiting deliveries of a deleted user: nothing is sent after a deletion. */
export function cancelDeliveries(db: Connection, userId: UserId): void {
  db.run(`UPDATE delivery SET state='cancelled', leased_by=NULL WHERE user_id=? AND state='waiting'`, userId)
}

/** The clock was set back: deliveries that failed at a time that is now in the future are due now. */
export function hastenDeliveries(db: Connection, now: EpochMs): void {
  db.run(`UPDATE delivery SET due_at=? WHERE state='waiting' AND attempts>0 AND due_at>? AND last_at>?`, now, now, now)
}
