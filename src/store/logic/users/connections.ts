/** Stores a user's connections to providers as rows, with every change of their status. See docs/interface/connections.md#connections-2. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { ConnectionError, ConnectionRecord, ConnectionScopes, NewConnection } from '../../data-write.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { stopPulls, unlinkLive } from '../live/links.ts'
import { storedJson } from '../rows/damage.ts'
import { CONNECTIONS, type ConnectionRow } from '../rows/tables.ts'
import { addCount, command, many, manyOfUsers, one, run, type Steps } from '../steps.ts'
import { putAccount, usersOfAccount } from './accounts.ts'
import { failPulls } from './pulls.ts'
import { FIND_USER, requireActive, schedulePause } from './users.ts'

/** Finds a user's connection to a provider. */
export const FIND_CONNECTION = CONNECTIONS.query('WHERE user_id=? AND provider=?')
const CONNECTIONS_OF_USER = CONNECTIONS.query('WHERE user_id=?')
/** A connection, and the provider of its live connection, if it has one. */
type WithLive = ConnectionRow & { readonly live: string | null }
const LIVE = ', live_connection.provider AS live'
const WITH_LIVE = `LEFT JOIN live_connection ON live_connection.user_id=connection.user_id
  AND live_connection.provider=connection.provider WHERE connection.user_id`
const BY_TIME = 'ORDER BY connection.created_on, connection.provider'
const CONNECTIONS_BY_TIME = CONNECTIONS.query<WithLive>(`${WITH_LIVE}=? ${BY_TIME}`, LIVE)
const CONNECTIONS_OF_USERS = CONNECTIONS.query<WithLive>(
  dialect => `${WITH_LIVE} IN (${dialect.listed}) ${BY_TIME}`,
  LIVE,
)
const DROP_PULLS = command('DELETE FROM pull WHERE user_id=? AND provider=?')
const DROP_CONNECTION = command('DELETE FROM connection WHERE user_id=? AND provider=?')

function fromRow(userId: UserId, row: ConnectionRow, isLive: boolean): ConnectionRecord {
  return {
    userId,
    provider: row.provider,
    createdOn: row.created_on,
    status: row.status as ConnectionRecord['status'],
    externalUserId: row.external_user_id,
    region: row.region,
    error:
      row.error_type === null
        ? null
        : { type: row.error_type, message: row.error_message ?? '', at: row.errored_at ?? row.created_on },
    scopes:
      row.scopes === null ? null : storedJson<ConnectionScopes>(row.scopes, () => CONNECTIONS.damageLocation(row)),
    isDemo: row.is_demo === 1,
    isLive,
  }
}

/** Returns each user's connections, oldest first. */
export function* listConnections(userIds: readonly UserId[]): Steps<ReadonlyMap<UserId, readonly ConnectionRecord[]>> {
  const rows = yield* manyOfUsers(CONNECTIONS_BY_TIME, CONNECTIONS_OF_USERS, userIds)
  const connections = new Map<UserId, ConnectionRecord[]>(userIds.map(userId => [userId, []]))
  for (const row of rows) {
    const userId = row.user_id as UserId
    connections.get(userId)?.push(fromRow(userId, row, row.live !== null))
  }
  return connections
}

/** Returns whether another user of the team has a connection to the same provider account. */
export function* accountIsTaken(
  teamId: TeamId,
  userId: UserId,
  provider: string,
  externalUserId: string,
): Steps<boolean> {
  for (const other of yield* usersOfAccount(teamId, provider, externalUserId)) {
    if (other === userId) continue
    const row = yield* one(FIND_CONNECTION, [other, provider])
    if (row?.external_user_id !== externalUserId) continue
    if ((yield* one(FIND_USER, [other]))?.team_id === teamId) return true
  }
  return false
}

/** Column values of a working connection. */
const UNTROUBLED = { status: 'connected', error_type: null, error_message: null, errored_at: null } as const

