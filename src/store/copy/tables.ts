/** The tables that a copy consists of, in their order, and the statements that read them in slices. */
import type { CheckedRows } from '../logic/rows/checked-rows.ts'
import { COUNTED } from '../logic/rows/counted-bytes.ts'
import { damaged } from '../logic/rows/damage.ts'
import { CHECKED_ROWS } from '../logic/rows/more-tables.ts'
import { PASSING_TABLES, USER_TABLES } from '../logic/rows/user-tables.ts'
import { type Query, query, type SqlValue } from '../logic/steps.ts'
import { SESSION_LABEL } from '../logic/teams/api-keys.ts'

/** A row with all its columns. */
export type Row = Readonly<Record<string, SqlValue>>

/** A query of the first rows of a table, and of those after a key. */
interface Walk<R> {
  readonly first: Query<R>
  readonly next: Query<R>
}

export interface CopiedTable {
  readonly table: string
  readonly key: readonly string[]
  readonly checked: readonly CheckedRows<object>[]
  /** The keys with the bytes of large values; null if the rows have none. */
  readonly sizes: Walk<Row> | null
  readonly rows: Walk<Row>
  /** How many rows there are (`n`), and a sum that changes with them (`state`). */
  readonly count: Query<{ readonly n: number; readonly state: number }>
}

/** Tables that are about running processes or the sessions of one server, are filled in a way of their own, or exist on one kind of store only. See docs/postgres.md. */
export const LEFT_OUT: readonly string[] = [
  'console_session',
  'console_token',
  'deliverer',
  'delivery_slice',
  'fault',
  'recording',
  'recording_entry',
  'setting',
  'store_lock',
  'svc_schema',
  'event_waiting',
  'team_event',
  'team_order',
  ...PASSING_TABLES,
]

interface Definition {
  readonly table: string
  readonly key: readonly string[]
  readonly where?: string
}

const OF_TEAMS: readonly Definition[] = [
  { table: 'team', key: ['team_id'] },
  // the keys of running servers end with them
  {
    table: 'api_key',
    key: ['key_id'],
    where: `substr(label, 1, ${SESSION_LABEL.length})<>'${SESSION_LABEL}'`,
  },
  { table: 'endpoint', key: ['team_id', 'endpoint_id'] },
  { table: 'source_priority', key: ['team_id', 'data_type', 'provider', 'source_type'] },
  { table: 'continuous_query', key: ['team_id', 'query_id'] },
  { table: 'team_lab_test', key: ['team_id', 'lab_test_id'] },
  { table: 'tombstone', key: ['team_id', 'user_id'] },
  { table: 'audit', key: ['team_id', 'at', 'entry_id'] },
  { table: 'provider_setup', key: ['team_id', 'provider'] },
  { table: 'provider_budget', key: ['team_id', 'provider'] },
  { table: 'provider_notification', key: ['team_id', 'provider', 'notification_id'] },
  { table: 'provider_subscription', key: ['team_id', 'provider', 'name'] },
]
/** Jobs without a user maintain the files of a store. */
const JOBS: Definition = { table: 'job', key: ['user_id', 'kind'], where: "user_id<>''" }

/** Further columns with large values than those that count towards a team's limit. */
const LARGE: Readonly<Record<string, readonly string[]>> = {
  import: ['report'],
  user_answer: ['answer'],
  team_answer: ['answer'],
  raw_answer: ['sealed'],
  live_connection: ['progress'],
  live_record: ['brought'],
}

/** Columns that change although the number of rows and the counters of users do not. */
const STATE: Readonly<Record<string, readonly string[]>> = {
  user: ['event_sequence', 'event_floor', 'checksum'],
  connection: ['checksum'],
  device: ['checksum'],
  pull: ['checksum'],
  continuous_state: ['rev', 'last_task'],
  delivery: ['attempts', 'round', 'due_at'],
  link_token: ['consumed_at'],
  endpoint: ['updated_at', 'failing_since'],
  api_key: ['revoked_at'],
  team: ['user_count'],
  job: ['due_at'],
  chunk: ['n'],
  live_connection: ['checksum'],
  live_record: ['checksum'],
  provider_setup: ['updated_at'],
  provider_notification: ['due_at', 'settled_at'],
  provider_subscription: ['due_at', 'expires_at'],
  // the end of a copy changes everything else of a grant in the source
  provider_grant: ['rev'],
}

/** Tables that others reference come first. */
export const COPIED_TABLES: readonly CopiedTable[] = [
  ...OF_TEAMS,
  ...USER_TABLES.filter(({ table }) => table === 'user'),
  ...USER_TABLES.filter(({ table }) => table !== 'user' && !PASSING_TABLES.includes(table)),
  JOBS,
].map(copiedTable)

function copiedTable({ table, key, where }: Definition): CopiedTable {
  const large = COUNTED[table] ?? LARGE[table] ?? []
  const bytes = large.map(name => `coalesce(octet_length(${name}), 0)`).join('+')
  const state = (STATE[table] ?? []).map(name => `coalesce(sum(${name} % 65521), 0)`).join('+')
  const filter = where === undefined ? '' : `WHERE ${where}`
  return {
    table,
    key,
    checked: CHECKED_ROWS.filter(rows => rows.table === table),
    sizes:
      large.length === 0 ? null : walk(`${key.join(', ')}, ${bytes} AS bytes`, { table, key, ...(where && { where }) }),
    rows: walk('*', { table, key, ...(where && { where }) }),
    count: reading(`SELECT count(*) AS n, ${state || '0'} AS state FROM ${table} ${filter}`, table),
  }
}

function walk(selected: string, { table, key, where }: Definition): Walk<Row> {
  const names = key.join(', ')
  const select = `SELECT ${selected} FROM ${table}`
  const order = `ORDER BY ${names} LIMIT ?`
  const after = `(${names}) > (${key.map(() => '?').join(',')})`
  return {
    first: reading(`${select} ${where === undefined ? '' : `WHERE ${where}`} ${order}`, table),
    next: reading(`${select} WHERE ${where === undefined ? '' : `${where} AND`} ${after} ${order}`, table),
  }
}

function reading<R>(text: string, table: string): Query<R> {
  return { ...query<R>(text), unreadable: () => damaged({ what: `rows of ${table}`, userId: null }) }
}
