/** Processes that deliver, and what is leased to them. Rows record it, not memory, so that a killed process loses nothing. */
import type { EpochMs } from '../../../core/time.ts'
import { type DeliveryKey, isOver } from '../../delivery.ts'
import { command, many, one, query, run, type Steps } from '../steps.ts'

interface DelivererRow {
  readonly deliverer_id: string
  readonly alive_until: number
}

const RENEW = command('UPDATE deliverer SET alive_until=? WHERE deliverer_id=?')
const REGISTER = command('INSERT INTO deliverer (deliverer_id, alive_until) VALUES (?,?)')
const ALL_DELIVERERS = query<DelivererRow>('SELECT deliverer_id, alive_until FROM deliverer')
const OTHERS_UNTIL = query<Pick<DelivererRow, 'alive_until'>>('SELECT alive_until FROM deliverer WHERE deliverer_id<>?')
const VOID_LEASES = command('UPDATE delivery SET leased_by=NULL WHERE leased_by=?')
const REMOVE_DELIVERER = command('DELETE FROM deliverer WHERE deliverer_id=?')
const FIND_LEASE = query<{ readonly leased_by: string | null; readonly state: string }>(
  'SELECT leased_by, state FROM delivery WHERE user_id=? AND sequence=? AND endpoint_id=?',
)
const COUNT_HELD = query<{ readonly n: number }>('SELECT count(*) AS n FROM delivery WHERE leased_by=?')

/** Records that the process is alive. Returns false if it was considered dead in the meantime: its leases are void. */
export function* renew(
  delivererId: string,
  { aliveUntil, holdsNothing }: { readonly aliveUntil: EpochMs; readonly holdsNothing: boolean },
): Steps<boolean> {
  if ((yield* run(RENEW, [aliveUntil, delivererId])) > 0) return true
  if (!holdsNothing) return false
  yield* run(REGISTER, [delivererId, aliveUntil])
  return true
}

/** Voids the leases of processes whose time is over. Returns the other processes that are alive. */
export function* livingOthers(delivererId: string, realNow: EpochMs): Steps<string[]> {
  const all = yield* many(ALL_DELIVERERS)
  const others = all.filter(each => each.deliverer_id !== delivererId)
  const lives = ({ alive_until: until }: DelivererRow): boolean => !isOver(until, realNow)
  for (const each of others) if (!lives(each)) yield* letGo(each.deliverer_id)
  return others.filter(lives).map(each => each.deliverer_id)
}

/** Returns until when the other processes have declared themselves alive. */
export function* othersUntil(delivererId: string): Steps<EpochMs[]> {
  return (yield* many(OTHERS_UNTIL, [delivererId])).map(each => each.alive_until)
}

/** Removes a process with all its leases. */
export function* letGo(delivererId: string): Steps<void> {
  yield* run(VOID_LEASES, [delivererId])
  yield* run(REMOVE_DELIVERER, [delivererId])
}

export function* isHeld(delivererId: string, key: DeliveryKey): Steps<boolean> {
  const row = yield* one(FIND_LEASE, [key.userId, key.sequence, key.endpointId])
  return row?.state === 'waiting' && row.leased_by === delivererId
}

/** Returns how many deliveries are leased to the process. */
export function* countHeld(delivererId: string): Steps<number> {
  return (yield* one(COUNT_HELD, [delivererId]))?.n ?? 0
}
