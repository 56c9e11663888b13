/** Resends events. Their deliveries wait again, and a delivery is created for an endpoint that has none. */
import { matchesType } from '../../../catalogue/event-types.ts'
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { EventKey, ResendPosition, ResendScope } from '../../delivery.ts'
import type { EndpointRecord } from '../../webhook.ts'
import { teamRows } from '../events/positions.ts'
import { FIND_EVENT } from '../events/row.ts'
import type { OutboxRow } from '../rows/tables.ts'
import { command, one, run, type Steps } from '../steps.ts'
import { lockUsers } from '../users/lock.ts'
import { isActive } from '../users/users.ts'
import { listTeamEndpoints } from '../webhooks/endpoint-row.ts'

/** Number of events processed in one transaction. */
const SLICE = 1_000

type SentEvent = Pick<OutboxRow, 'user_id' | 'sequence'>

/**
 * Resends one event, unless its user is deleted, either to the given endpoint, whatever its event types, or to every endpoint that should
 * receive the event (null). Nothing is sent to disabled endpoints. Returns how many deliveries are waiting because of the call. Deliveries
 * that were already waiting and due are not counted, so the call can be repeated.
 */
export function* resendEvent(
  teamId: TeamId,
  { userId, sequence }: EventKey,
  endpointId: string | null,
  now: EpochMs,
): Steps<number> {
  const event = yield* one(FIND_EVENT, [userId, sequence])
  if (event?.team_id !== teamId || event.arrival === 0 || !(yield* isActive(teamId, userId))) return 0
  let queued = 0
  for (const endpoint of yield* listEnabled(teamId, endpointId)) {
    if (endpointId !== null || asksFor(endpoint, event.type)) queued += yield* queue(teamId, event, endpoint, now)
    else queued += yield* queueIfEnded(event, endpoint, now)
  }
  return queued
}

/**
 * Resends some of the events in the scope, in the team's order, starting after a position. `next` is the position to continue from, or null
 * at the end. Events that do not yet have a position in the order (events.ts) may be left out, because their first attempts are still
 * pending.
 */
export function* resendSlice(
  teamId: TeamId,
  scope: ResendScope,
  after: ResendPosition | null,
  now: EpochMs,
): Steps<{ readonly queued: number; readonly next: ResendPosition | null }> {
  const endpoints = yield* listEnabled(teamId, scope.endpointId)
  if (endpoints.length === 0) return { queued: 0, next: null }
  const { rows: events, last } = yield* teamRows(teamId, 'asc', after, SLICE)
  yield* lockUsers(events.map(each => each.user_id))
  let queued = 0
  for (const event of events) {
    if (event.at < scope.since || (scope.until !== null && event.at >= scope.until)) continue
    if (scope.type !== null && !matchesType(scope.type, event.type)) continue
    if (!(yield* isActive(teamId, event.user_id))) continue
    for (const endpoint of endpoints) {
      if (scope.deadOnly) queued += yield* queueIfDead(event, endpoint, now)
      else if (asksFor(endpoint, event.type)) queued += yield* queue(teamId, event, endpoint, now)
    }
  }
  return { queued, next: last }
}

function* listEnabled(teamId: TeamId, endpointId: string | null): Steps<EndpointRecord[]> {
  return (yield* listTeamEndpoints(teamId)).filter(
    each => each.disabledAt === null && (endpointId === null || each.endpointId === endpointId),
  )
}

function asksFor({ eventTypes }: EndpointRecord, type: string): boolean {
  return eventTypes.some(pattern => matchesType(pattern, type))
}

/**
 * Returns the SQL condition that a delivery has ended or is waiting for a later time than this. A leased delivery is left to its process.
 */
const endedOr = (later: string): string =>
  `(delivery.state<>'waiting' OR (delivery.attempts>0 AND delivery.due_at>${later} AND delivery.leased_by IS NULL))`
const QUEUE =
  command(`INSERT INTO delivery (due_at, user_id, sequence, endpoint_id, team_id, state) VALUES (?,?,?,?,?,'waiting')
    ON CONFLICT (user_id, sequence, endpoint_id) DO UPDATE SET state='waiting', round=0, due_at=excluded.due_at
    WHERE ${endedOr('excluded.due_at')}`)
const QUEUE_AGAIN = `UPDATE delivery SET state='waiting', round=0, due_at=? WHERE user_id=? AND sequence=? AND endpoint_id=?`
const QUEUE_IF_ENDED = command(`${QUEUE_AGAIN} AND ${endedOr('?')}`)
const QUEUE_IF_DEAD = command(`${QUEUE_AGAIN} AND state='dead'`)

function* queue(teamId: TeamId, event: SentEvent, { endpointId }: EndpointRecord, now: EpochMs): Steps<number> {
  return yield* run(QUEUE, [now, event.user_id, event.sequence, endpointId, teamId])
}

/** Makes an existing delivery wait again if it has ended. */
function* queueIfEnded(event: SentEvent, { endpointId }: EndpointRecord, now: EpochMs): Steps<number> {
  return yield* run(QUEUE_IF_ENDED, [now, event.user_id, event.sequence, endpointId, now])
}

function* queueIfDead(event: SentEvent, { endpointId }: EndpointRecord, now: EpochMs): Steps<number> {
  return yield* run(QUEUE_IF_DEAD, [now, event.user_id, event.sequence, endpointId])
}
