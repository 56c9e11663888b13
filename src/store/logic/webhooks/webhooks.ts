/** The part of the store that keeps webhook endpoints. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { DisabledReason, EndpointChange, EndpointRecord, WebhookStore } from '../../webhook.ts'
import { Part } from '../part.ts'
import { command, run, type Steps } from '../steps.ts'
import { buryWaiting, disableEndpoint, type EndpointKey } from './disabling.ts'
import { endpointsOf, findEndpoint, putEndpoint } from './endpoint-row.ts'
import { type KeptDeliveries, keptDeliveries, removeDeliveries } from './kept-deliveries.ts'

export class StoredWebhooks extends Part implements WebhookStore {
  add(endpoint: EndpointRecord) {
    return this.db.write(() => putEndpoint(endpoint))
  }

  list(teamId: TeamId) {
    return this.db.read(() => endpointsOf(teamId))
  }

  find(teamId: TeamId, endpointId: string) {
    return this.db.read(() => findEndpoint(teamId, endpointId))
  }

  kept(endpoints: readonly EndpointKey[]) {
    return this.db.read(() => keptByEndpoint(endpoints))
  }

  change(teamId: TeamId, endpointId: string, change: EndpointChange, at: EpochMs) {
    return this.db.write(() => putChanged(teamId, endpointId, known => ({ ...known, ...change, updatedAt: at })))
  }

  rotate(
    teamId: TeamId,
    endpointId: string,
    { secret, formerUntil, at }: { readonly secret: Uint8Array; readonly formerUntil: EpochMs; readonly at: EpochMs },
  ) {
    return this.db.write(() =>
      putChanged(teamId, endpointId, known => ({
        ...known,
        secret,
        formerSecret: known.secret,
        formerUntil,
        updatedAt: at,
      })),
    )
  }

  async disable(teamId: TeamId, endpointId: string, reason: DisabledReason, at: EpochMs) {
    const key = { teamId, endpointId }
    const disabled = await this.db.write(() => disableEndpoint(key, reason, at))
    await buryWaiting(this.db, key)
    return disabled
  }

  async enable(teamId: TeamId, endpointId: string, at: EpochMs) {
    // the endpoint gets what happens from now on: what was waiting when it was disabled is dead
    await buryWaiting(this.db, { teamId, endpointId })
    return this.db.write(() =>
      putChanged(teamId, endpointId, known =>
        // an endpoint that was already enabled stays as it was, with its failures
        known.disabledAt === null
          ? known
          : { ...known, disabledAt: null, disabledReason: null, failingSince: null, updatedAt: at },
      ),
    )
  }

  async remove(teamId: TeamId, endpointId: string) {
    // from here on nothing is sent to it
    if (!(await this.db.write(() => removeEndpoint(teamId, endpointId)))) return false
    await removeDeliveries(this.db, endpointId)
    return true
  }
}

const REMOVE_ENDPOINT = command('DELETE FROM endpoint WHERE team_id=? AND endpoint_id=?')

/** Returns whether there was one. */
function* removeEndpoint(teamId: TeamId, endpointId: string): Steps<boolean> {
  return (yield* run(REMOVE_ENDPOINT, [teamId, endpointId])) > 0
}

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
