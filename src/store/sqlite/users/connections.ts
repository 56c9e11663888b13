/** A user's connections to providers as rows, and every change of their state (interface-gaps 2.2). */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { ConnectionError, ConnectionRecord, ConnectionScopes, NewConnection } from '../../data-write.ts'
import type { Connection } from '../connection.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { failPulls } from './pulls.ts'
import { requireActive, schedulePause } from './users.ts'

interface ConnectionRow {
  readonly provider: string
  readonly created_on: number
  readonly status: ConnectionRecord['status']
  readonly external_user_id: string | null
  readonly region: string | null
  readonly error_type: string | null
  readonly error_message: string | null
  readonly errored_at: number | null
  readonly scopes: string | null
  readonly is_demo: number
}

const COLUMNS =
  'provider, created_on, status, external_user_id, region, error_type, error_message, errored_at, scopes, is_demo'

function fromRow(userId: UserId, row: ConnectionRow): ConnectionRecord {
  return {
    userId,
    provider: row.provider,
    createdOn: row.created_on,
    status: row.status,
    externalUserId: row.external_user_id,
    region: row.region,
    error:
      row.error_type === null
        ? null
        : { type: row.error_type, message: row.error_message ?? '', at: row.errored_at ?? row.created_on },
    scopes: row.scopes === null ? null : (JSON.parse(row.scopes) as ConnectionScopes),
    isDemo: row.is_demo === 1,
  }
}

export function connectionsOf(connection: Connection, userIds: readonly UserId[]): Map<UserId, ConnectionRecord[]> {
  return new Map(
    userIds.map(userId => [
      userId,
      connection
        .all<ConnectionRow>(`SELECT ${COLUMNS} FROM connection WHERE user_id=? ORDER BY created_on, provider`, userId)
        .map(row => fromRow(userId, row)),
    ]),
  )
}

export function accountIsTaken(
  connection: Connection,
  teamId: TeamId,
  userId: UserId,
  provider: string,
  externalUserId: string,
): boolean {
  return (
    connection.get(
      `SELECT 1 FROM connection JOIN user USING (user_id)
       WHERE provider=? AND external_user_id=? AND connection.user_id<>? AND team_id=? LIMIT 1`,
      provider,
      externalUserId,
      userId,
      teamId,
    ) !== undefined
  )
}

/** Makes the connection, or brings it back where a link says so. Whether it is new. */
export function connect(connection: Connection, wanted: NewConnection, outbox: OutboxWriter): boolean {
  const { userId, provider, link } = wanted
  const present = connection.get<{ status: string }>(
    'SELECT status FROM connection WHERE user_id=? AND provider=?',
    userId,
    provider,
  )
  const scopes = link?.scopes ? JSON.stringify(link.scopes) : null
  const isDemo = link?.isDemo ? 1 : 0
  connection.run(
    `INSERT INTO connection (user_id, provider, created_on, status, external_user_id, region, scopes, is_demo)
     VALUES (?,?,?,'connected',?,?,?,?)
     ON CONFLICT (user_id, provider) DO UPDATE SET
       external_user_id=coalesce(excluded.external_user_id, external_user_id), region=coalesce(excluded.region, region)`,
    userId,
    provider,
    wanted.createdOn,
    wanted.externalUserId,
    wanted.region,
    scopes,
    isDemo,
  )
  if (present !== undefined && link === undefined) return false
  pauseAgain(connection, userId)
  if (present !== undefined) {
    connection.run(
      `UPDATE connection SET status='connected', error_type=NULL, error_message=NULL, errored_at=NULL, scopes=?, is_demo=?
       WHERE user_id=? AND provider=?`,
      scopes,
      isDemo,
      userId,
      provider,
    )
  }
  if (present?.status === 'connected') return false
  // as it is now: when the event is sent, the connection may be another or gone
  const { externalUserId = null } = wanted
  outbox.document('provider.connection.created', {
    provider,
    external_user_id: externalUserId,
    scopes: link?.scopes ?? null,
  })
  return present === undefined
}

/** Notes what ended the connection, with its event; one that failed before has failed anew. False: there is none. */
export function failConnection(
  connection: Connection,
  teamId: TeamId,
  userId: UserId,
  provider: string,
  error: ConnectionError,
): boolean {
  requireActive(connection, userId)
  const changed = connection.run(
    `UPDATE connection SET status='error', error_type=?, error_message=?, errored_at=? WHERE user_id=? AND provider=?`,
    error.type,
    error.message,
    error.at,
    userId,
    provider,
  )
  if (changed === 0) return false
  failPulls(connection, userId, provider, error.at)
  const outbox = new OutboxWriter(connection, userId, teamId, error.at)
  outbox.document('provider.connection.error', {
    provider,
    error_type: error.type,
    message: error.message,
    error_details: error.message,
  })
  outbox.finish()
  return true
}

/** Removes the connection, and what was kept of its pulls; its data stay. Whether there was one. */
export function disconnect(connection: Connection, userId: UserId, provider: string): boolean {
  requireActive(connection, userId)
  connection.run('DELETE FROM pull WHERE user_id=? AND provider=?', userId, provider)
  return connection.run('DELETE FROM connection WHERE user_id=? AND provider=?', userId, provider) > 0
}

/** Pauses every connection of the user. */
export function pauseAll(connection: Connection, userId: UserId): void {
  connection.run(
    `UPDATE connection SET status='paused', error_type=NULL, error_message=NULL, errored_at=NULL WHERE user_id=?`,
    userId,
  )
}

/** A connection that a link, an import or a push makes after the end of ingestion is paused like those before it. */
function pauseAgain(connection: Connection, userId: UserId): void {
  const sql = 'SELECT ingestion_end FROM user WHERE user_id=?'
  const end = connection.get<{ ingestion_end: string | null }>(sql, userId)?.ingestion_end ?? null
  if (end !== null) schedulePause(connection, userId, end)
}
