/** Takes an endpoint out of service, by hand or by the process that delivers; what waits for it becomes dead, in short transactions. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { DisabledReason, EndpointRecord } from '../../webhook.ts'
import type { Connection } from '../connection.ts'
import { findEndpoint, putEndpoint } from './endpoint-row.ts'

/** What waits, by the indexes of it: not sent yet, being sent for the first time, tried before. */
export const WAITING_KINDS = ['attempts=0 AND leased_by IS NULL', 'attempts=0 AND leased_by IS NOT NULL', 'attempts>0']

/** Rows of one transaction: others write between two. */
const SLICE = 2_000

/** Which endpoint. */
export interface EndpointKey {
  readonly teamId: TeamId
  readonly endpointId: string
}

/**
 * Inside a write: nothing more is sent to the endpoint. What is leased is dead at once, and the first of what waits; `buryWaiting`
 * does the rest. One that was disabled before keeps its time and reason. Null: there is none.
 */
export function disableEndpoint(
  connection: Connection,
  key: EndpointKey,
  reason: DisabledReason,
  at: EpochMs,
): EndpointRecord | null {
  const known = findEndpoint(connection, key.teamId, key.endpointId)
  if (known === null || known.disabledAt !== null) return known
  const disabled = { ...known, disabledAt: at, disabledReason: reason, updatedAt: at }
  putEndpoint(connection, disabled)
  bury(connection, disabled, 'leased_by IN (SELECT deliverer_id FROM deliverer)', -1)
  burySlice(connection, key)
  return disabled
}

/** Inside a write: whether there may be more of what waits for an endpoint that is disabled. */
function burySlice(connection: Connection, { teamId, endpointId }: EndpointKey): boolean {
  const endpoint = findEndpoint(connection, teamId, endpointId)
  if (endpoint === null || endpoint.disabledAt === null) return false
  let room = SLICE
  for (const kind of WAITING_KINDS) {
    room -= bury(connection, endpoint, kind, room)
    if (room <= 0) return true
  }
  return false
}

/** Makes what waits dead, under its last error or the reason. `most` rows; below 0: all. */
function bury(connection: Connection, endpoint: EndpointRecord, kind: string, most: number): number {
  return connection.run(
    `UPDATE delivery SET state='dead', leased_by=NULL, last_error=COALESCE(last_error, ?)
     WHERE (user_id, sequence, endpoint_id) IN (SELECT user_id, sequence, endpoint_id FROM delivery
       WHERE endpoint_id=? AND state='waiting' AND ${kind} LIMIT ?)`,
    `endpoint disabled (${endpoint.disabledReason})`,
    endpoint.endpointId,
    most,
  )
}

/**
 * The rest of a disabling. An end of the process on the way leaves rows that nobody is sent, and that are dead before the endpoint
 * is enabled again.
 */
export async function buryWaiting(connection: Connection, key: EndpointKey): Promise<void> {
  while (await connection.writeAside(() => burySlice(connection, key))) {
    // one short transaction after the other
  }
}
