/** Users and their connections as rows. */
import { ServiceError } from '../../../core/errors.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import { DAY_MS, type EpochMs, type IsoDate, parseDate } from '../../../core/time.ts'
import type { CreateOutcome, Fallback, UserRecord } from '../../port.ts'
import { damaged, storedJson } from '../checksums/damage.ts'
import { COUNTERS, USERS, type UserRow } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { queriesOf, touchUser } from '../continuous/queries.ts'
import { cancelDeliveries } from '../deliveries/backlog.ts'
import { dropJob, scheduleJob } from '../jobs.ts'
import { asRow } from '../record-names.ts'
import { clientUserHash, hasTombstones, isPurged } from './tombstones.ts'

function fromRow(row: UserRow): UserRecord {
  const fallback = (text: string | null): Fallback | null =>
    text === null ? null : storedJson<Fallback>(text, () => USERS.placeOf(row))
  return {
    ...USERS.record(row),
    userId: row.user_id as UserId,
    teamId: row.team_id as TeamId,
    fallbackTimeZone: fallback(row.fallback_time_zone),
    fallbackBirthDate: fallback(row.fallback_birth_date),
  }
}

/** Returns the row of a user. */
export function rowOf(user: UserRecord): UserRow {
  const { fallbackTimeZone: zone, fallbackBirthDate: birth } = user
  return asRow({
    ...user,
    fallbackTimeZone: zone && JSON.stringify(zone),
    fallbackBirthDate: birth && JSON.stringify(birth),
  })
}

export function insertUser(db: Connection, user: UserRecord): CreateOutcome {
  const by = findByClientId(db, user.teamId, user.clientUserId)
  if (by) return { kind: 'taken', by }
  const limit = limitReached(db, user.teamId)
  if (limit !== null) return { kind: 'full', limit }
  USERS.insert(db, rowOf(user))
  COUNTERS.update(db, { user_id: user.userId, event_sequence: 0, event_floor: 0 })
  claim(db, user)
  schedulePause(db, user.userId, user.ingestionEnd)
  return { kind: 'created' }
}

/** Returns the maximum number of active users if the team has reached it, or null if it may have one more. */
function limitReached(db: Connection, teamId: TeamId): number | null {
  const sql = 'SELECT user_limit FROM team WHERE team_id=? AND user_count>=user_limit'
  return db.get<{ user_limit: number }>(sql, teamId)?.user_limit ?? null
}

export function findUser(db: Connection, teamId: TeamId, userId: UserId): UserRecord | null {
  const user = userById(db, userId)
  return user?.teamId === teamId ? user : null
}

/** Returns a user of any team. */
export function userById(db: Connection, userId: UserId): UserRecord | null {
  const row = USERS.get(db, 'WHERE user_id=?', userId)
  return row ? fromRow(row) : null
}

/**
 * Returns the active user with this client_user_id, or null. Throws ServiceError `data_damaged`, also if the directory and the users do not
 * agree.
 */
export function findByClientId(db: Connection, teamId: TeamId, clientUserId: string): UserRecord | null {
  const named = db.get<{ user_id: string }>(
    'SELECT user_id FROM directory WHERE team_id=? AND client_user_id=?',
    teamId,
    clientUserId,
  )
  if (named === undefined) {
    const sql = 'SELECT 1 FROM user INDEXED BY user_by_name WHERE team_id=? AND client_user_id=? AND deleted_at IS NULL'
    if (db.get(sql, teamId, clientUserId) === undefined) return null
    throw damaged({ what: 'a name in the directory', userId: null })
  }
  const user = userById(db, named.user_id as UserId)
  if (user?.teamId === teamId && user.clientUserId === clientUserId) return user
  throw damaged({ what: 'a name in the directory', userId: null })
}

export function pageOfUsers(
  db: Connection,
  teamId: TeamId,
  offset: number,
  limit: number,
): { readonly users: readonly UserRecord[]; readonly total: number } {
  const rows = USERS.all(
    db,
    'WHERE team_id=? AND deleted_at IS NULL ORDER BY created_on DESC, user_id LIMIT ? OFFSET ?',
    teamId,
    limit,
    offset,
  )
  const total = db.get<{ user_count: number }>('SELECT user_count FROM team WHERE team_id=?', teamId)?.user_count ?? 0
  return { users: rows.map(fromRow), total }
}

/**
 * Returns active users whose client_user_id contains the text, ignoring case, or whose user_id it is; newest first. Names are read from the
 * index, which holds nothing else about a user.
 */
export function searchUsers(db: Connection, teamId: TeamId, text: string, limit: number): UserRecord[] {
  const found = USERS.all(
    db,
    `INDEXED BY user_by_name WHERE team_id=? AND deleted_at IS NULL AND instr(lower(client_user_id), lower(?))>0`,
    teamId,
    text,
  ).map(fromRow)
  const named = findUser(db, teamId, text.toLowerCase() as UserId)
  const isMore = named?.deletedAt === null && !found.some(each => each.userId === named.userId)
  return [...found, ...(isMore ? [named] : [])]
    .sort((a, b) => b.createdOn - a.createdOn || (a.userId < b.userId ? -1 : 1))
    .slice(0, limit)
}

/**
 * Number of days for which late data is accepted after the last day of ingestion. Then the connections are paused. See
 * docs/interface/users.md#users-16.
 */
const LATE_DAYS = 7

/** Makes the pause due that follows the end of ingestion. Without an end there is none. */
export function schedulePause(db: Connection, userId: UserId, ingestionEnd: IsoDate | null): void {
  if (ingestionEnd === null) dropJob(db, userId, 'pause')
  else {
    const dueAt = (parseDate(ingestionEnd) as EpochMs) + (LATE_DAYS + 1) * DAY_MS
    scheduleJob(db, userId, { kind: 'pause', dueAt })
  }
}

