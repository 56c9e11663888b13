/** Users and their connections as rows. */
import type { TeamId, UserId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import type { ConnectionRecord } from '../data-write.ts'
import type { Fallback, UserRecord } from '../port.ts'
import type { Connection } from './connection.ts'
import { queriesOf, touchUser } from './continuous/queries.ts'
import { dropPurge, schedulePurge } from './jobs.ts'
import { clientUserHash, isPurged } from './tombstones.ts'

interface UserRow {
  readonly user_id: string
  readonly team_id: string
  readonly client_user_id: string
  readonly created_on: number
  readonly fallback_time_zone: string | null
  readonly fallback_birth_date: string | null
  readonly ingestion_start: string | null
  readonly ingestion_end: string | null
  readonly deleted_at: number | null
}

const COLUMNS =
  'user_id, team_id, client_user_id, created_on, fallback_time_zone, fallback_birth_date, ingestion_start, ingestion_end, deleted_at'

function fromRow(row: UserRow): UserRecord {
  const fallback = (text: string | null): Fallback | null => (text === null ? null : (JSON.parse(text) as Fallback))
  return {
    userId: row.user_id as UserId,
    teamId: row.team_id as TeamId,
    clientUserId: row.client_user_id,
    createdOn: row.created_on,
    fallbackTimeZone: fallback(row.fallback_time_zone),
    fallbackBirthDate: fallback(row.fallback_birth_date),
    ingestionStart: row.ingestion_start,
    ingestionEnd: row.ingestion_end,
    deletedAt: row.deleted_at,
  }
}

export function insertUser(
  connection: Connection,
  user: UserRecord,
): { readonly kind: 'created' } | { readonly kind: 'taken'; readonly by: UserRecord } {
  const by = findByClientId(connection, user.teamId, user.clientUserId)
  if (by) return { kind: 'taken', by }
  connection.run(
    `INSERT INTO user (${COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?)`,
    user.userId,
    user.teamId,
    user.clientUserId,
    user.createdOn,
    user.fallbackTimeZone ? JSON.stringify(user.fallbackTimeZone) : null,
    user.fallbackBirthDate ? JSON.stringify(user.fallbackBirthDate) : null,
    user.ingestionStart,
    user.ingestionEnd,
    user.deletedAt,
  )
  claim(connection, user)
  return { kind: 'created' }
}

export function findUser(connection: Connection, teamId: TeamId, userId: UserId): UserRecord | null {
  const row = connection.get<UserRow>(`SELECT ${COLUMNS} FROM user WHERE user_id=? AND team_id=?`, userId, teamId)
  return row ? fromRow(row) : null
}

export function findByClientId(connection: Connection, teamId: TeamId, clientUserId: string): UserRecord | null {
  const row = connection.get<UserRow>(
    `SELECT ${COLUMNS} FROM user WHERE user_id=(SELECT user_id FROM directory WHERE team_id=? AND client_user_id=?)`,
    teamId,
    clientUserId,
  )
  return row ? fromRow(row) : null
}

export function pageOfUsers(
  connection: Connection,
  teamId: TeamId,
  offset: number,
  limit: number,
): { readonly users: readonly UserRecord[]; readonly total: number } {
  const rows = connection.all<UserRow>(
    `SELECT ${COLUMNS} FROM user WHERE team_id=? AND deleted_at IS NULL ORDER BY created_on DESC, user_id LIMIT ? OFFSET ?`,
    teamId,
    limit,
    offset,
  )
  const total =
    connection.get<{ user_count: number }>('SELECT user_count FROM team WHERE team_id=?', teamId)?.user_count ?? 0
  return { users: rows.map(fromRow), total }
}

export function markDeleted(
  connection: Connection,
  teamId: TeamId,
  userId: UserId,
  { at, purgeAt }: { readonly at: EpochMs; readonly purgeAt: EpochMs },
): boolean {
  const changed = connection.run(
    'UPDATE user SET deleted_at=? WHERE user_id=? AND team_id=? AND deleted_at IS NULL',
    at,
    userId,
    teamId,
  )
  if (changed === 0) return false
  connection.run('DELETE FROM directory WHERE team_id=? AND user_id=?', teamId, userId)
  connection.run('DELETE FROM connection WHERE user_id=?', userId)
  connection.run('DELETE FROM link_token WHERE user_id=?', userId)
  connection.run('UPDATE team SET user_count=user_count-1 WHERE team_id=?', teamId)
  schedulePurge(connection, userId, purgeAt)
  return true
}

/** Who was deleted last under this client_user_id; of a purged user its tombstone is left. */
export function lastDeleted(connection: Connection, teamId: TeamId, clientUserId: string): UserId | null {
  const row = connection.get<{ user_id: string }>(
    `SELECT user_id, deleted_at FROM user WHERE team_id=? AND client_user_id=? AND deleted_at IS NOT NULL
     UNION ALL SELECT user_id, deleted_at FROM tombstone WHERE team_id=? AND client_user_hash=?
     ORDER BY deleted_at DESC, user_id LIMIT 1`,
    teamId,
    clientUserId,
    teamId,
    clientUserHash(teamId, clientUserId),
  )
  return row ? (row.user_id as UserId) : null
}

/** The six bytes of a user that lead an `ownedId` are twelve digits and the first dash of both. */
const OWNER_CHARACTERS = 13

export function usersOfOwnedId(connection: Connection, teamId: TeamId, ownedId: string): UserRecord[] {
  const prefix = ownedId.slice(0, OWNER_CHARACTERS).toLowerCase()
  return connection
    .all<UserRow>(
      `SELECT ${COLUMNS} FROM user WHERE user_id>=? AND user_id<? AND team_id=? AND deleted_at IS NULL`,
      prefix,
      `${prefix}~`,
      teamId,
    )
    .map(fromRow)
}

export function restoreUser(
  connection: Connection,
  teamId: TeamId,
  userId: UserId,
  { deletedAfter, at }: { readonly deletedAfter: EpochMs; readonly at: EpochMs },
): 'restored' | 'taken' | 'expired' | 'active' | 'unknown' {
  const user = findUser(connection, teamId, userId)
  if (!user) return isPurged(connection, teamId, userId) ? 'expired' : 'unknown'
  if (user.deletedAt === null) return 'active'
  // before `taken`: the answer must not change when the purge has run
  if (user.deletedAt <= deletedAfter) return 'expired'
  if (findByClientId(connection, teamId, user.clientUserId)) return 'taken'
  connection.run('UPDATE user SET deleted_at=NULL WHERE user_id=?', userId)
  dropPurge(connection, userId)
  claim(connection, user)
  touchUser(connection, userId, queriesOf(connection, teamId), at)
  return 'restored'
}

function claim(connection: Connection, user: UserRecord): void {
  connection.run(
    'INSERT INTO directory (team_id, client_user_id, user_id) VALUES (?,?,?)',
    user.teamId,
    user.clientUserId,
    user.userId,
  )
  connection.run('UPDATE team SET user_count=user_count+1 WHERE team_id=?', user.teamId)
}

interface ConnectionRow {
  readonly user_id: string
  readonly provider: string
  readonly created_on: number
  readonly status: ConnectionRecord['status']
  readonly external_user_id: string | null
  readonly region: string | null
}

export function connectionsOf(connection: Connection, userIds: readonly UserId[]): Map<UserId, ConnectionRecord[]> {
  const found = new Map<UserId, ConnectionRecord[]>()
  for (const userId of userIds) {
    const rows = connection.all<ConnectionRow>(
      `SELECT user_id, provider, created_on, status, external_user_id, region FROM connection
       WHERE user_id=? ORDER BY created_on, provider`,
      userId,
    )
    found.set(
      userId,
      rows.map(row => ({
        userId,
        provider: row.provider,
        createdOn: row.created_on,
        status: row.status,
        externalUserId: row.external_user_id,
        region: row.region,
      })),
    )
  }
  return found
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
