/** Disables an endpoint, by hand or by the process that delivers. What waits for it becomes dead, in short transactions. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { DisabledReason, EndpointRecord } from '../../webhook.ts'
import type { Connection } from '../connection.ts'
import { findEndpoint, putEndpoint } from './endpoint-row.ts'

/** What waits, by the indexes for it: not attempted yet, being attempted for the first time, attempted before. */
export const WAITING_KINDS = ['attempts=0 AND leased_by IS NULL', 'attempts=0 AND leased_by IS NOT NULL', 'attempts>0']

/** Number of rows in one transaction, so that others can write in between. */
const SLICE = 2_000

/** Identifies an endpoint. */
export interface EndpointKey {
  readonly teamId: TeamId
  readonly endpointId: string
}

/**
 * Must run inside a write. Nothing more is sent to the endpoint. What is leased becomes dead at once, and the first part of what waits;
 * `buryWaiting` does the rest. An endpoint that is already disabled keeps its time and reason. Returns null if there is none.
 */
export function disableEndpoint(
  db: Connection,
  key: EndpointKey,
  reason: DisabledReason,
  at: EpochMs,
): EndpointRecord | null {
  const known = findEndpoint(db, key.teamId, key.endpointId)
  if (known === null || known.disabledAt !== null) return known
  const disabled = { ...known, disabledAt: at, disabledReason: reason, updatedAt: at }
  putEndpoint(db, disabled)
  bury(db, disabled, 'leased_by IN (SELECT deliverer_id FROM deliverer)', -1)
  burySlice(db, key)
  return disabled
}

/** Must run inside a write. Returns whether more may be waiting for an endpoint that is disabled. */
function burySlice(db: Connection, { teamId, endpointId }: EndpointKey): boolean {
  const endpoint = findEndpoint(db, teamId, endpointId)
  if (endpoint === null || endpoint.disabledAt === null) return false
  let room = SLICE
  for (const kind of WAITING_KINDS) {
    room -= bury(db, endpoint, kind, room)
    if (room <= 0) return true
  }
  return false
}

/** Makes what waits dead, with its last error or the reason. `most` is the maximum number of rows; below 0, all of them. */
function bury(db: Connection, endpoint: EndpointRecord, kind: string, most: number): number {
  return db.run(
    `UPDATE delivery SET state='dead', leased_by=NULL, last_error=COALESCE(last_error, ?)
     WHERE (user_id, sequence, endpoint_id) IN (SELECT user_id, sequence, endpoint_id FROM delivery
       WHERE endpoint_id=? AND state='waiting' AND ${kind} LIMIT ?)`,
    `endpoint disabled (${endpoint.disabledReason})`,
    endpoint.endpointId,
    most,
  )
}

/**
 * Does the rest of a disabling. If the process ends on the way, the rows that are left are sent to nobody, and become dead before the
 * endpoint is enabled again.
 */
export async function buryWaiting(db: Connection, key: EndpointKey): Promise<void> {
  while (await db.writeAside(() => burySlice(db, key))) {
    // one short transaction after the other
  }
}
