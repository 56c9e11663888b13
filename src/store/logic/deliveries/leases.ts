/**
 * Manages the processes that deliver, and the deliveries leased to them. Leases are stored in rows, not in memory, so that nothing is lost
 * if a process is killed.
 */

import type { UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import { type DeliveryKey, deliveryName, isOver } from '../../delivery.ts'
import { command, many, one, query, run, type Steps } from '../steps.ts'
import { giveBackAll } from './slices.ts'

export interface DelivererRow {
  readonly deliverer_id: string
  readonly alive_until: number
}

const RENEW = command('UPDATE deliverer SET alive_until=? WHERE deliverer_id=?')
const REGISTER = command('INSERT INTO deliverer (deliverer_id, alive_until) VALUES (?,?)')
const ALL_DELIVERERS = query<DelivererRow>('SELECT deliverer_id, alive_until FROM deliverer')
const VOID_LEASES = command('UPDATE delivery SET leased_by=NULL WHERE leased_by=?')
const REMOVE_DELIVERER = command('DELETE FROM deliverer WHERE deliverer_id=?')
const FIND_LEASE = query<{ readonly leased_by: string | null; readonly state: string }>(
  'SELECT leased_by, state FROM delivery WHERE user_id=? AND sequence=? AND endpoint_id=?',
)
const ALL_LEASES = query<{ readonly user_id: UserId; readonly sequence: number; readonly endpoint_id: string }>(
  'SELECT user_id, sequence, endpoint_id FROM delivery WHERE leased_by=?',
)
const VOID_LEASE = command('UPDATE delivery SET leased_by=NULL WHERE user_id=? AND sequence=? AND endpoint_id=?')
const COUNT_HELD = query<{ readonly n: number }>('SELECT count(*) AS n FROM delivery WHERE leased_by=?')

/** Records that the process is alive. Returns false if the process was considered dead in the meantime, so that its leases are void. */
export function* renew(
  delivererId: string,
  { aliveUntil, holdsNothing }: { readonly aliveUntil: EpochMs; readonly holdsNothing: boolean },
): Steps<boolean> {
  if ((yield* run(RENEW, [aliveUntil, delivererId])) > 0) return true
  if (!holdsNothing) return false
  yield* run(REGISTER, [delivererId, aliveUntil])
  return true
}

/** Returns all registered processes. */
export function* deliverers(): Steps<DelivererRow[]> {
  return yield* many(ALL_DELIVERERS)
}

/** Removes expired processes. Returns how many other processes are alive. */
export function* livingOthers(delivererId: string, realNow: EpochMs): Steps<number> {
  let living = 0
  for (const each of yield* deliverers()) {
    if (each.deliverer_id === delivererId) continue
    if (isOver(each.alive_until, realNow)) yield* letGo(each.deliverer_id)
    else living++
  }
  return living
}

/** Removes a process with all its leases and slices. */
export function* letGo(delivererId: string): Steps<void> {
  yield* run(VOID_LEASES, [delivererId])
  yield* giveBackAll(delivererId)
  yield* run(REMOVE_DELIVERER, [delivererId])
}

/** Voids the process's leases, except those that the process knows about. */
export function* voidUnknown(delivererId: string, known: ReadonlySet<string>): Steps<void> {
  for (const { user_id: userId, sequence, endpoint_id: endpointId } of yield* many(ALL_LEASES, [delivererId])) {
    if (!known.has(deliveryName({ userId, sequence, endpointId })))
      yield* run(VOID_LEASE, [userId, sequence, endpointId])
  }
}

export function* isHeld(delivererId: string, key: DeliveryKey): Steps<boolean> {
  const row = yield* one(FIND_LEASE, [key.userId, key.sequence, key.endpointId])
  return row?.state === 'waiting' && row.leased_by === delivererId
}

/** Returns how many deliveries are leased to the process. */
export function* countHeld(delivererId: string): Steps<number> {
  return (yield* one(COUNT_HELD, [delivererId]))?.n ?? 0
}
