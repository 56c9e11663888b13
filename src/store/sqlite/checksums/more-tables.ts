/** Further rows with a checksum: what is known about a user besides the data, lab orders, and results of continuous queries. */
import { CheckedRows, named } from './checked-rows.ts'
import {
  CHUNK_HEADS,
  CONNECTIONS,
  COUNTERS,
  IMPORTS,
  IMPORTS_BEFORE,
  OUTBOX,
  SERIES,
  STREAMS,
  SUMMARIES,
  USERS,
} from './tables.ts'

export interface InfoRow {
  readonly user_id: string
  readonly document: string
  readonly updated_at: number
}
export const USER_INFO = new CheckedRows<InfoRow>({
  table: 'user_info',
  key: ['user_id'],
  columns: ['user_id', 'document', 'updated_at'],
  what: () => 'the profile info',
})

export interface InsuranceRow {
  readonly user_id: string
  readonly number: number
  readonly is_primary: number
  readonly document: string
  readonly created_at: number
}
export const INSURANCES = new CheckedRows<InsuranceRow>({
  table: 'insurance',
  key: ['user_id', 'number'],
  columns: ['user_id', 'number', 'is_primary', 'document', 'created_at'],
  what: row => `insurance ${row.number}`,
})

export interface DeviceTableRow {
  readonly user_id: string
  readonly device_id: string
  readonly provider: string
  readonly source_type: string
  readonly app_id: string | null
  readonly manufacturer: string | null
  readonly model: string | null
  readonly version: string | null
  readonly created_at: number
  readonly updated_at: number
}
export const DEVICES = new CheckedRows<DeviceTableRow>({
  table: 'device',
  key: ['user_id', 'device_id'],
  columns: [
    'user_id',
    'device_id',
    'provider',
    'source_type',
    'app_id',
    'manufacturer',
    'model',
    'version',
    'created_at',
    'updated_at',
  ],
  what: () => 'a device',
})

export interface PullRow {
  readonly user_id: string
  readonly provider: string
  readonly resource: string
  readonly range_start: number | null
  readonly range_end: number | null
  readonly ended_at: number | null
  readonly days_with_data: number | null
  readonly trace_id: string | null
  readonly last_attempt_at: number | null
  readonly last_attempt_status: 'success' | 'failure' | null
  readonly sent_count: number
}
export const PULLS = new CheckedRows<PullRow>({
  table: 'pull',
  key: ['user_id', 'provider', 'resource'],
  columns: [
    'user_id',
    'provider',
    'resource',
    'range_start',
    'range_end',
    'ended_at',
    'days_with_data',
    'trace_id',
    'last_attempt_at',
    'last_attempt_status',
    'sent_count',
  ],
  what: row => `the pulls of ${named(row.provider)} ${named(row.resource)}`,
})

export interface PersonRow {
  readonly user_id: string
  readonly seed: number
  readonly number: number
}
export const PEOPLE = new CheckedRows<PersonRow>({
  table: 'person',
  key: ['user_id'],
  columns: ['user_id', 'seed', 'number'],
  what: () => 'the person of a seed',
})

export interface OrderRow {
  readonly user_id: string
  readonly order_id: string
  readonly team_id: string
  readonly status: string
  readonly created_at: number
  readonly updated_at: number
  readonly document: string
  readonly result: string | null
  readonly rev: number
}
export const ORDERS = new CheckedRows<OrderRow>({
  table: 'lab_order',
  key: ['user_id', 'order_id'],
  columns: ['user_id', 'order_id', 'team_id', 'status', 'created_at', 'updated_at', 'document', 'result'],
  bare: 'rev',
  what: row => `order ${named(row.order_id)}`,
})

export interface ContinuousRow {
  readonly user_id: string
  readonly query_id: string
  readonly bucket: number
  readonly key: string
  readonly cells: string
}
export const CONTINUOUS_ROWS = new CheckedRows<ContinuousRow>({
  table: 'continuous_row',
  key: ['user_id', 'query_id', 'bucket', 'key'],
  columns: ['user_id', 'query_id', 'bucket', 'key', 'cells'],
  what: row => `a row of continuous query ${named(row.query_id)}`,
})

export interface ContinuousStateRow {
  readonly user_id: string
  readonly query_id: string
  readonly touched_from: number | null
  readonly touched_to: number | null
  readonly running_from: number | null
  readonly running_to: number | null
  readonly last_run_at: number | null
  readonly rev: number
  readonly last_task: number
  readonly scheduled_task: number | null
  readonly running_task: number | null
}
export const CONTINUOUS_STATES = new CheckedRows<ContinuousStateRow>({
  table: 'continuous_state',
  key: ['user_id', 'query_id'],
  columns: [
    'user_id',
    'query_id',
    'touched_from',
    'touched_to',
    'running_from',
    'running_to',
    'last_run_at',
    'last_task',
    'scheduled_task',
    'running_task',
  ],
  bare: 'rev',
  what: row => `the state of continuous query ${named(row.query_id)}`,
})

export interface ContinuousTaskRow {
  readonly user_id: string
  readonly query_id: string
  readonly number: number
  readonly status: string
  readonly scheduled_at: number
  readonly started_at: number | null
  readonly ended_at: number | null
  readonly error_details: string | null
}
export const CONTINUOUS_TASKS = new CheckedRows<ContinuousTaskRow>({
  table: 'continuous_task',
  key: ['user_id', 'query_id', 'number'],
  columns: ['user_id', 'query_id', 'number', 'status', 'scheduled_at', 'started_at', 'ended_at', 'error_details'],
  what: row => `task ${row.number} of continuous query ${named(row.query_id)}`,
})

/** All rows with a checksum, apart from the blobs of chunks. */
export const CHECKED_ROWS: readonly CheckedRows<object>[] = [
  USERS,
  COUNTERS,
  CONNECTIONS,
  SERIES,
  CHUNK_HEADS,
  SUMMARIES,
  STREAMS,
  OUTBOX,
  IMPORTS,
  IMPORTS_BEFORE,
  USER_INFO,
  INSURANCES,
  DEVICES,
  PULLS,
  PEOPLE,
  ORDERS,
  CONTINUOUS_ROWS,
  CONTINUOUS_STATES,
  CONTINUOUS_TASKS,
]
