/** Users and their connections as rows. */
import { ServiceError } from '../../../core/errors.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import { DAY_MS, type EpochMs, type IsoDate, parseDate } from '../../../core/time.ts'
import type { CreateOutcome, Fallback, UserRecord } from '../../port.ts'
import type { Connection } from '../connection.ts'
import { queriesOf, touchUser } from '../continuous/queries.ts'
import { cancelDeliveries } from '../deliveries/backlog.ts'
import { dropJob, dropPurge, scheduleJob, schedulePurge } from '../jobs.ts'
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

export function insertUser(connection: Connection, user: UserRecord): CreateOutcome {
  const by = findByClientId(connection, user.teamId, user.clientUserId)
  if (by) return { kind: 'taken', by }
  const team = connection.get<{ user_limit: number | null; user_count: number }>(
    'SELECT user_limit, user_count FROM team WHERE team_id=?',
    user.teamId,
  )
  const limit = team?.user_limit ?? null
  if (limit !== null && (team?.user_count ?? 0) >= limit) return { kind: 'full', limit }
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
  schedulePause(connection, user.userId, user.ingestionEnd)
  return { kind: 'created' }
}

export function findUser(connection: Connection, teamId: TeamId, userId: UserId): UserRecord | null {
  const row = connection.get<UserRow>(`SELECT ${COLUMNS} FROM user WHERE user_id=? AND team_id=?`, userId, teamId)
  return row ? fromRow(row) : null
}

/** Whatever its team. */
export function userById(connection: Connection, userId: UserId): UserRecord | null {
  const row = connection.get<UserRow>(`SELECT ${COLUMNS} FROM user WHERE user_id=?`, userId)
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

/**
 * Active users whose client_user_id holds the text, letters of either case, or whose user_id it is; newest first. Names are read
 * from the directory, which holds nothing else of a user.
 */
export function searchUsers(connection: Connection, teamId: TeamId, text: string, limit: number): UserRecord[] {
  return connection
    .all<UserRow>(
      `SELECT ${COLUMNS} FROM user WHERE deleted_at IS NULL AND user_id IN (
         SELECT user_id FROM directory WHERE team_id=? AND (instr(lower(client_user_id), lower(?))>0 OR user_id=?))
       ORDER BY created_on DESC, user_id LIMIT ?`,
      teamId,
      text,
      text.toLowerCase(),
      limit,
    )
    .map(fromRow)
}

/** How long late data are taken after the last day of ingestion; then the connections are paused (interface-gaps 2.1). */
const LATE_DAYS = 7

/** Makes the pause due that follows the end of ingestion; none without an end. */
export function schedulePause(connection: Connection, userId: UserId, ingestionEnd: IsoDate | null): void {
  if (ingestionEnd === null) dropJob(connection, userId, 'pause')
  else {
    const dueAt = (parseDate(ingestionEnd) as EpochMs) + (LATE_DAYS + 1) * DAY_MS
    scheduleJob(connection, userId, { kind: 'pause', dueAt })
  }
}

/** Throws ServiceError `user_not_found` when the user was deleted meanwhile: nothing may follow a deletion. */
export function requireActive(connection: Connection, userId: UserId): void {
  const user = connection.get<{ deleted_at: number | null }>('SELECT deleted_at FROM user WHERE user_id=?', userId)
  if (!user || user.deleted_at !== null) throw new ServiceError('user_not_found', 'User not found')
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
  // by its key: of the user alone it would be looked for among all names of the team
  connection.run(
    'DELETE FROM directory WHERE team_id=? AND client_user_id=(SELECT client_user_id FROM user WHERE user_id=?) AND user_id=?',
    teamId,
    userId,
    userId,
  )
  connection.run('DELETE FROM connection WHERE user_id=?', userId)
  connection.run('DELETE FROM pull WHERE user_id=?', userId)
  connection.run('DELETE FROM link_token WHERE user_id=?', userId)
  connection.run('UPDATE team SET user_count=user_count-1 WHERE team_id=?', teamId)
  cancelDeliveries(connection, userId)
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
  reviveDeliveries(connection, userId)
  schedulePause(connection, userId, user.ingestionEnd)
  touchUser(connection, userId, queriesOf(connection, teamId), at)
  return 'restored'
}

/** What the deletion kept from being sent waits again where it goes to an endpoint that is there and enabled. */
function reviveDeliveries(connection: Connection, userId: UserId): void {
  const isEnabled = `EXISTS (SELECT 1 FROM endpoint WHERE endpoint.team_id=delivery.team_id
    AND endpoint.endpoint_id=delivery.endpoint_id AND disabled_at IS NULL)`
  connection.run(`UPDATE delivery SET state='waiting' WHERE user_id=? AND state='cancelled' AND ${isEnabled}`, userId)
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
