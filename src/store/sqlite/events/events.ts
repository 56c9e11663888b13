/** The port's events, over the outbox and the deliveries. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import {
  type AttemptRecord,
  type DeliveryState,
  type EventDelivery,
  type EventPosition,
  type EventQuery,
  type EventStore,
  type NewEvent,
  READY,
} from '../../event.ts'
import { COUNTERS, OUTBOX, type OutboxRow } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { Part } from '../part.ts'
import { withinQuota } from '../teams/stored-bytes.ts'
import { isActive, requireActive } from '../users/users.ts'
import { listEvents } from './list.ts'
import { OutboxWriter } from './outbox.ts'
import { removeOldEvents } from './retention.ts'
import { eventAt, eventOf } from './row.ts'

export class SqliteEvents extends Part implements EventStore {
  list(query: EventQuery) {
    return listEvents(this.db, query)
  }

  find(teamId: TeamId, eventId: string) {
    return this.db.read(() => findEvent(this.db, teamId, eventId))
  }

  end(teamId: TeamId, userId: UserId | null) {
    return this.db.read(() => endOf(this.db, teamId, userId))
  }

  emit(userId: UserId, event: NewEvent) {
    return this.db.write(() => {
      const sequence = withinQuota(this.db, userId, () => writeEvent(this.db, userId, event))
      const written = eventAt(this.db, userId, sequence)
      if (!written) throw new Error('An event that was just written cannot be found.')
      return written
    })
  }

  ofUser(userId: UserId, afterSequence: number, limit: number) {
    return this.db.read(() =>
      OUTBOX.all(this.db, 'WHERE user_id=? AND sequence>? ORDER BY sequence LIMIT ?', userId, afterSequence, limit).map(
        row => eventOf(this.db, row),
      ),
    )
  }

  removeOld(userId: UserId, now: EpochMs) {
    return removeOldEvents(this.db, userId, now)
  }
}

/** Events of one user are ordered by their numbers (list.ts). */
function endOf(db: Connection, teamId: TeamId, userId: UserId | null): EventPosition {
  const last = db.get<EventPosition>(
    'SELECT arrival, sequence FROM outbox WHERE team_id=? ORDER BY arrival DESC, sequence DESC LIMIT 1',
    teamId,
  ) ?? { arrival: 0, sequence: 0 }
  if (userId === null) return last
  return { arrival: last.arrival, sequence: COUNTERS.get(db, 'WHERE user_id=?', userId)?.event_sequence ?? 0 }
}

/** Must run inside a write. Returns the number of the event. */
function writeEvent(db: Connection, userId: UserId, event: NewEvent): number {
  requireActive(db, userId)
  const outbox = new OutboxWriter(db, userId, event.teamId, event.at, true)
  const addressed = event.endpointIds === null ? {} : { only: event.endpointIds }
  outbox.document(event.type, { kind: READY, data: event.data }, addressed)
  outbox.finish()
  return outbox.last
}

function findEvent(db: Connection, teamId: TeamId, eventId: string) {
  // there are several if a damaged row of the index names two: each row itself shows whose it is
  const row = OUTBOX.all(db, 'WHERE event_id=?', eventId).find(
    each => each.team_id === teamId && each.arrival > 0 && isActive(db, teamId, each.user_id),
  )
  return row ? { event: eventOf(db, row), deliveries: deliveriesOf(db, row) } : null
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

function deliveriesOf(db: Connection, { user_id: userId, sequence }: OutboxRow): EventDelivery[] {
  const rows = db.all<DeliveryRow>(
    `SELECT delivery.endpoint_id, url, state, attempts, due_at, last_at, last_status, last_error, last_ms
     FROM delivery JOIN endpoint USING (team_id, endpoint_id) WHERE user_id=? AND sequence=? ORDER BY created_at, endpoint_id`,
    userId,
    sequence,
  )
  return rows.map(row => {
    const failed = db.all<AttemptRecord>(
      'SELECT number, at, status, error, ms FROM failed_attempt WHERE user_id=? AND sequence=? AND endpoint_id=? ORDER BY number',
      userId,
      sequence,
      row.endpoint_id,
    )
    const last =
      row.attempts === 0 || failed.some(each => each.number === row.attempts)
        ? []
        : [
            {
              number: row.attempts,
              at: row.last_at ?? row.due_at,
              status: row.last_status,
              error: row.state === 'delivered' ? null : row.last_error,
              ms: row.last_ms ?? 0,
            },
          ]
    return {
      endpointId: row.endpoint_id,
      url: row.url,
      state: row.state,
      attempts: [...failed, ...last],
      nextAttemptAt: row.state === 'waiting' ? row.due_at : null,
    }
  })
}
