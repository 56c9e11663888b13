/** Rows of users with a checksum, about live providers. */
import { checkedRows, named, type RowOf } from './checked-rows.ts'

export const GRANTS = checkedRows({
  table: 'provider_grant',
  key: ['user_id', 'provider', 'grant_id'],
  columns: {
    user_id: 'text',
    provider: 'text',
    grant_id: 'text',
    team_id: 'text',
    state: 'text',
    key_id: 'text',
    expires_at: 'number?',
    rev: 'number',
    leased_by: 'text?',
    leased_until: 'number',
    renewing_since: 'number?',
    tries: 'number',
    due_at: 'number?',
    sealed: 'blob?',
  },
  blob: 'sealed',
  what: row => `a grant of ${named(row.provider)}`,
})
export type GrantRow = RowOf<typeof GRANTS>

/** All columns except those of the lease. */
export const LIVE_CONNECTIONS = checkedRows({
  table: 'live_connection',
  key: ['user_id', 'provider'],
  columns: {
    user_id: 'text',
    provider: 'text',
    team_id: 'text',
    linked_at: 'number',
    due_at: 'number?',
    /** 1 while the history of some collection is pulled. */
    in_history: 'number',
    last_pull_at: 'number?',
    progress: 'text',
    /** When collections were made due while somebody pulled, by collection; null if none was. */
    hastened: 'text?',
    announced: 'text',
    subscriptions: 'text',
  },
  what: row => `the live connection to ${named(row.provider)}`,
})
export type LiveConnectionRow = RowOf<typeof LIVE_CONNECTIONS>

export const LIVE_RECORDS = checkedRows({
  table: 'live_record',
  key: ['user_id', 'provider', 'collection', 'record_id'],
  columns: {
    user_id: 'text',
    provider: 'text',
    collection: 'text',
    record_id: 'text',
    version: 'text',
    /** The first and the last sample that it brought; null if it brought none. */
    first_at: 'number?',
    last_at: 'number?',
    /** What it brought (live/brought.ts). */
    brought: 'text',
  },
  what: row => `what is known of a record of ${named(row.provider)}`,
})
export type LiveRecordRow = RowOf<typeof LIVE_RECORDS>
