/**
 * The outbox: what a write caused, stored in packed form in the same transaction as the write, with a delivery for each endpoint that gets
 * it. See docs/storage.md.
 */
import { isSentAt } from '../../../catalogue/event-types.ts'
import { resourceNamed } from '../../../catalogue/resources.ts'
import { ServiceError } from '../../../core/errors.ts'
import { ownedId, type TeamId, type UserId } from '../../../core/ids.ts'
import type { SampleColumns } from '../../../core/sample.ts'
import { type EpochMs, formatDate } from '../../../core/time.ts'
import { encodeChunk } from '../../chunk/codec.ts'
import type { Stored } from '../checksums/checked-rows.ts'
import { COUNTERS, type CountersRow, OUTBOX, USERS, type UserRow } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { tapeEvents } from '../tape/events.ts'
import { EPOCH } from '../teams/settings.ts'
import { eventParts } from './parts.ts'
import { Recipients } from './recipients.ts'
import { keepUntil } from './retention.ts'

/** Returns the name of a resource in event types: `weight` for body_weight. */
export function eventResource(resource: string): string {
  return resourceNamed(resource)?.queryName ?? resource
}

/** Who gets an event, apart from what the endpoints ask for. */
export interface Addressed {
  /** Only these endpoints, whatever types they ask for. */
  readonly only?: readonly string[]
  /** Not this endpoint. */
  readonly except?: string
}

/** What each event says about its user. */
interface Owner extends CountersRow, UserRow {
  readonly compatibility_date: string | null
  readonly epoch: number
}

/** Writes the events of one user's transaction, with numbers that follow the user's last one. Call `finish` once, before the commit. */
export class OutboxWriter {
  private sequence: number
  /** Number of the last event before these. */
  readonly first: number
  private arrival = 0
  private readonly db: Connection
  private readonly userId: UserId
  private readonly teamId: TeamId
  private readonly at: EpochMs
  private readonly user: Owner | undefined
  private readonly recipients: Recipients
  private readonly keepsAll: boolean

  /** `keepsAll`: events that are not sent at the compatibility date are stored all the same, for undoing an import. */
  constructor(db: Connection, userId: UserId, teamId: TeamId, at: EpochMs, keepsAll = false) {
    this.db = db
    this.userId = userId
    this.teamId = teamId
    this.at = at
    this.keepsAll = keepsAll
    this.recipients = new Recipients(db, teamId)
    this.user = ownerOf(db, userId)
    this.first = this.user?.event_sequence ?? 0
    this.sequence = this.first
  }

  /** Throws ServiceError `user_not_found` if the user was deleted in the meantime: nothing may follow a deletion. */
  requireActive(): void {
    if (!this.user || this.user.deleted_at !== null) throw new ServiceError('user_not_found', 'User not found')
  }

  /** Number of the last event so far. */
  get last(): number {
    return this.sequence
  }

  /**
   * Writes an event for the samples of each source, or several if there are too many for one, each in time order. `packed` is the columns
   * as a chunk, if there is one.
   */
  samples(
    type: string,
    { seriesId, resource }: { readonly seriesId: number; readonly resource: string },
    columns: SampleColumns,
    packed: Uint8Array | null = null,
  ): void {
    if (columns.n === 0) return
    for (const part of eventParts(resource, columns)) {
      const data = part === columns && packed ? packed : encodeChunk(part)
      this.add({ type, seriesId, n: part.n, data, document: null })
    }
  }

  document(type: string, document: Readonly<Record<string, unknown>>, addressed: Addressed = {}): void {
    this.add({ type, seriesId: null, n: 1, data: null, document: JSON.stringify(document) }, addressed)
  }

  /** Stores the number of the last event, and makes the removal of old events due. */
  finish(): void {
    if (this.sequence === this.first) return
    if (this.user) {
      const { user_id, event_floor } = this.user
      COUNTERS.update(this.db, { user_id, event_floor, event_sequence: this.sequence })
    }
    keepUntil(this.db, this.teamId, this.userId, this.at)
    tapeEvents(this.db, this.userId, this.first)
  }

  private add(
    event: {
      readonly type: string
      readonly seriesId: number | null
      readonly n: number
      readonly data: Uint8Array | null
      readonly document: string | null
    },
    { only, except }: Addressed = {},
  ): void {
    const { type, seriesId, n, data, document } = event
    const isSent = isSentAt(type, this.user?.compatibility_date ?? formatDate(this.at))
    if (!isSent && !this.keepsAll) return
    this.sequence++
    OUTBOX.insert(this.db, {
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
      arrival: isSent ? this.arrivalNow() : 0,
      client_user_id: this.user?.client_user_id ?? null,
      compatibility_date: this.user?.compatibility_date ?? null,
    })
    if (!isSent) return
    for (const endpointId of only ?? this.recipients.of(type)) {
      if (endpointId !== except) this.queue(endpointId)
    }
  }

  /** A restored store numbers events anew. The epoch keeps clients that remember ids from taking new events for old ones. */
  private newId(): string {
    const epoch = this.user?.epoch ?? 0
    return ownedId(this.userId, 'event', this.sequence, ...(epoch === 0 ? [] : [epoch]))
  }

  /**
   * Returns the real time, but a later one than that of any earlier transaction of the team, so that a client that follows the events
   * misses none.
   */
  private arrivalNow(): number {
    if (this.arrival === 0) {
      const sql = 'SELECT max(arrival) AS last FROM outbox WHERE team_id=?'
      const last = this.db.get<{ last: number | null }>(sql, this.teamId)?.last ?? 0
      this.arrival = Math.max(this.db.realNow(), last + 1)
    }
    return this.arrival
  }

  private queue(endpointId: string): void {
    this.db.run(
      `INSERT INTO delivery (user_id, sequence, endpoint_id, team_id, state, due_at) VALUES (?,?,?,?,'waiting',?)`,
      this.userId,
      this.sequence,
      endpointId,
      this.teamId,
      this.at,
    )
  }
}

/** Verifies both checksums of the row, because its name and numbers go into rows with valid checksums. */
function ownerOf(db: Connection, userId: UserId): Owner | undefined {
  const row = db.get<Stored<Owner>>(OWNER, userId)
  if (row === undefined) return undefined
  USERS.verified(db, row)
  COUNTERS.verified(db, row)
  return row
}

const OWNER = `SELECT ${USERS.columns}, event_sequence, event_floor, counters_checksum, compatibility_date,
    coalesce((SELECT value FROM setting WHERE name='${EPOCH}'), 0) AS epoch
  FROM user LEFT JOIN team ON team.team_id=user.team_id WHERE user.user_id=?`
