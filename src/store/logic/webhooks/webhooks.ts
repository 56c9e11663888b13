/** Implements the part of the port that stores webhook endpoints. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { DisabledReason, EndpointChange, EndpointRecord } from '../../webhook.ts'
import type { Database } from '../database.ts'
import { onDatabase, part, read, write } from '../part.ts'
import { command, run, type Steps } from '../steps.ts'
import { buryWaiting, disableEndpoint, type EndpointKey } from './disabling.ts'
import { findEndpoint, listTeamEndpoints, putEndpoint } from './endpoint-row.ts'
import { type KeptDeliveries, keptDeliveries, removeDeliveries } from './kept-deliveries.ts'

/** The calls for endpoints. Calls that change an endpoint return it, or null if there is none. */
export class WebhookStore extends part({
  add: write(putEndpoint),
  list: read(listTeamEndpoints),
  find: read(findEndpoint),
  kept: read(keptByEndpoint),
  change: write((teamId: TeamId, endpointId: string, change: EndpointChange, at: EpochMs) =>
    putChanged(teamId, endpointId, known => ({ ...known, ...change, updatedAt: at })),
  ),
  rotate: write(rotate),
  disable: onDatabase(disable),
  enable: onDatabase(enable),
  remove: onDatabase(remove),
}) {}

interface Rotation {
  readonly secret: Uint8Array
  readonly formerUntil: EpochMs
  readonly at: EpochMs
}

/** Replaces the secret. Until `formerUntil` (real time), the old secret is also used to sign. */
function rotate(teamId: TeamId, endpointId: string, { secret, formerUntil, at }: Rotation) {
  return putChanged(teamId, endpointId, known => ({
    ...known,
    secret,
    formerSecret: known.secret,
    formerUntil,
    updatedAt: at,
  }))
}

/** Disables an endpoint. Its waiting deliveries become dead, but can be resent. */
async function disable(db: Database, teamId: TeamId, endpointId: string, reason: DisabledReason, at: EpochMs) {
  const key = { teamId, endpointId }
  const disabled = await db.write(() => disableEndpoint(key, reason, at))
  await buryWaiting(db, key)
  return disabled
}

/** Enables an endpoint. It receives events from now on. */
async function enable(db: Database, teamId: TeamId, endpointId: string, at: EpochMs) {
  // deliveries that were waiting when the endpoint was disabled are dead
  await buryWaiting(db, { teamId, endpointId })
  return db.write(() =>
    putChanged(teamId, endpointId, known =>
      // an endpoint that was already enabled does not change, including its failures
      known.disabledAt === null
        ? known
        : { ...known, disabledAt: null, disabledReason: null, failingSince: null, updatedAt: at },
    ),
  )
}

const REMOVE_ENDPOINT = command('DELETE FROM endpoint WHERE team_id=? AND endpoint_id=?')

/** Removes an endpoint with all data about its deliveries. Returns false if there was no such endpoint. */
async function remove(db: Database, teamId: TeamId, endpointId: string): Promise<boolean> {
  // from now on, nothing is sent to the endpoint
  if ((await db.write(() => run(REMOVE_ENDPOINT, [teamId, endpointId]))) === 0) return false
  await removeDeliveries(db, endpointId)
  return true
}

/** Returns the numbers of waiting and dead deliveries for each endpoint. */
function* keptByEndpoint(endpoints: readonly EndpointKey[]): Steps<Map<string, KeptDeliveries>> {
  const kept = new Map<string, KeptDeliveries>()
  for (const endpoint of endpoints) kept.set(endpoint.endpointId, yield* keptDeliveries(endpoint))
  return kept
}

function* putChanged(
  teamId: TeamId,
  endpointId: string,
  changed: (known: EndpointRecord) => EndpointRecord,
): Steps<EndpointRecord | null> {
  const known = yield* findEndpoint(teamId, endpointId)
  if (known === null) return null
  const next = changed(known)
  if (next !== known) yield* putEndpoint(next)
  return next
}
