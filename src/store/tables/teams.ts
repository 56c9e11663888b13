/** Tables for teams, their keys, the lookup of their users, and their settings. */
import { table } from './table.ts'

/** Settings of the store itself. Some of them are removed with the state, and others are kept. */
export const SETTING = table({
  name: 'setting',
  owner: 'store',
  life: 'state',
  columns: { name: 'text', value: 'any' },
  key: ['name'],
  cluster: 'everywhere',
  isKeptEmpty: true,
})

export const TEAM = table({
  name: 'team',
  owner: 'store',
  life: 'state',
  columns: {
    team_id: 'text',
    name: 'text',
    created_on: 'number',
    reject_duplicate_connection: { type: 'number', default: 0 },
    user_count: { type: 'number', default: 0, tellsChange: true },
    user_limit: 'number?',
    user_info_beta: { type: 'number', default: 1 },
    aggregate_beta: { type: 'number', default: 1 },
    compatibility_date: 'text?',
    event_days: 'number?',
    /** The team's limits. Null means no limit. */
    max_bytes: 'number?',
    max_requests_per_second: 'number?',
    max_in_flight: 'number?',
    /** Defaults for the team's aggregate queries. Null means the interface's own default. */
    merges: { type: 'number', default: 0 },
    mixed_kinds: 'text?',
    /** Number of days for which imported files are kept. Null means that they are not kept. */
    keep_import_days: 'number?',
  },
  key: ['team_id'],
  indexes: { team_by_name: 'UNIQUE (name)' },
  cluster: 'everywhere',
  isKeptEmpty: true,
})

export const API_KEY = table({
  name: 'api_key',
  owner: 'store',
  life: 'state',
  columns: {
    key_id: { type: 'text', is: 'uuid' },
    team_id: { type: 'text', references: 'team' },
    hash: { type: 'text', isUnique: true, is: 'hash' },
    label: 'text',
    created_on: 'number',
    revoked_at: { type: 'number?', tellsChange: true },
    prefix: { type: 'text', default: '' },
    is_operator: { type: 'number', default: 1 },
    last_used_at: 'number?',
  },
  key: ['key_id'],
  cluster: 'everywhere',
  isKeptEmpty: true,
})

/** Maps a team's name for a user to the user. Derived from the users, whose rows are authoritative. */
export const DIRECTORY = table({
  name: 'directory',
  owner: 'team',
  life: 'derived',
  columns: { team_id: 'text', client_user_id: 'text', user_id: 'text' },
  key: ['team_id', 'client_user_id'],
  indexes: { directory_by_user: '(team_id, user_id)' },
})

/** One row for each connection to an account at a provider. Derived from the connections. */
export const ACCOUNT = table({
  name: 'account',
  owner: 'team',
  life: 'derived',
  columns: { team_id: 'text', provider: 'text', external_user_id: 'text', user_id: 'text' },
  key: ['team_id', 'provider', 'external_user_id', 'user_id'],
  indexes: { account_by_user: '(team_id, user_id, provider)' },
  looksLikeIndex: true,
})

/** Tombstones of purged users. The name is stored as a hash. */
export const TOMBSTONE = table({
  name: 'tombstone',
  owner: 'team',
  life: 'state',
  columns: {
    team_id: 'text',
    user_id: 'text',
    client_user_hash: { type: 'text', is: 'hash' },
    deleted_at: 'number',
  },
  key: ['team_id', 'user_id'],
  indexes: { tombstone_by_client: '(team_id, client_user_hash, deleted_at)' },
  outlivesUser: true,
})

/** Source priorities. An empty source type means all source types. */
export const SOURCE_PRIORITY = table({
  name: 'source_priority',
  owner: 'team',
  life: 'state',
  columns: { team_id: 'text', data_type: 'text', provider: 'text', source_type: 'text', priority: 'number' },
  key: ['team_id', 'data_type', 'provider', 'source_type'],
  cluster: 'everywhere',
})

/** A team's order of sources in merges, best first, for each group of metrics. */
export const SOURCE_ORDER = table({
  name: 'source_order',
  owner: 'team',
  life: 'state',
  columns: { team_id: 'text', metric_group: 'text', sources: { type: 'text', json: 'list' } },
  key: ['team_id', 'metric_group'],
  cluster: 'everywhere',
})

/**
 * First responses to requests with an idempotency key whose operation has no user ID. They may concern a user that the call created.
 * `status` is null while the call runs, and stays null if the call is interrupted. Responses are sealed.
 */
export const TEAM_ANSWER = table({
  name: 'team_answer',
  owner: 'team',
  life: 'state',
  columns: {
    team_id: 'text',
    key_hash: 'text',
    user_id: 'text?',
    call_id: 'text',
    request_hash: 'text',
    created_at: 'number',
    status: 'number?',
    answer: { type: 'blob?', isLarge: true },
  },
  key: ['team_id', 'key_hash'],
  indexes: {
    team_answer_by_user: '(user_id) WHERE user_id IS NOT NULL',
    team_answer_by_time: '(created_at)',
  },
})

/** The audit trail. Triggers prevent rows from being changed or removed. */
export const AUDIT = table({
  name: 'audit',
  owner: 'team',
  life: 'trail',
  columns: {
    team_id: 'text',
    at: 'number',
    entry_id: 'text',
    actor: 'text',
    operation: 'text',
    object: { type: 'text', json: 'object or list' },
    outcome: 'text',
  },
  key: ['team_id', 'at', 'entry_id'],
  placedBy: 'entry_id',
  indexes: { audit_by_time: '(at, entry_id)' },
})