/**
 * Returns whether the user exists and is not deleted. Only the index is read, so that a damaged row cannot hide what belongs to the user.
 */
export function isActive(db: Connection, teamId: string, userId: string): boolean {
  const sql = 'SELECT 1 FROM user INDEXED BY user_by_id WHERE team_id=? AND user_id=? AND deleted_at IS NULL'
  return db.get(sql, teamId, userId) !== undefined
}

/** Throws ServiceError `user_not_found` if the user was deleted in the meantime: nothing may follow a deletion. */
export function requireActive(db: Connection, userId: UserId): void {
  const user = USERS.get(db, 'WHERE user_id=?', userId)
  if (!user || user.deleted_at !== null) throw new ServiceError('user_not_found', 'User not found')
}

export function markDeleted(
  db: Connection,
  teamId: TeamId,
  userId: UserId,
  { at, purgeAt }: { readonly at: EpochMs; readonly purgeAt: EpochMs },
): boolean {
  const user = USERS.get(db, 'WHERE user_id=?', userId)
  if (user?.team_id !== teamId || user.deleted_at !== null) return false
  USERS.update(db, { ...user, deleted_at: at })
  db.run(
    'DELETE FROM directory WHERE team_id=? AND client_user_id=? AND user_id=?',
    teamId,
    user.client_user_id,
    userId,
  )
  db.run('DELETE FROM connection WHERE user_id=?', userId)
  db.run('DELETE FROM pull WHERE user_id=?', userId)
  db.run('DELETE FROM link_token WHERE user_id=?', userId)
  db.run('UPDATE team SET user_count=user_count-1 WHERE team_id=?', teamId)
  cancelDeliveries(db, userId)
  scheduleJob(db, userId, { kind: 'purge', dueAt: purgeAt })
  return true
}

/** Returns the user that was deleted last under this client_user_id. Only a tombstone is left of a purged user. */
export function lastDeleted(db: Connection, teamId: TeamId, clientUserId: string): UserId | null {
  const user = USERS.get(
    db,
    'WHERE team_id=? AND client_user_id=? AND deleted_at IS NOT NULL ORDER BY deleted_at DESC, user_id LIMIT 1',
    teamId,
    clientUserId,
  )
  // nothing is hashed for a team without tombstones: loading Node's cryptography takes longer than the command that asks
  const buried = hasTombstones(db, teamId)
    ? db.get<{ user_id: string; deleted_at: number }>(
        `SELECT user_id, deleted_at FROM tombstone WHERE team_id=? AND client_user_hash=?
         ORDER BY deleted_at DESC, user_id LIMIT 1`,
        teamId,
        clientUserHash(teamId, clientUserId),
      )
    : undefined
  const last = [user, buried].reduce((a, b) => (a && b ? (isLater(b, a) ? b : a) : (a ?? b)), undefined)
  return last ? (last.user_id as UserId) : null
}

interface Deleted {
  readonly user_id: string
  readonly deleted_at: number | null
}

function isLater(a: Deleted, b: Deleted): boolean {
  const [left, right] = [a.deleted_at ?? 0, b.deleted_at ?? 0]
  return left > right || (left === right && a.user_id < b.user_id)
}

/** The six bytes of a user id that begin an `ownedId` are twelve digits and the first dash of both. */
const OWNER_CHARACTERS = 13

export function usersOfOwnedId(db: Connection, teamId: TeamId, ownedId: string): UserRecord[] {
  const prefix = ownedId.slice(0, OWNER_CHARACTERS).toLowerCase()
  return USERS.all(db, 'WHERE user_id>=? AND user_id<?', prefix, `${prefix}~`)
    .filter(row => row.team_id === teamId && row.deleted_at === null)
    .map(fromRow)
}

export function restoreUser(
  db: Connection,
  teamId: TeamId,
  userId: UserId,
  { deletedAfter, at }: { readonly deletedAfter: EpochMs; readonly at: EpochMs },
): 'restored' | 'taken' | 'expired' | 'active' | 'unknown' | { readonly limit: number } {
  const user = findUser(db, teamId, userId)
  if (!user) return isPurged(db, teamId, userId) ? 'expired' : 'unknown'
  if (user.deletedAt === null) return 'active'
  // before `taken`: the answer must not change once the purge has run
  if (user.deletedAt <= deletedAfter) return 'expired'
  if (findByClientId(db, teamId, user.clientUserId)) return 'taken'
  const limit = limitReached(db, teamId)
  if (limit !== null) return { limit }
  USERS.update(db, rowOf({ ...user, deletedAt: null }))
  dropJob(db, userId, 'purge')
  claim(db, user)
  reviveDeliveries(db, userId)
  schedulePause(db, userId, user.ingestionEnd)
  touchUser(db, userId, queriesOf(db, teamId), at)
  return 'restored'
}

/** What the deletion had kept from being sent waits again, if its endpoint exists and is enabled. */
function reviveDeliveries(db: Connection, userId: UserId): void {
  const isEnabled = `EXISTS (SELECT 1 FROM endpoint WHERE endpoint.team_id=delivery.team_id
    AND endpoint.endpoint_id=delivery.endpoint_id AND disabled_at IS NULL)`
  db.run(`UPDATE delivery SET state='waiting' WHERE user_id=? AND state='cancelled' AND ${isEnabled}`, userId)
}

function claim(db: Connection, user: UserRecord): void {
  db.run(
    'INSERT INTO directory (team_id, client_user_id, user_id) VALUES (?,?,?)',
    user.teamId,
    user.clientUserId,
    user.userId,
  )
  db.run('UPDATE team SET user_count=user_count+1 WHERE team_id=?', user.teamId)
}
