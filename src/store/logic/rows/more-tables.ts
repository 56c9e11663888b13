/** Further rows with a checksum: what is known about a user besides the data, lab orders, and results of continuous queries. */
import { type CheckedRows, checkedRows, named, type RowOf } from './checked-rows.ts'
import { GRANTS, LIVE_CONNECTIONS, LIVE_RECORDS } from './live-tables.ts'
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

export const USER_INFO = checkedRows({
  table: 'user_info',
  key: ['user_id'],
  columns: { user_id: 'text', document: 'text', updated_at: 'number' },
  what: () => 'the profile info',
})

export const INSURANCES = checkedRows({
  table: 'insurance',
  key: ['user_id', 'number'],
  columns: { user_id: 'text', number: 'number', is_primary: 'number', document: 'text', created_at: 'number' },
  what: row => `insurance ${row.number}`,
})
export type InsuranceRow = RowOf<typeof INSURANCES>

export const DEVICES = checkedRows({
  table: 'device',
  key: ['user_id', 'device_id'],
  columns: {
    user_id: 'text',
    device_id: 'text',
    provider: 'text',
    source_type: 'text',
    app_id: 'text?',
    manufacturer: 'text?',
    model: 'text?',
    version: 'text?',
    created_at: 'number',
    updated_at: 'number',
  },
  what: () => 'a device',
})
export type DeviceTableRow = RowOf<typeof DEVICES>

export const PULLS = checkedRows({
  table: 'pull',
  key: ['user_id', 'provider', 'resource'],
  columns: {
    user_id: 'text',
    provider: 'text',
    resource: 'text',
    range_start: 'number?',
    range_end: 'number?',
    ended_at: 'number?',
    days_with_data: 'number?',
    trace_id: 'text?',
    last_attempt_at: 'number?',
    last_attempt_status: 'text?',
    sent_count: 'number',
  },
  what: row => `the pulls of ${named(row.provider)} ${named(row.resource)}`,
})
export type PullRow = RowOf<typeof PULLS>

export const PEOPLE = checkedRows({
  table: 'person',
  key: ['user_id'],
  columns: { user_id: 'text', seed: 'number', number: 'number' },
  what: () => 'the person of a seed',
})

export const ORDERS = checkedRows({
  table: 'lab_order',
  key: ['user_id', 'order_id'],
  columns: {
    user_id: 'text',
    order_id: 'text',
    team_id: 'text',
    status: 'text',
    created_at: 'number',
    updated_at: 'number',
    document: 'text',
    result: 'text?',
    rev: 'number',
  },
  bare: 'rev',
  what: row => `order ${named(row.order_id)}`,
})
export type OrderRow = RowOf<typeof ORDERS>

export const CONTINUOUS_ROWS = checkedRows({
  table: 'continuous_row',
  key: ['user_id', 'query_id', 'bucket', 'key'],
  columns: { user_id: 'text', query_id: 'text', bucket: 'number', key: 'text', cells: 'text' },
  what: row => `a row of continuous query ${named(row.query_id)}`,
})

export const CONTINUOUS_STATES = checkedRows({
  table: 'continuous_state',
  key: ['user_id', 'query_id'],
  columns: {
    user_id: 'text',
    query_id: 'text',
    touched_from: 'number?',
    touched_to: 'number?',
    running_from: 'number?',
    running_to: 'number?',
    last_run_at: 'number?',
    last_task: 'number',
    scheduled_task: 'number?',
    running_task: 'number?',
    rev: 'number',
  },
  bare: 'rev',
  what: row => `the state of continuous query ${named(row.query_id)}`,
})
export type ContinuousStateRow = RowOf<typeof CONTINUOUS_STATES>

export const CONTINUOUS_TASKS = checkedRows({
  table: 'continuous_task',
  key: ['user_id', 'query_id', 'number'],
  columns: {
    user_id: 'text',
    query_id: 'text',
    number: 'number',
    status: 'text',
    scheduled_at: 'number',
    started_at: 'number?',
    ended_at: 'number?',
    error_details: 'text?',
  },
  what: row => `task ${row.number} of continuous query ${named(row.query_id)}`,
})
export type ContinuousTaskRow = RowOf<typeof CONTINUOUS_TASKS>

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
  GRANTS,
  LIVE_CONNECTIONS,
  LIVE_RECORDS,
]
