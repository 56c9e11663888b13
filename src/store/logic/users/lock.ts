/**
 * Locks a user at the beginning of a write, so that two writes about the same user run one after the other in every database. Data that a
 * transaction reads before it has the lock may change until then.
 */
import { lock, query, type Steps } from '../steps.ts'

// a store that waits for locks learns from the count whether to count this transaction's changes, because no one else can change it then
const LOCK_USER = query(dialect => `SELECT stored_bytes FROM user WHERE user_id=? ${dialect.lockingRows}`)

/** Locks a user's row until the transaction ends. */
export function* lockUser(userId: string): Steps<void> {
  yield* lock(LOCK_USER, [userId])
}

const LOCK_TEAM = query(dialect => `SELECT team_id FROM team WHERE team_id=? ${dialect.lockingRows}`)

/** Locks a team's row, to enforce a rule about several of its users during concurrent writes about different users. */
export function* lockTeam(teamId: string): Steps<void> {
  yield* lock(LOCK_TEAM, [teamId])
}

/** Locks several users. Every transaction locks them in the same order, to avoid deadlocks. */
export function* lockUsers(userIds: Iterable<string>): Steps<void> {
  for (const userId of [...new Set(userIds)].sort()) yield* lockUser(userId)
}

/** Runs a generator that writes a user's rows, after locking the user. */
export function* lockingUser<T>(userId: string, transaction: () => Steps<T>): Steps<T> {
  yield* lockUser(userId)
  return yield* transaction()
}
