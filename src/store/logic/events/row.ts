/** Converts between an event and its row. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { SampleBatch, SampleColumns } from '../../../core/sample.ts'
import { formatDate } from '../../../core/time.ts'
import type { OutboxEvent } from '../../event.ts'
import { storedJson, unpackSamples } from '../rows/damage.ts'
import { COUNTERS, OUTBOX, type OutboxRow } from '../rows/tables.ts'
import { seriesKey } from '../samples/series.ts'
import { summaryRow } from '../samples/summaries.ts'
import { one, type Steps } from '../steps.ts'

/** A user's event counters. */
export const FIND_COUNTERS = COUNTERS.query('WHERE user_id=?')
/** A user's event with a given number. */
export const FIND_EVENT = OUTBOX.query('WHERE user_id=? AND sequence=?')

/** Returns a user's event with this number, or null. */
export function* eventAt(userId: UserId, sequence: number): Steps<OutboxEvent | null> {
  const row = yield* one(FIND_EVENT, [userId, sequence])
  return row ? yield* readEvent(row) : null
}

/** Reads an event from its row. Must run inside a read or a write, because the series of its samples is looked up. */
export function* readEvent(row: OutboxRow): Steps<OutboxEvent> {
  const userId = row.user_id as UserId
  return {
    eventId: row.event_id,
    userId,
    teamId: row.team_id as TeamId,
    sequence: row.sequence,
    arrival: row.arrival,
    type: row.type,
    at: row.at,
    // rows from an older version got the user's name at the time of the migration
    clientUserId: row.client_user_id ?? '',
    compatibilityDate: row.compatibility_date ?? formatDate(row.at),
    data:
      row.series_id !== null && row.data
        ? { kind: 'samples', seriesId: row.series_id, batch: yield* readBatch(row, row.series_id, row.data) }
        : { kind: 'document', document: yield* readDocument(row) },
  }
}

function* readBatch(row: OutboxRow, seriesId: number, data: Uint8Array): Steps<SampleBatch> {
  // a plain object, so that spreading it copies every column
  const columns: SampleColumns = unpackSamples(data, () => OUTBOX.damageLocation(row))
  return { series: yield* seriesKey(row.user_id, seriesId), ...columns }
}

/** Returns an event's document. An older version stored only a summary's document, so the rest comes from the current summary. */
function* readDocument(row: OutboxRow): Steps<Readonly<Record<string, unknown>>> {
  const userId = row.user_id as UserId
  const document = storedJson<Readonly<Record<string, unknown>>>(row.document ?? '{}', () => OUTBOX.damageLocation(row))
  const { kind, id } = document
  if (typeof kind !== 'string' || typeof id !== 'string' || 'created_at' in document) return document
  const summary = yield* summaryRow(userId, kind, id)
  return summary ? { ...summary, ...document } : document
}
