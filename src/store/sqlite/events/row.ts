/** The row of an event, and the event that it says. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { SampleColumns } from '../../../core/sample.ts'
import { formatDate } from '../../../core/time.ts'
import { decodeChunk } from '../../chunk/codec.ts'
import type { OutboxEvent } from '../../event.ts'
import type { Connection } from '../connection.ts'
import { seriesKey } from '../samples/series.ts'
import { summaryRow } from '../samples/summaries.ts'

export interface EventRow {
  readonly user_id: string
  readonly sequence: number
  readonly event_id: string
  readonly team_id: string
  readonly type: string
  readonly at: number
  readonly series_id: number | null
  readonly data: Uint8Array | null
  readonly document: string | null
  readonly arrival: number
  readonly client_user_id: string | null
  readonly compatibility_date: string | null
}

const NAMES = [
  'user_id',
  'sequence',
  'event_id',
  'team_id',
  'type',
  'at',
  'series_id',
  'data',
  'document',
  'arrival',
  'client_user_id',
  'compatibility_date',
]
/** Of a table that is called `outbox`, whatever stands beside it. */
export const EVENT_COLUMNS = NAMES.map(name => `outbox.${name}`).join(', ')

/** The event of a user with this number, or null. */
export function eventAt(connection: Connection, userId: UserId, sequence: number): OutboxEvent | null {
  const sql = `SELECT ${EVENT_COLUMNS} FROM outbox WHERE user_id=? AND sequence=?`
  const row = connection.get<EventRow>(sql, userId, sequence)
  return row ? eventOf(connection, row) : null
}

/** Inside a read or a write: the series of samples is looked up. */
export function eventOf(connection: Connection, row: EventRow): OutboxEvent {
  const userId = row.user_id as UserId
  return {
    eventId: row.event_id,
    userId,
    teamId: row.team_id as TeamId,
    sequence: row.sequence,
    arrival: row.arrival,
    type: row.type,
    at: row.at,
    // rows of an older version were given the name that the user had when they were taken over
    clientUserId: row.client_user_id ?? '',
    compatibilityDate: row.compatibility_date ?? formatDate(row.at),
    data:
      row.series_id !== null && row.data
        ? { kind: 'samples', seriesId: row.series_id, batch: batchOf(connection, userId, row.series_id, row.data) }
        : { kind: 'document', document: documentOf(connection, userId, row.document) },
  }
}

function batchOf(connection: Connection, userId: UserId, seriesId: number, data: Uint8Array) {
  // columns by name: an object that is spread has every one of them
  const columns: SampleColumns = decodeChunk(data)
  return { series: seriesKey(connection, userId, seriesId), ...columns }
}

/** An older version kept of a summary its document alone: the rest is taken from the summary as it is now. */
function documentOf(connection: Connection, userId: UserId, text: string | null): Readonly<Record<string, unknown>> {
  const document = JSON.parse(text ?? '{}') as Readonly<Record<string, unknown>>
  const { kind, id } = document
  if (typeof kind !== 'string' || typeof id !== 'string' || 'created_at' in document) return document
  const row = summaryRow(connection, userId, kind, id)
  return row ? { ...row, ...document } : document
}
