/** Which rows have a checksum: everything about a user that is ever shown as a value. docs/storage.md lists what has none. */
import { formatInstant } from '../../../core/time.ts'
import { CheckedRows, named } from './checked-rows.ts'

export interface UserRow {
  readonly user_id: string
  readonly team_id: string
  readonly client_user_id: string
  readonly created_on: number
  readonly fallback_time_zone: string | null
  readonly fallback_birth_date: string | null
  readonly ingestion_start: string | null
  readonly ingestion_end: string | null
  readonly deleted_at: number | null
}
export const USERS = new CheckedRows<UserRow>({
  table: 'user',
  key: ['user_id'],
  columns: [
    'user_id',
    'team_id',
    'client_user_id',
    'created_on',
    'fallback_time_zone',
    'fallback_birth_date',
    'ingestion_start',
    'ingestion_end',
    'deleted_at',
  ],
  what: () => 'the row',
})

export interface CountersRow {
  readonly user_id: string
  readonly event_sequence: number
  readonly event_floor: number
}
/** The counters change with each write, so they have a checksum of their own. */
export const COUNTERS = new CheckedRows<CountersRow>({
  table: 'user',
  key: ['user_id'],
  columns: ['user_id', 'event_sequence', 'event_floor'],
  checksum: 'counters_checksum',
  what: () => 'the event counters',
})

export interface ConnectionRow {
  readonly user_id: string
  readonly provider: string
  readonly created_on: number
  readonly status: string
  readonly external_user_id: string | null
  readonly region: string | null
  readonly error_type: string | null
  readonly error_message: string | null
  readonly errored_at: number | null
  readonly scopes: string | null
  readonly is_demo: number
}
export const CONNECTIONS = new CheckedRows<ConnectionRow>({
  table: 'connection',
  key: ['user_id', 'provider'],
  columns: [
    'user_id',
    'provider',
    'created_on',
    'status',
    'external_user_id',
    'region',
    'error_type',
    'error_message',
    'errored_at',
    'scopes',
    'is_demo',
  ],
  what: () => 'a connection',
})

export interface SeriesRow {
  readonly user_id: string
  readonly series_id: number
  readonly resource: string
  readonly type: string
  readonly provider: string
  readonly source_type: string
}
export const SERIES = new CheckedRows<SeriesRow>({
  table: 'series',
  key: ['user_id', 'series_id'],
  columns: ['user_id', 'series_id', 'resource', 'type', 'provider', 'source_type'],
  what: row => `series ${row.series_id}`,
})

export interface ChunkHeadRow {
  readonly user_id: string
  readonly series_id: number
  readonly chunk_start: number
  readonly span: number
  readonly n: number
  readonly first: number
  readonly last: number
  readonly min: number | null
  readonly max: number | null
  readonly sum: number | null
  readonly rev: number
}
/** The figures beside the blob of a chunk. The blob has a checksum of its own (chunk-data.ts). */
export const CHUNK_HEADS = new CheckedRows<ChunkHeadRow>({
  table: 'chunk',
  key: ['user_id', 'series_id', 'chunk_start'],
  columns: ['user_id', 'series_id', 'chunk_start', 'span', 'n', 'first', 'last', 'min', 'max', 'sum', 'rev'],
  what: row => `the chunk of series ${row.series_id} at ${instantOf(row.chunk_start)}`,
})

export interface SummaryTableRow {
  readonly user_id: string
  readonly kind: string
  readonly id: string
  readonly provider: string
  readonly source_type: string
  readonly app_id: string | null
  readonly device_id: string | null
  readonly at: number
  readonly date: string
  readonly zone_offset: number | null
  readonly document: string
  readonly created_at: number
  readonly updated_at: number
}
export const SUMMARIES = new CheckedRows<SummaryTableRow>({
  table: 'summary',
  key: ['user_id', 'kind', 'id'],
  columns: [
    'user_id',
    'kind',
    'id',
    'provider',
    'source_type',
    'app_id',
    'device_id',
    'at',
    'date',
    'zone_offset',
    'document',
    'created_at',
    'updated_at',
  ],
  text: row => summaryOwner(row.user_id, row.kind) + summaryText(row),
  what: row => `the ${named(row.kind)} summary ${named(row.id)} of ${dayOf(row.date)}`,
})

export function summaryOwner(userId: string, kind: string): string {
  return `${userId}\n${kind}\n`
}

/** Returns the text that SQLite writes in readSummaries. */
function summaryText(row: SummaryTableRow): string {
  const { id, provider, source_type, app_id, device_id, at, date, zone_offset, created_at, updated_at, document } = row
  const context = [id, provider, source_type, app_id, device_id, at, date, zone_offset, created_at, updated_at]
  return `[${JSON.stringify(context)},${document}]`
}

export interface StreamTableRow {
  readonly user_id: string
  readonly workout_id: string
  readonly provider: string
  readonly source_type: string
  readonly n: number
  readonly rev: number
  readonly created_at: number
  readonly updated_at: number
  readonly data: Uint8Array
}
export const STREAMS = new CheckedRows<StreamTableRow>({
  table: 'stream',
  key: ['user_id', 'workout_id'],
  columns: ['user_id', 'workout_id', 'provider', 'source_type', 'n', 'rev', 'created_at', 'updated_at'],
  blob: 'data',
  what: row => `the stream of workout ${named(row.workout_id)}`,
})

export interface OutboxRow {
  readonly user_id: string
  readonly sequence: number
  readonly event_id: string
  readonly team_id: string
  readonly type: string
  readonly at: number
  readonly series_id: number | null
  readonly n: number
  readonly data: Uint8Array | null
  readonly document: string | null
  readonly arrival: number
  readonly client_user_id: string | null
  readonly compatibility_date: string | null
}
export const OUTBOX = new CheckedRows<OutboxRow>({
  table: 'outbox',
  key: ['user_id', 'sequence'],
  columns: [
    'user_id',
    'sequence',
    'event_id',
    'team_id',
    'type',
    'at',
    'series_id',
    'n',
    'document',
    'arrival',
    'client_user_id',
    'compatibility_date',
  ],
  blob: 'data',
  what: row => `event ${row.sequence}`,
})

export interface ImportTableRow {
  readonly user_id: string
  readonly import_id: string
  readonly at: number
  readonly format: string
  readonly report: string
  readonly first_sequence: number
  readonly last_sequence: number
  readonly undone_at: number | null
}
export const IMPORTS = new CheckedRows<ImportTableRow>({
  table: 'import',
  key: ['user_id', 'import_id'],
  columns: ['user_id', 'import_id', 'at', 'format', 'report', 'first_sequence', 'last_sequence', 'undone_at'],
  what: row => `import ${named(row.import_id)}`,
})

export interface ImportBeforeRow {
  readonly user_id: string
  readonly import_id: string
  readonly ord: number
  readonly kind: string
  readonly item: string
  readonly rev: number | null
  readonly data: Uint8Array | null
  readonly document: string | null
}
export const IMPORTS_BEFORE = new CheckedRows<ImportBeforeRow>({
  table: 'import_before',
  key: ['user_id', 'import_id', 'ord'],
  columns: ['user_id', 'import_id', 'ord', 'kind', 'item', 'rev', 'document'],
  blob: 'data',
  what: row => `what was there before import ${named(row.import_id)}, row ${row.ord}`,
})

function instantOf(time: number): string {
  return Math.abs(time) <= 8.64e15 ? formatInstant(time) : 'an invalid time'
}

/** A damaged date may hold anything. */
function dayOf(date: unknown): string {
  return typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date) ? date : 'an invalid day'
}
