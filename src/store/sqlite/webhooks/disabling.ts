/** Takes an endpoint out of service: by hand, or by the process that delivers, inside its own transaction. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { DisabledReason, EndpointRecord } from '../../webhook.ts'
import type { Connection } from '../connection.ts'
import { findEndpoint, putEndpoint } from './endpoint-row.ts'

/** What waits, by the indexes of it: not sent yet, being sent for the first time, tried before. */
export const WAITING_KINDS = ['attempts=0 AND leased_by IS NULL', 'attempts=0 AND leased_by IS NOT NULL', 'attempts>0']

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
  // by three indexes, each of which holds the one kind of rows alone
  for (const kind of WAITING_KINDS) {
    connection.run(
      `UPDATE delivery SET state='dead', leased_by=NULL, last_error=COALESCE(last_error, ?)
       WHERE endpoint_id=? AND state='waiting' AND ${kind}`,
      `endpoint disabled (${reason})`,
      endpointId,
    )
  }
  return disabled
}
