/** Manages connections to PostgreSQL: their settings and their number. */
import type { Pool, PoolClient, PoolConfig } from 'pg'

/** Time in milliseconds after which a statement is cancelled. */
const STATEMENT_MS = 60_000
/** How long a statement waits for another transaction's lock. */
const LOCK_MS = 10_000
/** Time after which the server ends an idle transaction, because its process has stopped responding. */
const IDLE_MS = 20_000
const CONNECT_MS = 10_000
/** Time without a response after which a connection is considered broken. The server cancels statements before then. */
export const RESPONSE_TIMEOUT_MS = STATEMENT_MS + 5_000

const INT8 = 20
const NUMERIC = 1700

/** Maximum number of connections per process, for a server and for a command. */
export const MOST_CONNECTIONS = { async: 16, blocking: 4 } as const

/** Throws PostgreSQL's error for a write on a standby if this is a connection to a standby. */
export async function requirePrimary(database: Pick<PoolClient, 'query'>): Promise<void> {
  const { rows } = await database.query<{ isStandby: boolean }>('SELECT pg_is_in_recovery() AS "isStandby"')
  if (rows[0]?.isStandby) throw Object.assign(new Error('a standby'), { code: '25006' })
}

/**
 * Refuses a connection to a standby. A host name that follows the primary may briefly lead to a standby, where reads would return an older
 * state.
 */
function refuseStandby(client: PoolClient, done: (error?: Error) => void): void {
  requirePrimary(client).then(() => done(), done)
}

/** Opens a pool. Connections are opened on demand. */
export async function openPool(config: PoolConfig): Promise<Pool> {
  // loaded only for a PostgreSQL store
  const { default: pg } = await import('pg')
  const parserOf: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
    // whole numbers are below 2^53, as in SQLite
    oid === INT8 || oid === NUMERIC ? Number : pg.types.getTypeParser(oid, format as 'text')
  const pool = new pg.Pool({
    application_name: 'svc',
    connectionTimeoutMillis: CONNECT_MS,
    statement_timeout: STATEMENT_MS,
    lock_timeout: LOCK_MS,
    idle_in_transaction_session_timeout: IDLE_MS,
    query_timeout: RESPONSE_TIMEOUT_MS,
    keepAlive: true,
    pipeline: true,
    types: { getTypeParser: parserOf },
    verify: refuseStandby,
    ...config,
  })
  // a broken connection is replaced by the next one, and the query on it fails
  pool.on('error', () => {})
  pool.on('connect', client => client.on('error', () => {}))
  return pool
}
