/** Disables an endpoint, either on request or in the process that delivers. Its waiting deliveries become dead, in short transactions. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { DisabledReason, EndpointRecord } from '../../webhook.ts'
import type { Database } from '../database.ts'
import { type Command, command, run, type Steps } from '../steps.ts'
import { findEndpoint, putEndpoint } from './endpoint-row.ts'

/** Waiting deliveries by their indexes: not attempted yet, in their first attempt, or attempted before. */
export const WAITING_KINDS = ['attempts=0 AND leased_by IS NULL', 'attempts=0 AND leased_by IS NOT NULL', 'attempts>0']

/** Returns a statement that makes waiting deliveries dead, with their last error or the given one. */
function buryIf(condition: string): Command {
  return command(`UPDATE delivery SET state='dead', leased_by=NULL, last_error=COALESCE(last_error, ?)
     WHERE (user_id, sequence, endpoint_id) IN (SELECT user_id, sequence, endpoint_id FROM delivery
       WHERE endpoint_id=? AND state='waiting' AND ${condition})`)
}

const BURY_LEASED = buryIf('leased_by IN (SELECT deliverer_id FROM deliverer)')
/** Statements for each kind of waiting delivery, with a maximum number of rows. */
const BURY_WAITING = WAITING_KINDS.map(kind => buryIf(`${kind} LIMIT ?`))

/** Number of rows per transaction, so that others can write in between. */
const SLICE = 2_000

/** Identifies an endpoint. */
export interface EndpointKey {
  readonly teamId: TeamId
  readonly endpointId: string
}

/**
 * Disables an endpoint, so that nothing more is sent to it. Must run inside a write. Leased deliveries and the first part of the waiting
 * ones become dead immediately, and `buryWaiting` does the rest. If the endpoint is already disabled, its time and reason do not change.
 * Returns null if there is no such endpoint.
 */
export function* disableEndpoint(key: EndpointKey, reason: DisabledReason, at: EpochMs): Steps<EndpointRecord | null> {
  const known = yield* findEndpoint(key.teamId, key.endpointId)
  if (known === null || known.disabledAt !== null) return known
  const disabled = { ...known, disabledAt: at, disabledReason: reason, updatedAt: at }
  yield* putEndpoint(disabled)
  yield* run(BURY_LEASED, [burialError(disabled), disabled.endpointId])
  yield* burySlice(key)
  return disabled
}

/** Makes some deliveries to a disabled endpoint dead, and returns whether more may be waiting. Must run inside a write. */
function* burySlice({ teamId, endpointId }: EndpointKey): Steps<boolean> {
  const endpoint = yield* findEndpoint(teamId, endpointId)
  if (endpoint === null || endpoint.disabledAt === null) return false
  let room = SLICE
  for (const burial of BURY_WAITING) {
    room -= yield* run(burial, [burialError(endpoint), endpoint.endpointId, room])
    if (room <= 0) return true
  }
  return false
}

/** Returns the error for deliveries that become dead without an error of their own. */
function burialError({ disabledReason }: EndpointRecord): string {
  return `endpoint disabled (${disabledReason})`
}

/**
 * Makes the remaining deliveries dead. If the process ends first, the remaining deliveries are never sent, and become dead before the
 * endpoint is enabled again.
 */
export async function buryWaiting(db: Database, key: EndpointKey): Promise<void> {
  while (await db.writeAside(() => burySlice(key))) {
    // one short transaction after another
  }
}
