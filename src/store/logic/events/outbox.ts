/**
 * Writes to the outbox: stores the events that a write causes in packed form, in the same transaction, with a delivery for each endpoint
 * that receives them. See docs/storage.md.
 */
import { isSentAt } from '../../../catalogue/event-types.ts'
import { resourceNamed } from '../../../catalogue/resources.ts'
import { ServiceError } from '../../../core/errors.ts'
import { ownedId, type TeamId, type UserId } from '../../../core/ids.ts'
import type { SampleColumns } from '../../../core/sample.ts'
import { type EpochMs, formatDate } from '../../../core/time.ts'
import { encodeChunk } from '../../chunk/codec.ts'
import type { Stored } from '../rows/checked-rows.ts'
import { COUNTERS, type CountersRow, OUTBOX, USERS, type UserRow } from '../rows/tables.ts'
import { addCount, command, type Expected, eventsWritten, isSteps, one, query, type Steps, send } from '../steps.ts'
import { EPOCH } from '../teams/settings.ts'
import type { Use } from '../teams/stored-bytes.ts'
import { eventParts } from './parts.ts'
import { arrivalNow, awaitPosition } from './positions.ts'
import { Recipients } from './recipients.ts'
import { keepFor } from './retention.ts'

/** Returns a resource's name in event types, such as `weight` for body_weight. */
export function eventResource(resource: string): string {
  return resourceNamed(resource)?.queryName ?? resource
}

/** Restricts which endpoints receive an event, in addition to their subscriptions. */
export interface RecipientFilter {
  /** Only these endpoints receive the event, whatever their event types. */
  readonly only?: readonly string[]
  /** This endpoint does not receive the event. */
  readonly except?: string
}

/** The user fields in each event. */
interface Owner extends CountersRow, UserRow, Pick<Use, 'max_bytes' | 'stored_bytes'> {
  readonly compatibility_date: string | null
  readonly event_days: number | null
  readonly epoch: string | number | null
}

const QUEUE_DELIVERY = command(
  `INSERT INTO delivery (user_id, sequence, endpoint_id, team_id, state, due_at) VALUES (?,?,?,?,'waiting',?)`,
)

interface NewRow {
  readonly type: string
  readonly seriesId: number | null
  readonly n: number
  readonly data: Uint8Array | null
  readonly document: string | null
}

/**
 * Writes a transaction's events for one user, with numbers that continue from the user's last event. Call `finish` once, before the commit.
 */
export class OutboxWriter {
  private sequence: number
  /** Number of the last event before this writer's events. */
  readonly first: number
  private arrival = 0
  private readonly userId: UserId
  readonly teamId: TeamId
  private readonly at: EpochMs
  private readonly user: Owner | undefined
  private readonly recipients: Recipients
  private readonly keepsAll: boolean

  private constructor(
    { userId, teamId, at }: { readonly userId: UserId; readonly teamId: TeamId; readonly at: EpochMs },
    user: Owner | undefined,
    keepsAll: boolean,
  ) {
    this.userId = userId
    this.teamId = teamId
    this.at = at
    this.keepsAll = keepsAll
    this.recipients = new Recipients(teamId)
    this.user = user
    this.first = user?.event_sequence ?? 0
    this.sequence = this.first
  }

  /**
   * Opens the user's outbox. If `keepsAll` is true, it also stores events that are not sent at the compatibility date, because they may be
   * needed to undo an import.
   */
  static *open(userId: UserId, teamId: TeamId, at: EpochMs, keepsAll = false): Steps<OutboxWriter> {
    return new OutboxWriter({ userId, teamId, at }, yield* findOwner(userId), keepsAll)
  }

  /** Throws ServiceError `user_not_found` if the user was deleted in the meantime, because nothing may follow a deletion. */
  requireActive(): void {
    if (!this.user || this.user.deleted_at !== null) throw new ServiceError('user_not_found', 'User not found')
  }

  /** The user's stored bytes before these events, or undefined if there is no such user. */
  get use(): Use | undefined {
    return this.user
  }

  /** Number of the last event so far. */
  get last(): number {
    return this.sequence
  }

