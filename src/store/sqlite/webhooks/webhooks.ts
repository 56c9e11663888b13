/** The part of the SQLite adapter that keeps webhook endpoints. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { DisabledReason, EndpointChange, EndpointRecord, WebhookStore } from '../../webhook.ts'
import { Part } from '../part.ts'
import { buryWaiting, disableEndpoint } from './disabling.ts'
import { endpointsOf, findEndpoint, putEndpoint } from './endpoint-row.ts'
import { keptDeliveries, removeDeliveries } from './kept-deliveries.ts'

export class SqliteWebhooks extends Part implements WebhookStore {
  add(endpoint: EndpointRecord) {
    return this.db.write(() => putEndpoint(this.db, endpoint))
  }

  list(teamId: TeamId) {
    return this.db.read(() => endpointsOf(this.db, teamId))
  }

  find(teamId: TeamId, endpointId: string) {
    return this.db.read(() => findEndpoint(this.db, teamId, endpointId))
  }

  kept(endpoints: readonly Pick<EndpointRecord, 'teamId' | 'endpointId'>[]) {
    return this.db.read(
      () => new Map(endpoints.map(endpoint => [endpoint.endpointId, keptDeliveries(this.db, endpoint)] as const)),
    )
  }

  change(teamId: TeamId, endpointId: string, change: EndpointChange, at: EpochMs) {
    return this.db.write(() => this.put(teamId, endpointId, known => ({ ...known, ...change, updatedAt: at })))
  }

  rotate(
    teamId: TeamId,
    endpointId: string,
    { secret, formerUntil, at }: { readonly secret: Uint8Array; readonly formerUntil: EpochMs; readonly at: EpochMs },
  ) {
    return this.db.write(() =>
      this.put(teamId, endpointId, known => ({
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
    const disabled = await this.db.write(() => disableEndpoint(this.db, key, reason, at))
    await buryWaiting(this.db, key)
    return disabled
  }

  async enable(teamId: TeamId, endpointId: string, at: EpochMs) {
    // the endpoint gets what happens from now on: what was waiting when it was disabled is dead
    await buryWaiting(this.db, { teamId, endpointId })
    return this.db.write(() =>
      this.put(teamId, endpointId, known =>
        // an endpoint that was already enabled stays as it was, with its failures
        known.disabledAt === null
          ? known
          : { ...known, disabledAt: null, disabledReason: null, failingSince: null, updatedAt: at },
      ),
    )
  }

  async remove(teamId: TeamId, endpointId: string) {
    const sql = 'DELETE FROM endpoint WHERE team_id=? AND endpoint_id=?'
    // from here on nothing is sent to it
    if (!(await this.db.write(() => this.db.run(sql, teamId, endpointId) > 0))) return false
    await removeDeliveries(this.db, endpointId)
    return true
  }

  private put(
    teamId: TeamId,
    endpointId: string,
    changed: (known: EndpointRecord) => EndpointRecord,
  ): EndpointRecord | null {
    const known = findEndpoint(this.db, teamId, endpointId)
    if (known === null) return null
    const next = changed(known)
    if (next !== known) putEndpoint(this.db, next)
    return next
  }
}
