/** Takes an endpoint out of service: by hand, or by the process that delivers, inside its own transaction. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { DisabledReason, EndpointRecord } from '../../webhook.ts'
import type { Connection } from '../connection.ts'
import { findEndpoint, putEndpoint } from './endpoint-row.ts'

/**
 * Inside a write: nothing more is sent to the endpoint, and what waits for it becomes dead, under its last error or the reason.
 * One that was disabled before keeps its time and reason. Null: there is none.
 */
export function disableEndpoint(
  connection: Connection,
  { teamId, endpointId }: { readonly teamId: TeamId; readonly endpointId: string },
  reason: DisabledReason,
  at: EpochMs,
): EndpointRecord | null {
  const known = findEndpoint(connection, teamId, endpointId)
  if (known === null || known.disabledAt !== null) return known
  const disabled = { ...known, disabledAt: at, disabledReason: reason, updatedAt: at }
  putEndpoint(connection, disabled)
  // by both indexes, each of which says the state and the attempts
  for (const attempts of ['attempts=0', 'attempts>0']) {
    connection.run(
      `UPDATE delivery SET state='dead', leased_by=NULL, last_error=COALESCE(last_error, ?)
       WHERE endpoint_id=? AND state='waiting' AND ${attempts}`,
      `endpoint disabled (${reason})`,
      endpointId,
    )
  }
  return disabled
}
