/** Implements the port's events, using the outbox and the deliveries. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import {
  type AttemptRecord,
  type DeliveryState,
  type EventDelivery,
  type EventPosition,
  type NewEvent,
  type OutboxEvent,
  READY,
} from '../../event.ts'
import { onDatabase, part, read, writeAbout } from '../part.ts'
import { OUTBOX, type OutboxRow } from '../rows/tables.ts'
import { many, one, query, type Steps } from '../steps.ts'
import { withinQuota } from '../teams/stored-bytes.ts'
import { findOwners } from '../users/owners.ts'
import { isActive, requireActive } from '../users/users.ts'
import { listEvents } from './list.ts'
import { OutboxWriter } from './outbox.ts'
import { lastPosition, lastShown, withPositions } from './positions.ts'
import { removeOldEvents } from './retention.ts'
import { eventAt, FIND_COUNTERS, readEvent } from './row.ts'

/**
 * Reads and writes events. Lists include an event once it has its position in the team's order, which may be shortly after its commit.
 * Positions are assigned in that order, so that no event appears before an event that is already visible, and a list that continues from a
 * position does not skip any event. Reads by user or event ID return an event as soon as it is committed.
 */
export class EventStore extends part({
  list: onDatabase(listEvents),
  find: read(findEvent),
  positionOf: read(findPosition),
  end: read(readEnd),
  emit: writeAbout(emitEvent),
  lastOfUser: read(readLast),
  ofUser: read(eventsAfter),
  removeOld: onDatabase(removeOldEvents),
}) {}

/**
 * Returns the current end of the list of the team's events, or of one user's events, which are ordered by number (list.ts). Later events,
 * and events without a position, come after it.
 */
function* readEnd(teamId: TeamId, userId: UserId | null): Steps<EventPosition> {
  const last = yield* lastPosition(teamId)
  if (userId === null) return last
  return { arrival: last.arrival, sequence: yield* lastShown(userId) }
}

/** Returns the number of the user's last committed event, or 0. */
function* readLast(userId: UserId): Steps<number> {
  return (yield* one(FIND_COUNTERS, [userId]))?.event_sequence ?? 0
}

/**
 * Writes the event for the user and returns it. Throws ServiceError `user_not_found` if there is no such active user, and `quota_exceeded`
 * if the team would exceed its storage limit.
 */
function* emitEvent(userId: UserId, event: NewEvent): Steps<OutboxEvent> {
  const sequence = yield* withinQuota(userId, () => writeEvent(userId, event))
  const written = yield* eventAt(userId, sequence)
  if (!written) throw new Error('An event that was just written cannot be found.')
  return written
}

/** Writes an event and returns its number. Must run inside a write. */
function* writeEvent(userId: UserId, event: NewEvent): Steps<number> {
  yield* requireActive(userId)
  const outbox = yield* OutboxWriter.open(userId, event.teamId, event.at, true)
  const recipients = event.endpointIds === null ? {} : { only: event.endpointIds }
  yield* outbox.document(event.type, { kind: READY, data: event.data }, recipients)
  yield* outbox.finish()
  return outbox.last
}

const EVENTS_AFTER = OUTBOX.query('WHERE user_id=? AND sequence>? ORDER BY sequence LIMIT ?')

/**
 * Returns a user's committed events after a sequence number, in order. Includes events without a position and events that are never shown.
 */
function* eventsAfter(userId: UserId, sequence: number, limit: number): Steps<OutboxEvent[]> {
  const events: OutboxEvent[] = []
  for (const row of yield* many(EVENTS_AFTER, [userId, sequence, limit])) events.push(yield* readEvent(row))
  return events
}

interface FoundEvent {
  readonly event: OutboxEvent
  readonly deliveries: readonly EventDelivery[]
}

const EVENTS_WITH_ID = OUTBOX.query('WHERE user_id=? AND event_id=?')

/** Returns an event of one of the team's active users with its deliveries, or null. The event need not have a position yet. */
function* findEvent(teamId: TeamId, eventId: string): Steps<FoundEvent | null> {
  for (const userId of yield* findOwners(teamId, eventId)) {
    // several rows are found if a damaged index row refers to two rows, so check the user in each row itself
    for (const row of yield* many(EVENTS_WITH_ID, [userId, eventId])) {
      const isShown = row.team_id === teamId && row.arrival > 0 && (yield* isActive(teamId, row.user_id))
      if (isShown) return { event: yield* readEvent(row), deliveries: yield* listDeliveries(row) }
    }
  }
  return null
}

/** Returns the event's position in the team's order, or null if it has none (yet). */
function* findPosition(teamId: TeamId, eventId: string): Steps<EventPosition | null> {
  for (const userId of yield* findOwners(teamId, eventId)) {
    const rows = yield* withPositions(yield* many(EVENTS_WITH_ID, [userId, eventId]))
    const row = rows.find(each => each.team_id === teamId && each.arrival > 0)
    if (row) return { arrival: row.arrival, sequence: row.sequence }
  }
  return null
}

interface DeliveryRow {
  readonly endpoint_id: string
  readonly url: string
  readonly state: DeliveryState
  readonly attempts: number
  readonly due_at: number
  readonly last_at: number | null
  readonly last_status: number | null
  readonly last_error: string | null
  readonly last_ms: number | null
}

const DELIVERIES_OF_EVENT =
  query<DeliveryRow>(`SELECT delivery.endpoint_id, url, state, attempts, due_at, last_at, last_status, last_error, last_ms
  FROM delivery JOIN endpoint USING (team_id, endpoint_id) WHERE user_id=? AND sequence=? ORDER BY created_at, endpoint_id`)
const FAILED_ATTEMPTS = query<AttemptRecord>(
  'SELECT number, at, status, error, ms FROM failed_attempt WHERE user_id=? AND sequence=? AND endpoint_id=? ORDER BY number',
)

function* listDeliveries({ user_id: userId, sequence }: OutboxRow): Steps<EventDelivery[]> {
  const deliveries: EventDelivery[] = []
  for (const row of yield* many(DELIVERIES_OF_EVENT, [userId, sequence])) {
    const failed = yield* many(FAILED_ATTEMPTS, [userId, sequence, row.endpoint_id])
    deliveries.push({
      endpointId: row.endpoint_id,
      url: row.url,
      state: row.state,
      attempts: [...failed, ...lastAttempt(row, failed)],
      nextAttemptAt: row.state === 'waiting' ? row.due_at : null,
    })
  }
  return deliveries
}

/** Returns the last attempt, unless it is one of the failed ones. */
function lastAttempt(row: DeliveryRow, failed: readonly AttemptRecord[]): AttemptRecord[] {
  if (row.attempts === 0 || failed.some(each => each.number === row.attempts)) return []
  return [
    {
      number: row.attempts,
      at: row.last_at ?? row.due_at,
      status: row.last_status,
      error: row.state === 'delivered' ? null : row.last_error,
      ms: row.last_ms ?? 0,
    },
  ]
}
