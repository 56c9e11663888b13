/** Which tables hold rows of users. A test compares the list with the schema, so that a table of a later version is never forgotten. */

export interface UserTable {
  readonly table: string
  /** The columns by which a row is found. */
  readonly key: readonly string[]
}

/**
 * Every table with rows of users, by name, except for `tombstone` and `job`: what a purge leaves behind, and what it works from. The column
 * of the user is `user_id` in all of them.
 */
export const USER_TABLES: readonly UserTable[] = [
  { table: 'account', key: ['team_id', 'provider', 'external_user_id', 'user_id'] },
  { table: 'chunk', key: ['user_id', 'series_id', 'chunk_start'] },
  { table: 'connection', key: ['user_id', 'provider'] },
  { table: 'continuous_row', key: ['user_id', 'query_id', 'bucket', 'key'] },
  { table: 'continuous_state', key: ['user_id', 'query_id'] },
  { table: 'continuous_task', key: ['user_id', 'query_id', 'number'] },
  { table: 'delivery', key: ['user_id', 'sequence', 'endpoint_id'] },
  { table: 'delivery_exchange', key: ['user_id', 'sequence', 'endpoint_id', 'number'] },
  { table: 'device', key: ['user_id', 'device_id'] },
  { table: 'directory', key: ['team_id', 'client_user_id'] },
  { table: 'failed_attempt', key: ['user_id', 'sequence', 'endpoint_id', 'number'] },
  { table: 'import', key: ['user_id', 'import_id'] },
  { table: 'import_before', key: ['user_id', 'import_id', 'ord'] },
  { table: 'insurance', key: ['user_id', 'number'] },
  { table: 'lab_order', key: ['user_id', 'order_id'] },
  { table: 'link_token', key: ['user_id', 'hash'] },
  { table: 'live_connection', key: ['user_id', 'provider'] },
  { table: 'live_record', key: ['user_id', 'provider', 'collection', 'record_id'] },
  { table: 'outbox', key: ['user_id', 'sequence'] },
  { table: 'person', key: ['user_id'] },
  { table: 'person_budget', key: ['user_id', 'provider'] },
  { table: 'provider_grant', key: ['user_id', 'provider', 'grant_id'] },
  { table: 'pull', key: ['user_id', 'provider', 'resource'] },
  { table: 'raw_answer', key: ['user_id', 'provider', 'answer_id'] },
  { table: 'series', key: ['user_id', 'series_id'] },
  { table: 'stream', key: ['user_id', 'workout_id'] },
  { table: 'summary', key: ['user_id', 'kind', 'id'] },
  { table: 'team_answer', key: ['team_id', 'key_hash'] },
  { table: 'user', key: ['user_id'] },
  { table: 'user_answer', key: ['user_id', 'key_hash'] },
  { table: 'user_info', key: ['user_id'] },
  { table: 'user_rate', key: ['user_id', 'name'] },
]

/**
 * Tables with what is kept for a short time, only to be looked at. They are in no copy, and a restore empties them, because it gives the
 * numbers of their events to others.
 */
export const PASSING_TABLES: readonly string[] = ['delivery_exchange']

/** Tables that find users of a team by something else. They follow from other rows, and can be built again. */
export const LOOKUP_TABLES: readonly string[] = ['account', 'directory']

/**
 * Tables with grants and what belongs to them: they stay with this store. Copies that leave it have none of their rows, and a restore keeps
 * the rows that are there, except those of users who are gone.
 */
export const GRANT_TABLES = {
  ofUsers: ['person_budget', 'provider_grant', 'raw_answer'],
  ofTeams: ['provider_setup', 'provider_budget', 'provider_notification', 'provider_subscription'],
} as const satisfies Readonly<Record<string, readonly string[]>>

/** Tables of the console. */
export const SESSION_TABLES = ['console_session', 'console_token'] as const

/** Everything that stays with this store in the same way: grants, and sessions of the console. */
export const STAYING_TABLES = {
  ofUsers: GRANT_TABLES.ofUsers,
  ofTeams: [...GRANT_TABLES.ofTeams, ...SESSION_TABLES],
} as const satisfies Readonly<Record<string, readonly string[]>>