  /**
   * Writes an event for each source's samples, or several if there are too many samples for one event. Each event is in time order.
   * `packed` contains the columns as a chunk, if there is one.
   */
  *samples(
    type: string,
    { seriesId, resource }: { readonly seriesId: number; readonly resource: string },
    columns: SampleColumns,
    packed: Uint8Array | null = null,
  ): Steps<void> {
    if (columns.n === 0) return
    for (const part of eventParts(resource, columns)) {
      const data = part === columns && packed ? packed : encodeChunk(part)
      yield* this.add({ type, seriesId, n: part.n, data, document: null })
    }
  }

  *document(type: string, document: Readonly<Record<string, unknown>>, recipients: RecipientFilter = {}): Steps<void> {
    yield* this.add({ type, seriesId: null, n: 1, data: null, document: JSON.stringify(document) }, recipients)
  }

  /** Stores the last event's number, and schedules the removal of old events. */
  *finish(): Steps<void> {
    if (this.sequence === this.first) return
    if (this.user) {
      const { user_id, event_floor } = this.user
      yield* COUNTERS.replace({ user_id, event_floor, event_sequence: this.sequence })
    }
    yield* keepFor(this.user?.event_days ?? null, this.userId, this.at)
    const n = this.sequence - this.first
    yield* addCount({ teamId: this.teamId, name: 'events', subject: '', n })
    yield* eventsWritten(this.userId, { teamId: this.teamId, after: this.first, last: this.sequence })
  }

  private *add(event: NewRow, { only, except }: RecipientFilter = {}): Steps<void> {
    const { type, seriesId, n, data, document } = event
    const isSent = isSentAt(type, () => this.user?.compatibility_date ?? formatDate(this.at))
    if (!isSent && !this.keepsAll) return
    this.sequence++
    yield* OUTBOX.insert({
      user_id: this.userId,
      sequence: this.sequence,
      event_id: this.newId(),
      team_id: this.teamId,
      type,
      at: this.at,
      series_id: seriesId,
      n,
      data,
      document,
      arrival: isSent ? yield* this.arrivalNow() : 0,
      client_user_id: this.user?.client_user_id ?? null,
      compatibility_date: this.user?.compatibility_date ?? null,
    })
    if (!isSent) return
    yield* awaitPosition(this.teamId, this.userId, this.sequence)
    for (const endpointId of only ?? (yield* this.recipients.of(type))) {
      if (endpointId !== except) yield* this.queue(endpointId)
    }
  }

  /**
   * Returns an event's ID. A restored store reuses numbers, so the ID depends on the epoch. Otherwise, clients that remember IDs would
   * mistake new events for old ones.
   */
  private newId(): string {
    const epoch = Number(this.user?.epoch ?? 0)
    return ownedId(this.userId, 'event', this.sequence, ...(epoch === 0 ? [] : [epoch]))
  }

  private *arrivalNow(): Steps<number> {
    if (this.arrival === 0) this.arrival = yield* arrivalNow(this.teamId)
    return this.arrival
  }

  private *queue(endpointId: string): Steps<void> {
    yield* send(QUEUE_DELIVERY, [this.userId, this.sequence, endpointId, this.teamId, this.at])
  }
}

const FIND_OWNER = query<
  Stored<Owner>
>(`SELECT ${USERS.columns}, event_sequence, event_floor, counters_checksum, compatibility_date, event_days, max_bytes,
    stored_bytes,
    (SELECT value FROM setting WHERE name='${EPOCH}') AS epoch
  FROM user LEFT JOIN team ON team.team_id=user.team_id WHERE user.user_id=?`)

/** Returns the statements that run when an outbox is opened. */
export function expectedOwner(userId: UserId): Expected {
  return { statement: FIND_OWNER, values: [userId] }
}

/** Returns the owner. Verifies both checksums of the row, because its name and numbers are written to rows with valid checksums. */
function* findOwner(userId: UserId): Steps<Owner | undefined> {
  const row = yield* one(FIND_OWNER, [userId])
  if (row === undefined) return undefined
  const user = USERS.verified(row)
  if (isSteps(user)) yield* user
  const counters = COUNTERS.verified(row)
  if (isSteps(counters)) yield* counters
  return row
}
