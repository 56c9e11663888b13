/** Processes that deliver, and what is leased to them. Rows record it, not memory, so that a killed process loses nothing. */
import type { EpochMs } from '../../../core/time.ts'
import { type DeliveryKey, isOver } from '../../delivery.ts'
import type { Connection } from '../connection.ts'

interface DelivererRow {
  readonly deliverer_id: string
  readonly alive_until: number
}

/** Records that the process is alive. Returns false if it was considered dead in the meantime: its leases are void. */
export function renew(
  db: Connection,
  delivererId: string,
  { aliveUntil, holdsNothing }: { readonly aliveUntil: EpochMs; readonly holdsNothing: boolean },
): boolean {
  const sql = 'UPDATE deliverer SET alive_until=? WHERE deliverer_id=?'
  if (db.run(sql, aliveUntil, delivererId) > 0) return true
  if (!holdsNothing) return false
  db.run('INSERT INTO deliverer (deliverer_id, alive_until) VALUES (?,?)', delivererId, aliveUntil)
  return true
}

/** Voids the leases of processes whose time is over. Returns the other processes that are alive. */
export function livingOthers(db: Connection, delivererId: string, realNow: EpochMs): string[] {
  const all = db.all<DelivererRow>('SELECT deliverer_id, alive_until FROM deliverer')
  const others = all.filter(each => each.deliverer_id !== delivererId)
  const lives = ({ alive_until: until }: DelivererRow): boolean => !isOver(until, realNow)
  for (const each of others) if (!lives(each)) letGo(db, each.deliverer_id)
  return others.filter(lives).map(each => each.deliverer_id)
}

/** Returns until when the other processes have declared themselves alive. */
export function othersUntil(db: Connection, delivererId: string): EpochMs[] {
  const sql = 'SELECT alive_until FROM deliverer WHERE deliverer_id<>?'
  return db.all<Pick<DelivererRow, 'alive_until'>>(sql, delivererId).map(each => each.alive_until)
}

/** Removes a process with all its leases. */
export function letGo(db: Connection, delivererId: string): void {
  db.run('UPDATE delivery SET leased_by=NULL WHERE leased_by=?', delivererId)
  db.run('DELETE FROM deliverer WHERE deliverer_id=?', delivererId)
}

export function isHeld(db: Connection, delivererId: string, key: DeliveryKey): boolean {
  const row = db.get<{ leased_by: string | null; state: string }>(
    'SELECT leased_by, state FROM delivery WHERE user_id=? AND sequence=? AND endpoint_id=?',
    key.userId,
    key.sequence,
    key.endpointId,
  )
  return row?.state === 'waiting' && row.leased_by === delivererId
}

/** Returns how many deliveries are leased to the process. */
export function countHeld(db: Connection, delivererId: string): number {
  const sql = 'SELECT count(*) AS n FROM delivery WHERE leased_by=?'
  return db.get<{ n: number }>(sql, delivererId)?.n ?? 0
}
