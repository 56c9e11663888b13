/** Tombstones: all that is left of a user that was purged, so that undoing the deletion still tells why it is refused. */
import { hashSecret, type TeamId, type UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { Connection } from '../connection.ts'

/** Returns the hash that is stored of a purged user's client_user_id. */
export function clientUserHash(teamId: TeamId, clientUserId: string): string {
  return hashSecret(`${teamId}\u0000${clientUserId}`)
}

/** Writes a tombstone. `user` is the row that is about to be removed. */
export function bury(
  db: Connection,
  user: {
    readonly teamId: TeamId
    readonly userId: UserId
    readonly clientUserId: string
    readonly deletedAt: EpochMs
  },
): void {
  db.run(
    'INSERT INTO tombstone (team_id, user_id, client_user_hash, deleted_at) VALUES (?,?,?,?)',
    user.teamId,
    user.userId,
    clientUserHash(user.teamId, user.clientUserId),
    user.deletedAt,
  )
}

export function hasTombstones(db: Connection, teamId: TeamId): boolean {
  return db.get('SELECT 1 FROM tombstone WHERE team_id=? LIMIT 1', teamId) !== undefined
}

export function isPurged(db: Connection, teamId: TeamId, userId: UserId): boolean {
  return db.get('SELECT 1 FROM tombstone WHERE team_id=? AND user_id=?', teamId, userId) !== undefined
}
