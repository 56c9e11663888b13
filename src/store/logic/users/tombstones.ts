/** Stores tombstones of purged users, so that an attempt to undo the deletion can still say why it is refused. */
import { hashSecret, type TeamId, type UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import { command, exists, one, query, run, type Steps } from '../steps.ts'

const ADD_TOMBSTONE = command('INSERT INTO tombstone (team_id, user_id, client_user_hash, deleted_at) VALUES (?,?,?,?)')
const HAS_TOMBSTONE = query('SELECT 1 FROM tombstone WHERE team_id=? AND user_id=?')
const HAS_TOMBSTONES = query('SELECT 1 FROM tombstone WHERE team_id=? LIMIT 1')
const LAST_TOMBSTONE = query<{ readonly user_id: string; readonly deleted_at: number }>(
  `SELECT user_id, deleted_at FROM tombstone WHERE team_id=? AND client_user_hash=?
   ORDER BY deleted_at DESC, user_id LIMIT 1`,
)

/** Returns the stored hash of a purged user's client_user_id. */
function clientUserHash(teamId: TeamId, clientUserId: string): string {
  return hashSecret(`${teamId}\u0000${clientUserId}`)
}

/** Writes a tombstone. `user` is the row that is about to be removed. */
export function* bury(user: {
  readonly teamId: TeamId
  readonly userId: UserId
  readonly clientUserId: string
  readonly deletedAt: EpochMs
}): Steps<void> {
  yield* run(ADD_TOMBSTONE, [user.teamId, user.userId, clientUserHash(user.teamId, user.clientUserId), user.deletedAt])
}

export function* isPurged(teamId: TeamId, userId: UserId): Steps<boolean> {
  return yield* exists(HAS_TOMBSTONE, [teamId, userId])
}

/** Returns the purged user who was last deleted under this client_user_id. */
export function* lastBuried(
  teamId: TeamId,
  clientUserId: string,
): Steps<{ readonly user_id: string; readonly deleted_at: number } | undefined> {
  // do not hash anything for a team without tombstones, because loading Node's crypto module takes longer than the calling command
  if (!(yield* exists(HAS_TOMBSTONES, [teamId]))) return undefined
  return yield* one(LAST_TOMBSTONE, [teamId, clientUserHash(teamId, clientUserId)])
}
