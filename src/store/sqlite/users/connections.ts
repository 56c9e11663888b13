/** A user's connections to providers as rows, and every change of their status. See docs/interface/connections.md#connections-2. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { ConnectionError, ConnectionRecord, ConnectionScopes, NewConnection } from '../../data-write.ts'
import { storedJson } from '../checksums/damage.ts'
import { CONNECTIONS, type ConnectionRow, USERS } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { failPulls } from './pulls.ts'
import { requireActive, schedulePause } from './users.ts'

function fromRow(userId: UserId, row: ConnectionRow): ConnectionRecord {
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
    scopes: row.scopes === null ? null : storedJson<ConnectionScopes>(row.scopes, () => CONNECTIONS.placeOf(row)),
    isDemo: row.is_demo === 1,
  }
}

export function connectionsOf(db: Connection, userIds: readonly UserId[]): Map<UserId, ConnectionRecord[]> {
  return new Map(
    userIds.map(userId => [
      userId,
      CONNECTIONS.all(db, 'WHERE user_id=? ORDER BY created_on, provider', userId).map(row => fromRow(userId, row)),
    ]),
  )
}

export function accountIsTaken(
  db: Connection,
  teamId: TeamId,
  userId: UserId,
  provider: string,
  externalUserId: string,
): boolean {
  const tail = 'WHERE provider=? AND external_user_id=?'
  return CONNECTIONS.all(db, tail, provider, externalUserId).some(
    row => row.user_id !== userId && USERS.get(db, 'WHERE user_id=?', row.user_id)?.team_id === teamId,
  )
}

/** The columns of a connection that works. */
const UNTROUBLED = { status: 'connected', error_type: null, error_message: null, errored_at: null } as const

/** Creates the connection, or brings it back if a link says so. Returns whether it is new. */
export function connect(db: Connection, wanted: NewConnection, outbox: OutboxWriter): boolean {
  const { userId, provider, link } = wanted
  const present = CONNECTIONS.get(db, 'WHERE user_id=? AND provider=?', userId, provider)
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
  CONNECTIONS.put(db, isBack ? { ...known, ...UNTROUBLED, scopes, is_demo: isDemo } : known)
  if (present !== undefined && link === undefined) return false
  pauseAgain(db, userId)
  if (present?.status === 'connected') return false
  // as it is now: when the event is sent, the connection may have changed or be gone
  const { externalUserId = null } = wanted
  outbox.document('provider.connection.created', {
    provider,
    external_user_id: externalUserId,
    scopes: link?.scopes ?? null,
  })
  return present === undefined
}

/** Records why the connection failed, with its event, even if it has failed before. Returns false if there is none. */
export function failConnection(
  db: Connection,
  teamId: TeamId,
  userId: UserId,
  provider: string,
  error: ConnectionError,
): boolean {
  requireActive(db, userId)
  const known = CONNECTIONS.get(db, 'WHERE user_id=? AND provider=?', userId, provider)
  if (!known) return false
  const { type, message, at } = error
  CONNECTIONS.update(db, {
    ...known,
    status: 'error',
    error_type: type,
    error_message: message,
    errored_at: at,
  })
  failPulls(db, userId, provider, error.at)
  const outbox = new OutboxWriter(db, userId, teamId, error.at)
  outbox.document('provider.connection.error', {
    provider,
    error_type: error.type,
    message: error.message,
    error_details: error.message,
  })
  outbox.finish()
  return true
}

/** Removes the connection and the records of its pulls; its data stays. Returns whether there was one. */
export function disconnect(db: Connection, userId: UserId, provider: string): boolean {
  requireActive(db, userId)
  db.run('DELETE FROM pull WHERE user_id=? AND provider=?', userId, provider)
  return db.run('DELETE FROM connection WHERE user_id=? AND provider=?', userId, provider) > 0
}

/** Pauses every connection of the user. */
export function pauseAll(db: Connection, userId: UserId): void {
  for (const row of CONNECTIONS.all(db, 'WHERE user_id=?', userId)) {
    CONNECTIONS.update(db, { ...row, ...UNTROUBLED, status: 'paused' })
  }
}

/**
 * Schedules the pause again, so that a connection made by a link, an import or a push after the end of ingestion is paused like those
 * before it.
 */
function pauseAgain(db: Connection, userId: UserId): void {
  const end = USERS.get(db, 'WHERE user_id=?', userId)?.ingestion_end ?? null
  if (end !== null) schedulePause(db, userId, end)
}
