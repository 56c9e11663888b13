/** Tables for live providers. Their times are real time. */
import type { TokenSetState } from '../live/token-sets.ts'
import { shownName, table } from './table.ts'

export const PROVIDER_SETUP = table({
  name: 'provider_setup',
  owner: 'team',
  life: 'staying',
  columns: {
    team_id: 'text',
    provider: 'text',
    document: { type: 'text', json: 'object or list' },
    sealed: 'blob',
    notification_hash: 'text',
    created_on: 'number',
    updated_at: { type: 'number', tellsChange: true },
  },
  key: ['team_id', 'provider'],
  isKeptEmpty: true,
})

/** A team's requests to a provider, and the end of a pause that the provider requested. */
export const PROVIDER_BUDGET = table({
  name: 'provider_budget',
  owner: 'team',
  life: 'staying',
  columns: {
    team_id: 'text',
    provider: 'text',
    taken: { type: 'text', json: 'object or list' },
    blocked_until: 'number?',
  },
  key: ['team_id', 'provider'],
  isKeptEmpty: true,
})

/** One person's requests to a provider, and the end of a pause. */
export const PERSON_BUDGET = table({
  name: 'person_budget',
  owner: 'user',
  life: 'staying',
  columns: {
    user_id: 'text',
    provider: 'text',
    taken: { type: 'text', json: 'object or list' },
    blocked_until: 'number?',
  },
  key: ['user_id', 'provider'],
})

/** The provider's notification, sealed. Null after it has been processed. */
export const PROVIDER_NOTIFICATION = table({
  name: 'provider_notification',
  owner: 'team',
  life: 'staying',
  columns: {
    team_id: 'text',
    provider: 'text',
    notification_id: 'text',
    received_at: 'number',
    due_at: { type: 'number', tellsChange: true },
    tries: 'number',
    sealed: 'blob?',
    settled_at: { type: 'number?', tellsChange: true },
  },
  key: ['team_id', 'provider', 'notification_id'],
  indexes: {
    provider_notification_by_due: '(due_at, received_at) WHERE settled_at IS NULL',
    provider_notification_by_end: '(settled_at) WHERE settled_at IS NOT NULL',
  },
})

export const PROVIDER_SUBSCRIPTION = table({
  name: 'provider_subscription',
  owner: 'team',
  life: 'staying',
  columns: {
    team_id: 'text',
    provider: 'text',
    name: 'text',
    remote_id: 'text',
    expires_at: { type: 'number?', tellsChange: true },
    due_at: { type: 'number?', tellsChange: true },
    failures: 'number',
    last_error: 'text?',
    sealed: 'blob?',
  },
  key: ['team_id', 'provider', 'name'],
  indexes: { provider_subscription_by_due: '(due_at) WHERE due_at IS NOT NULL' },
  isKeptEmpty: true,
})

export const TOKEN_SET_STATES = ['active', 'revoking', 'moved'] as const satisfies TokenSetState[]

/**
 * A person's sealed tokens at a provider. Only `rev` detects changes, because the end of a copy itself changes other fields of a token set
 * in the source.
 */
export const PROVIDER_GRANT = table({
  name: 'provider_grant',
  owner: 'user',
  life: 'staying',
  columns: {
    user_id: 'text',
    provider: 'text',
    grant_id: 'text',
    team_id: 'text',
    state: { type: 'text', oneOf: TOKEN_SET_STATES },
    key_id: 'text',
    expires_at: 'number?',
    rev: { type: 'number', tellsChange: true },
    leased_by: 'text?',
    leased_until: 'number',
    renewing_since: 'number?',
    tries: 'number',
    due_at: 'number?',
    sealed: 'blob?',
    checksum: 'number?',
  },
  key: ['user_id', 'provider', 'grant_id'],
  hasRowid: true,
  indexes: { provider_grant_by_due: '(due_at) WHERE due_at IS NOT NULL' },
  checksums: [{ blob: 'sealed', named: row => `a token set for ${shownName(row.provider)}` }],
})

export const LIVE_CONNECTION = table({
  name: 'live_connection',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    provider: 'text',
    team_id: 'text',
    linked_at: 'number',
    due_at: 'number?',
    /** 1 while the history of any collection is being pulled. */
    in_history: 'number',
    last_pull_at: 'number?',
    progress: { type: 'text', json: 'object or list', isLarge: true },
    /** Times at which collections became due while they were being pulled, by collection. Null if there are none. */
    hastened: { type: 'text?', json: 'object or list' },
    announced: { type: 'text', json: 'object or list' },
    subscriptions: { type: 'text', json: 'object or list' },
    leased_by: 'text?',
    leased_until: { type: 'number', default: 0 },
    checksum: { type: 'number?', tellsChange: true },
  },
  key: ['user_id', 'provider'],
  hasRowid: true,
  lease: 'leased_by',
  indexes: {
    live_connection_by_due: '(due_at) WHERE due_at IS NOT NULL',
    live_connection_by_team: '(team_id, user_id, provider)',
  },
  aside: ['leased_by', 'leased_until'],
  checksums: [{ named: row => `the live connection to ${shownName(row.provider)}` }],
  needs: [
    {
      table: 'connection',
      by: ['user_id', 'provider'],
      label: "'the live connection to '||provider",
      reason: 'the connection is lost',
    },
  ],
})

/** The state of a provider's record. */
export const LIVE_RECORD = table({
  name: 'live_record',
  owner: 'user',
  life: 'state',
  columns: {
    user_id: 'text',
    provider: 'text',
    collection: 'text',
    record_id: 'text',
    version: 'text',
    /** Times of the record's first and last samples. Null if it has none. */
    first_at: 'number?',
    last_at: 'number?',
    /** The data that came from the record (logic/live/brought.ts). */
    brought: { type: 'text', json: 'object or list', isLarge: true },
    checksum: { type: 'number?', tellsChange: true },
  },
  key: ['user_id', 'provider', 'collection', 'record_id'],
  hasRowid: true,
  indexes: { live_record_by_time: '(user_id, provider, last_at, first_at) WHERE last_at IS NOT NULL' },
  checksums: [{ named: row => `the state of a record from ${shownName(row.provider)}` }],
})

export const RAW_ANSWER = table({
  name: 'raw_answer',
  owner: 'user',
  life: 'staying',
  columns: {
    user_id: 'text',
    provider: 'text',
    answer_id: 'text',
    collection: 'text',
    at: 'number',
    sealed: { type: 'blob', isLarge: true },
    /** The pull of one window that the response belongs to. Null before schema 12, which stored no requests. */
    pull_id: 'text?',
  },
  key: ['user_id', 'provider', 'answer_id'],
  hasRowid: true,
  indexes: { raw_answer_by_time: '(at)' },
})