/** Creates the connection, or restores it after a link. Returns whether the connection is new. */
export function* connect(wanted: NewConnection, outbox: OutboxWriter): Steps<boolean> {
  const { userId, provider, link } = wanted
  const present = yield* one(FIND_CONNECTION, [userId, provider])
  const scopes = link?.scopes ? JSON.stringify(link.scopes) : null
  const isDemo = link?.isDemo ? 1 : 0
  const known: ConnectionRow = present
    ? {
        ...present,
        external_user_id: wanted.externalUserId ?? present.external_user_id,
        region: wanted.region ?? present.region,
      }
    : {
        ...UNTROUBLED,
        user_id: userId,
        provider,
        created_on: wanted.createdOn,
        external_user_id: wanted.externalUserId,
        region: wanted.region,
        scopes,
        is_demo: isDemo,
      }
  const isBack = present !== undefined && link !== undefined
  yield* CONNECTIONS.put(isBack ? { ...known, ...UNTROUBLED, scopes, is_demo: isDemo } : known)
  if (!present) yield* addCount({ teamId: outbox.teamId, name: 'connections', subject: provider, n: 1 })
  const { external_user_id: account } = known
  if (account !== (present?.external_user_id ?? null)) {
    yield* putAccount(outbox.teamId, userId, { provider, externalUserId: account })
  }
  if (present !== undefined && link === undefined) return false
  yield* pauseAgain(userId)
  if (present?.status === 'connected') return false
  // store its current state, because the connection may have changed or no longer exist when the event is sent
  const { externalUserId = null } = wanted
  yield* outbox.document('provider.connection.created', {
    provider,
    external_user_id: externalUserId,
    scopes: link?.scopes ?? null,
    ...(link?.availability ? { resource_availability: link.availability } : {}),
  })
  return present === undefined
}

/**
 * Sets a connection to `error` and writes the event, even if the connection has failed before. Returns false if there is no such
 * connection. Throws ServiceError `user_not_found`.
 */
export function* failConnection(
  teamId: TeamId,
  userId: UserId,
  provider: string,
  error: ConnectionError,
): Steps<boolean> {
  yield* requireActive(userId)
  const known = yield* one(FIND_CONNECTION, [userId, provider])
  if (!known) return false
  const { type, message, at } = error
  yield* CONNECTIONS.update({
    ...known,
    status: 'error',
    error_type: type,
    error_message: message,
    errored_at: at,
  })
  yield* failPulls(userId, provider, error.at)
  yield* stopPulls(userId, provider)
  const outbox = yield* OutboxWriter.open(userId, teamId, error.at)
  yield* outbox.document('provider.connection.error', {
    provider,
    error_type: error.type,
    message: error.message,
    error_details: error.message,
  })
  yield* outbox.finish()
  return true
}

/**
 * Removes the connection and its pull records. Its data is kept, and its token set is queued for revocation. Returns false if there is no
 * such connection. Throws ServiceError `user_not_found`.
 */
export function* disconnect(userId: UserId, provider: string): Steps<boolean> {
  const { team_id: teamId } = yield* requireActive(userId)
  yield* run(DROP_PULLS, [userId, provider])
  yield* unlinkLive(userId, provider)
  yield* putAccount(teamId, userId, { provider, externalUserId: null })
  return (yield* run(DROP_CONNECTION, [userId, provider])) > 0
}

/** Pauses all of the user's connections. */
export function* pauseAll(userId: UserId): Steps<void> {
  for (const row of yield* many(CONNECTIONS_OF_USER, [userId])) {
    yield* CONNECTIONS.update({ ...row, ...UNTROUBLED, status: 'paused' })
  }
  yield* stopPulls(userId, null)
}

/** Schedules the pause again, so that a connection created by a link, an import or a push after the end of ingestion is paused as well. */
function* pauseAgain(userId: UserId): Steps<void> {
  const end = (yield* one(FIND_USER, [userId]))?.ingestion_end ?? null
  if (end !== null) yield* schedulePause(userId, end)
}
