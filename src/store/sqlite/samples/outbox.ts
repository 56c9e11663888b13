/** The outbox: what a write brought about, kept in packed form in the same transaction as the write (design 4). */
import { resourceNamed } from '../../../catalogue/resources.ts'
import { ownedId, type TeamId, type UserId } from '../../../core/ids.ts'
import type { SampleColumns } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { decodeChunk, encodeChunk } from '../../chunk/codec.ts'
import { sliceColumns } from '../../chunk/columns.ts'
import type { OutboxEvent } from '../../port.ts'
import type { Connection } from '../connection.ts'
import { seriesKey } from './series.ts'

/** Most samples one event carries (interface-gaps, webhook body size). */
export const MOST_EVENT_SAMPLES = 2_500

/** Name of a resource inside event types: `weight` for body_weight. */
export function eventResource(resource: string): string {
  return resourceNamed(resource)?.queryName ?? resource
}

/** Writes the events of one user's transaction, numbering them on from the user's last. */
export class OutboxWriter {
  private sequence: number
  /** Number of the last event before the first of these. */
  readonly first: number
  private readonly connection: Connection
  private readonly userId: UserId
  private readonly teamId: TeamId
  private readonly at: EpochMs

  constructor(connection: Connection, userId: UserId, teamId: TeamId, at: EpochMs) {
    this.connection = connection
    this.userId = userId
    this.teamId = teamId
    this.at = at
    const row = connection.get<{ event_sequence: number }>('SELECT event_sequence FROM user WHERE user_id=?', userId)
    this.first = row?.event_sequence ?? 0
    this.sequence = this.first
  }

  /** Number of the last event so far. */
  get last(): number {
    return this.sequence
  }

  /**
   * One event for up to 2,500 samples; a larger batch goes out as several, in time order. `packed` is the columns as a chunk,
   * where there is one.
   */
  samples(type: string, seriesId: number, columns: SampleColumns, packed: Uint8Array | null = null): void {
    if (packed && columns.n <= MOST_EVENT_SAMPLES) {
      this.add(type, seriesId, columns.n, packed, null)
      return
    }
    for (let from = 0; from < columns.n; from += MOST_EVENT_SAMPLES) {
      const rows = sliceColumns(columns, from, Math.min(columns.n, from + MOST_EVENT_SAMPLES))
      this.add(type, seriesId, rows.n, encodeChunk(rows), null)
    }
  }

  document(type: string, document: Readonly<Record<string, unknown>>): void {
    this.add(type, null, 1, null, JSON.stringify(document))
  }

  /** Keeps the number of the last event; call it once, before the commit. */
  finish(): void {
    if (this.sequence === this.first) return
    this.connection.run('UPDATE user SET event_sequence=? WHERE user_id=?', this.sequence, this.userId)
  }

  private add(
    type: string,
    seriesId: number | null,
    n: number,
    data: Uint8Array | null,
    document: string | null,
  ): void {
    this.sequence++
    this.connection.run(
      'INSERT INTO outbox (user_id, sequence, event_id, team_id, type, at, series_id, n, data, document) VALUES (?,?,?,?,?,?,?,?,?,?)',
      this.userId,
      this.sequence,
      ownedId(this.userId, 'event', this.sequence),
      this.teamId,
      type,
      this.at,
      seriesId,
      n,
      data,
      document,
    )
  }
}

interface OutboxRow {
  readonly event_id: string
  readonly team_id: string
  readonly sequence: number
  readonly type: string
  readonly at: number
  readonly series_id: number | null
  readonly data: Uint8Array | null
  readonly document: string | null
}

export function readOutbox(connection: Connection, userId: UserId, after: number, limit: number): OutboxEvent[] {
  return connection
    .all<OutboxRow>(
      'SELECT event_id, team_id, sequence, type, at, series_id, data, document FROM outbox WHERE user_id=? AND sequence>? ORDER BY sequence LIMIT ?',
      userId,
      after,
      limit,
    )
    .map(row => ({
      eventId: row.event_id,
      userId,
      teamId: row.team_id as TeamId,
      sequence: row.sequence,
      type: row.type,
      at: row.at,
      data:
        row.series_id !== null && row.data
          ? {
              kind: 'samples',
              seriesId: row.series_id,
              batch: { series: seriesKey(connection, userId, row.series_id), ...decodeChunk(row.data) },
            }
          : { kind: 'document', document: JSON.parse(row.document ?? '{}') as Record<string, unknown> },
    }))
}
