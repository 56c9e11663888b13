/** Stores users and their connections as rows. */
import { ServiceError } from '../../../core/errors.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import { DAY_MS, type EpochMs, type IsoDate, parseDate } from '../../../core/time.ts'
import type { CreateOutcome, Fallback, UserRecord } from '../../user.ts'
import { listTeamQueries, touchUser } from '../continuous/queries.ts'
import { cancelDeliveries } from '../deliveries/backlog.ts'
import { dropJob, scheduleJob } from '../jobs.ts'
import { unlinkAll } from '../live/links.ts'
import { damaged, storedJson } from '../rows/damage.ts'
import { asRow } from '../rows/record-names.ts'
import { COUNTERS, USERS, type UserRow } from '../rows/tables.ts'
import { addCount, command, exists, expect, facts, many, one, query, run, type Steps } from '../steps.ts'
import { countFromNow } from '../teams/stored-bytes.ts'
import { dropAccounts } from './accounts.ts'
import { findOwners } from './owners.ts'
import { isPurged, lastBuried } from './tombstones.ts'

/** Finds a user in any team by user_id. */
export const FIND_USER = USERS.query('WHERE user_id=?')
/** Finds an active user by team and user_id. Reads only the index. */
export const IS_ACTIVE = query(
  dialect => `SELECT 1 FROM user ${dialect.index('user_by_id')} WHERE team_id=? AND user_id=? AND deleted_at IS NULL`,
)
export const TAKE_NAME = command('INSERT INTO directory (team_id, client_user_id, user_id) VALUES (?,?,?)')
export const FREE_NAME = command('DELETE FROM directory WHERE team_id=? AND client_user_id=? AND user_id=?')
/** Reads the number of a team's active users. */
export const USER_COUNT = query<{ readonly user_count: number }>('SELECT user_count FROM team WHERE team_id=?')

const REACHED_LIMIT = query<{ readonly user_limit: number }>(
  'SELECT user_limit FROM team WHERE team_id=? AND user_count>=user_limit',
)
const FIND_NAME = query<{ readonly user_id: string }>(
  'SELECT user_id FROM directory WHERE team_id=? AND client_user_id=?',
)
const IS_NAMED = query(
  dialect =>
    `SELECT 1 FROM user ${dialect.index('user_by_name')} WHERE team_id=? AND client_user_id=? AND deleted_at IS NULL`,
)
const PAGE_OF_USERS = USERS.query(
  'WHERE team_id=? AND deleted_at IS NULL ORDER BY created_on DESC, user_id LIMIT ? OFFSET ?',
)
const USERS_NAMED_LIKE = USERS.query(
  dialect => `${dialect.index('user_by_name')} WHERE team_id=? AND deleted_at IS NULL
    AND ${dialect.position('lower(client_user_id)', 'lower(?)')}>0`,
)
const LAST_DELETED = USERS.query(
  'WHERE team_id=? AND client_user_id=? AND deleted_at IS NOT NULL ORDER BY deleted_at DESC, user_id LIMIT 1',
)
const DROP_CONNECTIONS = command('DELETE FROM connection WHERE user_id=?')
const DROP_PULLS = command('DELETE FROM pull WHERE user_id=?')
const DROP_LINK_TOKENS = command('DELETE FROM link_token WHERE user_id=?')
const COUNT_USER = command('UPDATE team SET user_count=user_count+1 WHERE team_id=?')
const UNCOUNT_USER = command('UPDATE team SET user_count=user_count-1 WHERE team_id=?')
const REVIVE_DELIVERIES = command(
  `UPDATE delivery SET state='waiting' WHERE user_id=? AND state='cancelled' AND EXISTS (SELECT 1 FROM endpoint
    WHERE endpoint.team_id=delivery.team_id AND endpoint.endpoint_id=delivery.endpoint_id AND disabled_at IS NULL)`,
)

