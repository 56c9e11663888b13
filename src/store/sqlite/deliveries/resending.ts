/** Sends events again: their deliveries wait once more, and an endpoint that never had one gets one. */
import { matchesType } from '../../../catalogue/event-types.ts'
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { DeliveryKey, ResendPosition, ResendScope } from '../../delivery.ts'
import type { EndpointRecord } from '../../webhook.ts'
import { OUTBOX, type OutboxRow } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { isActive } from '../users/users.ts'
import { endpointsOf } from '../webhooks/endpoint-row.ts'

/** Number of events looked at in one transaction. */
const SLICE = 1_000

type SentEvent = Pick<OutboxRow, 'user_id' | 'sequence'>

/** Sends one event again, unless its user is deleted. `endpointId` names an endpoint that gets it whatever types it asks for. */
export function resendEvent(
  db: Connection,
  teamId: TeamId,
  { userId, sequence }: Pick<DeliveryKey, 'userId' | 'sequence'>,
  endpointId: string | null,
  now: EpochMs,
): number {
  const event = OUTBOX.get(db, 'WHERE user_id=? AND sequence=?', userId, sequence)
  if (event?.team_id !== teamId || event.arrival === 0 || !isActive(db, teamId, userId)) return 0
  let queued = 0
  for (const endpoint of enabledOf(db, teamId, endpointId)) {
    if (endpointId !== null || asksFor(endpoint, event.type)) queued += queue(db, teamId, event, endpoint, now)
    else queued += queueAgain(db, event, endpoint, now, ENDED)
  }
  return queued
}

/** Walks the team's events in order. */
export function resendSlice(
  db: Connection,
  teamId: TeamId,
  scope: ResendScope,
  after: ResendPosition | null,
  now: EpochMs,
): { readonly queued: number; readonly next: ResendPosition | null } {
  const endpoints = enabledOf(db, teamId, scope.endpointId)
  if (endpoints.length === 0) return { queued: 0, next: null }
  const events = OUTBOX.all(
    db,
    'WHERE team_id=? AND (arrival, sequence)>(?,?) AND arrival>0 ORDER BY arrival, sequence LIMIT ?',
    teamId,
    after?.arrival ?? 0,
    after?.sequence ?? 0,
    SLICE,
  )
  let queued = 0
  for (const event of events) {
    if (event.at < scope.since || (scope.until !== null && event.at >= scope.until)) continue
    if (scope.type !== null && !matchesType(scope.type, event.type)) continue
    if (!isActive(db, teamId, event.user_id)) continue
    for (const endpoint of endpoints) {
      if (scope.deadOnly) queued += queueAgain(db, event, endpoint, now, "state='dead'")
      else if (asksFor(endpoint, event.type)) queued += queue(db, teamId, event, endpoint, now)
    }
  }
  const last = events.at(-1)
  const isEnd = last === undefined || events.length < SLICE
  return { queued, next: isEnd ? null : { arrival: last.arrival, sequence: last.sequence } }
}

function enabledOf(db: Connection, teamId: TeamId, endpointId: string | null): EndpointRecord[] {
  return endpointsOf(db, teamId).filter(
    each => each.disabledAt === null && (endpointId === null || each.endpointId === endpointId),
  )
}

function asksFor({ eventTypes }: EndpointRecord, type: string): boolean {
  return eventTypes.some(pattern => matchesType(pattern, type))
}

/** Deliveries that have ended, or that wait for a later time than `?1`. One that a process has leased is left to it. */
const ENDED = "(state<>'waiting' OR (attempts>0 AND due_at>?1 AND leased_by IS NULL))"

function queue(db: Connection, teamId: TeamId, event: SentEvent, { endpointId }: EndpointRecord, now: EpochMs): number {
  return db.run(
    `INSERT INTO delivery (due_at, user_id, sequence, endpoint_id, team_id, state) VALUES (?1,?2,?3,?4,?5,'waiting')
     ON CONFLICT DO UPDATE SET state='waiting', round=0, due_at=?1 WHERE ${ENDED}`,
    now,
    event.user_id,
    event.sequence,
    endpointId,
    teamId,
  )
}

/** Does the same for a delivery that exists. */
function queueAgain(
  db: Connection,
  event: SentEvent,
  { endpointId }: EndpointRecord,
  now: EpochMs,
  where: string,
): number {
  return db.run(
    `UPDATE delivery SET state='waiting', round=0, due_at=?1 WHERE user_id=?2 AND sequence=?3 AND endpoint_id=?4 AND ${where}`,
    now,
    event.user_id,
    event.sequence,
    endpointId,
  )
}
