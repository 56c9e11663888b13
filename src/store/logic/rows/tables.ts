/** Which rows have a checksum: everything about a user that is ever shown as a value. docs/storage.md lists what has none. */
import { formatInstant } from '../../../core/time.ts'
import { checkedRows, named, type RowOf } from './checked-rows.ts'

export const USERS = checkedRows({
  table: 'user',
  key: ['user_id'],
  columns: {
    user_id: 'text',
    team_id: 'text',
    client_user_id: 'text',
    created_on: 'number',
    fallback_time_zone: 'text?',
    fallback_birth_date: 'text?',
    ingestion_start: 'text?',
    ingestion_end: 'text?',
    deleted_at: 'number?',
  },
  what: () => 'the row',
})
export type UserRow = RowOf<typeof USERS>

/** The counters change with each write, so they have a checksum of their own. */
export const COUNTERS = checkedRows({
  table: 'user',
  key: ['user_id'],
  columns: { user_id: 'text', event_sequence: 'number', event_floor: 'number' },
  checksum: 'counters_checksum',
  what: () => 'the event counters',
})
export type CountersRow = RowOf<typeof COUNTERS>

export const CONNECTIONS = checkedRows({
  table: 'connection',
  key: ['user_id', 'provider'],
  columns: {
    user_id: 'text',
    provider: 'text',
    created_on: 'number',
    status: 'text',
    external_user_id: 'text?',
    region: 'text?',
    error_type: 'text?',
    error_message: 'text?',
    errored_at: 'number?',
    scopes: 'text?',
    is_demo: 'number',
  },
  what: () => 'a connection',
})
export type ConnectionRow = RowOf<typeof CONNECTIONS>

export const SERIES = checkedRows({
  table: 'series',
  key: ['user_id', 'series_id'],
  columns: {
    user_id: 'text',
    series_id: 'number',
    resource: 'text',
    type: 'text',
    provider: 'text',
    source_type: 'text',
  },
  what: row => `series ${row.series_id}`,
})
export type SeriesRow = RowOf<typeof SERIES>

/** The figures beside the blob of a chunk. The blob has a checksum of its own (chunk-data.ts). */
export const CHUNK_HEADS = checkedRows({
  table: 'chunk',
  key: ['user_id', 'series_id', 'chunk_start'],
  columns: {
    user_id: 'text',
    series_id: 'number',
    chunk_start: 'number',
    span: 'number',
    n: 'number',
    first: 'number',
    last: 'number',
    min: 'number?',
    max: 'number?',
    sum: 'number?',
    rev: 'number',
  },
  what: row => `the chunk of series ${row.series_id} at ${instantOf(row.chunk_start)}`,
})
export type ChunkHeadRow = RowOf<typeof CHUNK_HEADS>

export const SUMMARIES = checkedRows({
  table: 'summary',
  key: ['user_id', 'kind', 'id'],
  columns: {
    user_id: 'text',
    kind: 'text',
    id: 'text',
    provider: 'text',
    source_type: 'text',
    app_id: 'text?',
    device_id: 'text?',
    at: 'number',
    date: 'text',
    zone_offset: 'number?',
    document: 'text',
    created_at: 'number',
    updated_at: 'number',
  },
  // the text that SQLite writes in readSummaries
  text: row => {
    const { id, provider, source_type, app_id, device_id, at, date, zone_offset, created_at, updated_at, document } =
      row
    const context = [id, provider, source_type, app_id, device_id, at, date, zone_offset, created_at, updated_at]
    return `${summaryOwner(row.user_id, row.kind)}[${JSON.stringify(context)},${document}]`
  },
  what: row => `the ${named(row.kind)} summary ${named(row.id)} of ${dayOf(row.date)}`,
})
export type SummaryTableRow = RowOf<typeof SUMMARIES>

export function summaryOwner(userId: string, kind: string): string {
  return `${userId}\n${kind}\n`
}

export const STREAMS = checkedRows({
  table: 'stream',
  key: ['user_id', 'workout_id'],
  columns: {
    user_id: 'text',
    workout_id: 'text',
    provider: 'text',
    source_type: 'text',
    n: 'number',
    rev: 'number',
    created_at: 'number',
    updated_at: 'number',
    data: 'blob',
  },
  blob: 'data',
  what: row => `the stream of workout ${named(row.workout_id)}`,
})
export type StreamTableRow = RowOf<typeof STREAMS>

export const OUTBOX = checkedRows({
  table: 'outbox',
  key: ['user_id', 'sequence'],
  columns: {
    user_id: 'text',
    sequence: 'number',
    event_id: 'text',
    team_id: 'text',
    type: 'text',
    at: 'number',
    series_id: 'number?',
    n: 'number',
    document: 'text?',
    arrival: 'number',
    client_user_id: 'text?',
    compatibility_date: 'text?',
    data: 'blob?',
  },
  blob: 'data',
  what: row => `event ${row.sequence}`,
})
export type OutboxRow = RowOf<typeof OUTBOX>

export const IMPORTS = checkedRows({
  table: 'import',
  key: ['user_id', 'import_id'],
  columns: {
    user_id: 'text',
    import_id: 'text',
    at: 'number',
    format: 'text',
    report: 'text',
    first_sequence: 'number',
    last_sequence: 'number',
    undone_at: 'number?',
  },
  what: row => `import ${named(row.import_id)}`,
})
export type ImportTableRow = RowOf<typeof IMPORTS>

export const IMPORTS_BEFORE = checkedRows({
  table: 'import_before',
  key: ['user_id', 'import_id', 'ord'],
  columns: {
    user_id: 'text',
    import_id: 'text',
    ord: 'number',
    kind: 'text',
    item: 'text',
    rev: 'number?',
    document: 'text?',
    data: 'blob?',
  },
  blob: 'data',
  what: row => `what was there before import ${named(row.import_id)}, row ${row.ord}`,
})
export type ImportBeforeRow = RowOf<typeof IMPORTS_BEFORE>

function instantOf(time: number): string {
  return Math.abs(time) <= 8.64e15 ? formatInstant(time) : 'an invalid time'
}

/** A damaged date may hold anything. */
function dayOf(date: unknown): string {
  return typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date) ? date : 'an invalid day'
}