function fromRow(row: UserRow): UserRecord {
  const fallback = (text: string | null): Fallback | null =>
    text === null ? null : storedJson<Fallback>(text, () => USERS.damageLocation(row))
  // named one by one, because objects built in a loop make a page of users 10 % slower
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

/** Returns a user's row. */
export function toUserRow(user: UserRecord): UserRow {
  const { fallbackTimeZone: zone, fallbackBirthDate: birth } = user
  return asRow({
    ...user,
    fallbackTimeZone: zone && JSON.stringify(zone),
    fallbackBirthDate: birth && JSON.stringify(birth),
  })
}

/** Creates a user. No lock is needed. */
export function* insertUser(user: UserRecord): Steps<CreateOutcome> {
  const by = yield* findByClientId(user.teamId, user.clientUserId)
  if (by) return { kind: 'taken', by }
  const limit = yield* limitReached(user.teamId)
  if (limit !== null) return { kind: 'full', limit }
  yield* USERS.insert(toUserRow(user))
  yield* countFromNow(user.userId)
  yield* COUNTERS.update({ user_id: user.userId, event_sequence: 0, event_floor: 0 })
  yield* claim(user)
  yield* schedulePause(user.userId, user.ingestionEnd)
  yield* addCount({ teamId: user.teamId, name: 'users', subject: '', n: 1 })
  return { kind: 'created' }
}

/** Returns the maximum number of active users if the team has reached it, or null if the team can add another user. */
function* limitReached(teamId: TeamId): Steps<number | null> {
  return (yield* one(REACHED_LIMIT, [teamId]))?.user_limit ?? null
}

/** Returns a user of this team, deleted or not, or null. */
export function* findUser(teamId: TeamId, userId: UserId): Steps<UserRecord | null> {
  const user = yield* userById(userId)
  return user?.teamId === teamId ? user : null
}

/** Returns a user in any team, deleted or not, or null. Used by jobs. */
export function* userById(userId: UserId): Steps<UserRecord | null> {
  const row = yield* one(FIND_USER, [userId])
  return row ? fromRow(row) : null
}

/**
 * Returns the active user with this client_user_id, or null. Throws ServiceError `data_damaged`, for example if the directory and the users
 * disagree.
 */
export function* findByClientId(teamId: TeamId, clientUserId: string): Steps<UserRecord | null> {
  const named = yield* one(FIND_NAME, [teamId, clientUserId])
  if (named === undefined) {
    // on several machines, this query would need all of them; a check finds such damage in every store
    const { isRemote } = yield* facts()
    if (isRemote || !(yield* exists(IS_NAMED, [teamId, clientUserId]))) return null
    throw damaged({ what: 'a name in the directory', userId: null })
  }
  const user = yield* userById(named.user_id as UserId)
  if (user?.teamId === teamId && user.clientUserId === clientUserId) return user
  throw damaged({ what: 'a name in the directory', userId: null })
}

/** Returns active users, newest first. `total` is a counter stored with the team. */
export function* pageOfUsers(
  teamId: TeamId,
  offset: number,
  limit: number,
): Steps<{ readonly users: readonly UserRecord[]; readonly total: number }> {
  yield* expect(() => [
    { statement: PAGE_OF_USERS, values: [teamId, limit, offset] },
    { statement: USER_COUNT, values: [teamId] },
  ])
  const rows = yield* many(PAGE_OF_USERS, [teamId, limit, offset])
  const total = (yield* one(USER_COUNT, [teamId]))?.user_count ?? 0
  return { users: rows.map(fromRow), total }
}

/**
 * Returns active users whose client_user_id contains the text, ignoring case, or whose user_id is the text, newest first. Names are read
 * from the index, which contains nothing else about a user.
 */
export function* searchUsers(teamId: TeamId, text: string, limit: number): Steps<UserRecord[]> {
  const found = (yield* many(USERS_NAMED_LIKE, [teamId, text])).map(fromRow)
  const named = yield* findUser(teamId, text.toLowerCase() as UserId)
  const isMore = named?.deletedAt === null && !found.some(each => each.userId === named.userId)
  return [...found, ...(isMore ? [named] : [])]
    .sort((a, b) => b.createdOn - a.createdOn || (a.userId < b.userId ? -1 : 1))
    .slice(0, limit)
}

/**
 * Number of days after the last day of ingestion for which late data is accepted. After that, the connections are paused. See
 * docs/interface/users.md#users-16.
 */
const LATE_DAYS = 7

/** Schedules the pause after the end of ingestion. If there is no end, there is no pause. */
export function* schedulePause(userId: UserId, ingestionEnd: IsoDate | null): Steps<void> {
  if (ingestionEnd === null) yield* dropJob(userId, 'pause')
  else {
    const dueAt = (parseDate(ingestionEnd) as EpochMs) + (LATE_DAYS + 1) * DAY_MS
    yield* scheduleJob(userId, { kind: 'pause', dueAt })
  }
}

/** Returns whether the user exists and is not deleted. Reads only the index, so that a damaged row cannot hide the user's data. */
export function* isActive(teamId: string, userId: string): Steps<boolean> {
  return yield* exists(IS_ACTIVE, [teamId, userId])
}

/** Returns the row. Throws ServiceError `user_not_found` if the user was deleted in the meantime, because nothing may follow a deletion. */
export function* requireActive(userId: UserId): Steps<UserRow> {
  const user = yield* one(FIND_USER, [userId])
  if (!user || user.deleted_at !== null) throw new ServiceError('user_not_found', 'User not found')
  return user
}

/**
 * Marks the user as deleted, frees the client_user_id, removes all connections, pull records and link tokens, cancels waiting deliveries,
 * and schedules the purge for `purgeAt`. Returns false if the team has no such user or the user is already deleted.
 */
export function* markDeleted(teamId: TeamId, userId: UserId, at: EpochMs, purgeAt: EpochMs): Steps<boolean> {
  const user = yield* one(FIND_USER, [userId])
  if (user?.team_id !== teamId || user.deleted_at !== null) return false
  yield* USERS.update({ ...user, deleted_at: at })
  yield* run(FREE_NAME, [teamId, user.client_user_id, userId])
  yield* run(DROP_CONNECTIONS, [userId])
  yield* unlinkAll(userId)
  yield* dropAccounts(teamId, userId)
  yield* run(DROP_PULLS, [userId])
  yield* run(DROP_LINK_TOKENS, [userId])
  yield* run(UNCOUNT_USER, [teamId])
  yield* cancelDeliveries(userId)
  yield* scheduleJob(userId, { kind: 'purge', dueAt: purgeAt })
  return true
}

/** Returns the user who was last deleted under this client_user_id, or null. Only a tombstone remains of a purged user. */
export function* lastDeleted(teamId: TeamId, clientUserId: string): Steps<UserId | null> {
  const user = yield* one(LAST_DELETED, [teamId, clientUserId])
  const buried = yield* lastBuried(teamId, clientUserId)
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

/** Returns the team's active users whose IDs begin with an `ownedId`'s six bytes. There is nearly always only one. */
export function* usersOfOwnedId(teamId: TeamId, ownedId: string): Steps<UserRecord[]> {
  const users: UserRecord[] = []
  for (const userId of yield* findOwners(teamId, ownedId)) {
    const user = yield* findUser(teamId, userId)
    if (user?.deletedAt === null) users.push(user)
  }
  return users
}

/**
 * Undoes a deletion. Returns `expired` if the user was deleted at or before `deletedAfter`, or was purged, whatever the clock says. Returns
 * `taken` if another user now has the client_user_id, `active` if the user is not deleted, `unknown` if there never was such a user, and
 * the limit if the team has reached its user limit. When a user is restored at `at`, all of the team's continuous queries become due for
 * that user.
 */
export function* restoreUser(
  teamId: TeamId,
  userId: UserId,
  deletedAfter: EpochMs,
  at: EpochMs,
): Steps<'restored' | 'taken' | 'expired' | 'active' | 'unknown' | { readonly limit: number }> {
  const user = yield* findUser(teamId, userId)
  if (!user) return (yield* isPurged(teamId, userId)) ? 'expired' : 'unknown'
  if (user.deletedAt === null) return 'active'
  // check before `taken`, because the response must not change after the purge has run
  if (user.deletedAt <= deletedAfter) return 'expired'
  if (yield* findByClientId(teamId, user.clientUserId)) return 'taken'
  const limit = yield* limitReached(teamId)
  if (limit !== null) return { limit }
  yield* USERS.update(toUserRow({ ...user, deletedAt: null }))
  yield* dropJob(userId, 'purge')
  yield* claim(user)
  // deliveries that were cancelled by the deletion wait again if their endpoint exists and is enabled
  yield* run(REVIVE_DELIVERIES, [userId])
  yield* schedulePause(userId, user.ingestionEnd)
  yield* touchUser(userId, yield* listTeamQueries(teamId), at)
  return 'restored'
}

function* claim(user: UserRecord): Steps<void> {
  yield* run(TAKE_NAME, [user.teamId, user.clientUserId, user.userId])
  yield* run(COUNT_USER, [user.teamId])
}
