/** Tables for users, their connections, and facts about them other than their data. */
import { shownName, table } from './table.ts'

/**
 * Events up to `event_floor` were removed because of their age. The counters change with each write, so they have a separate checksum.
 * `stored_bytes` is null while the bytes are not counted.
 */
export const USER = table({
  name: 'user',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    team_id: { type: 'text', references: 'team' },
    client_user_id: 'text',
    created_on: 'number',
    fallback_time_zone: { type: 'text?', json: 'any' },
    fallback_birth_date: { type: 'text?', json: 'any' },
    ingestion_start: 'text?',
    ingestion_end: 'text?',
    deleted_at: 'number?',
    event_sequence: { type: 'number', default: 0, tellsChange: true },
    event_floor: { type: 'number', default: 0, tellsChange: true },
    counters_checksum: 'number?',
    checksum: { type: 'number?', tellsChange: true },
    stored_bytes: 'number?',
  },
  key: ['user_id'],
  hasRowid: true,
  indexes: {
    user_by_creation: '(team_id, created_on DESC, user_id) WHERE deleted_at IS NULL',
    user_by_id: '(team_id, user_id) WHERE deleted_at IS NULL',
    user_by_name: '(team_id, client_user_id, deleted_at)',
  },
  aside: ['event_sequence', 'event_floor', 'counters_checksum', 'stored_bytes'],
  checksums: [
    { named: () => 'the row' },
    {
      column: 'counters_checksum',
      of: ['user_id', 'event_sequence', 'event_floor'],
      named: () => 'the event counters',
    },
  ],
})

export const CONNECTION = table({
  name: 'connection',
  owner: 'user',
  life: 'state',
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
    scopes: { type: 'text?', json: 'any' },
    is_demo: { type: 'number', default: 0 },
    checksum: { type: 'number?', tellsChange: true },
  },
  key: ['user_id', 'provider'],
  hasRowid: true,
  indexes: { connection_by_status: '(status, provider, user_id)' },
  checksums: [{ named: () => 'a connection' }],
})

export const LINK_TOKEN = table({
  name: 'link_token',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    hash: { type: 'text', is: 'hash' },
    team_id: 'text',
    created_on: 'number',
    options: { type: 'text', json: 'object or list' },
    consumed_at: { type: 'number?', tellsChange: true },
    pending: 'text?',
    oauth: 'text?',
  },
  key: ['user_id', 'hash'],
})

/** The simulated person behind a user, with its seed. */
export const PERSON = table({
  name: 'person',
  owner: 'user',
  life: 'state',
  columns: { user_id: 'text', seed: 'number', number: 'number', checksum: 'number?' },
  key: ['user_id'],
  hasRowid: true,
  looksLikeIndex: true,
  checksums: [{ named: () => 'the person of a seed' }],
})

/** The users' profile info. */
export const USER_INFO = table({
  name: 'user_info',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    document: { type: 'text', json: 'object or list', counts: true },
    updated_at: 'number',
    checksum: 'number?',
  },
  key: ['user_id'],
  hasRowid: true,
  checksums: [{ named: () => 'the profile info' }],
})

export const INSURANCE = table({
  name: 'insurance',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    number: 'number',
    is_primary: 'number',
    document: { type: 'text', json: 'object or list', counts: true },
    created_at: 'number',
    checksum: 'number?',
  },
  key: ['user_id', 'number'],
  hasRowid: true,
  checksums: [{ named: row => `insurance ${row.number}` }],
})

export const DEVICE = table({
  name: 'device',
  owner: 'user',
  life: 'state',
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
    checksum: { type: 'number?', tellsChange: true },
  },
  key: ['user_id', 'device_id'],
  hasRowid: true,
  checksums: [{ named: () => 'a device' }],
})

/** A user's order of sources in merges, which precedes the team's. */
export const USER_SOURCE_ORDER = table({
  name: 'user_source_order',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    metric_group: 'text',
    sources: { type: 'text', json: 'list' },
    checksum: 'number?',
  },
  key: ['user_id', 'metric_group'],
  hasRowid: true,
  checksums: [{ named: row => `the order of sources for ${shownName(row.metric_group)}` }],
})

/** Data and times of the last pulls, by resource. */
export const PULL = table({
  name: 'pull',
  owner: 'user',
  life: 'state',
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
    sent_count: { type: 'number', default: 0 },
    checksum: { type: 'number?', tellsChange: true },
  },
  key: ['user_id', 'provider', 'resource'],
  hasRowid: true,
  checksums: [{ named: row => `the pulls of ${shownName(row.provider)} ${shownName(row.resource)}` }],
})

/** Times at which an operation with a call limit was called for a user. */
export const USER_RATE = table({
  name: 'user_rate',
  owner: 'user',
  life: 'state',
  columns: { user_id: 'text', name: 'text', times: { type: 'text', json: 'object or list' } },
  key: ['user_id', 'name'],
})

/** First responses to requests with an idempotency key that have a user ID, stored in the same way as in `team_answer`. */
export const USER_ANSWER = table({
  name: 'user_answer',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    key_hash: 'text',
    call_id: 'text',
    request_hash: 'text',
    created_at: 'number',
    status: 'number?',
    answer: { type: 'blob?', isLarge: true },
  },
  key: ['user_id', 'key_hash'],
  indexes: { user_answer_by_time: '(created_at)' },
})

/** Jobs and their due times. Jobs of the store itself have no user. */
export const JOB = table({
  name: 'job',
  owner: 'user',
  life: 'state',
  columns: { user_id: 'text', kind: 'text', due_at: { type: 'number', tellsChange: true } },
  key: ['user_id', 'kind'],
  indexes: { job_by_due: '(due_at)' },
  isKeptEmpty: true,
  outlivesUser: true,
})

/**
 * Lab orders. The document contains the ordered items and the patient, and `result` contains the lab's report. Restoring a snapshot
 * increases `rev` in all rows.
 */
export const LAB_ORDER = table({
  name: 'lab_order',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    order_id: 'text',
    team_id: 'text',
    status: 'text',
    created_at: 'number',
    updated_at: 'number',
    document: { type: 'text', json: 'object or list', counts: true },
    result: { type: 'text?', json: 'object or list', counts: true },
    rev: { type: 'number', default: 0 },
    checksum: 'number?',
  },
  key: ['user_id', 'order_id'],
  hasRowid: true,
  indexes: { lab_order_by_time: '(team_id, created_at DESC, order_id)' },
  checksums: [{ bare: 'rev', named: row => `order ${shownName(row.order_id)}` }],
  problems: 'order',
})

export const TEAM_LAB_TEST = table({
  name: 'team_lab_test',
  owner: 'team',
  life: 'state',
  columns: {
    team_id: 'text',
    lab_test_id: 'text',
    created_at: 'number',
    document: { type: 'text', json: 'object or list' },
  },
  key: ['team_id', 'lab_test_id'],
  cluster: 'everywhere',
})
