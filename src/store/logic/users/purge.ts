/** Completes a deletion by removing all rows of a user. The database driver removes the remaining bytes. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import { ownedTables } from '../../tables/catalogue.ts'
import type { Table } from '../../tables/table.ts'
import type { Database } from '../database.ts'
import { freePositions } from '../events/positions.ts'
import { dropJob, dropJobs, jobIsDue, requestStoreJob } from '../jobs.ts'
import { type Command, command, exists, one, query, run, type Steps } from '../steps.ts'
import { dropAccounts } from './accounts.ts'
import { lockingUser } from './lock.ts'
import { bury } from './tombstones.ts'
import { FIND_USER, FREE_NAME } from './users.ts'

/** Target duration of each of a purge's transactions. Others can write in between. */
const SLICE_MS = 10
const FIRST_ROWS = 32
const MOST_ROWS = 2_000

const REMOVE_USER = command('DELETE FROM user WHERE user_id=?')
const USER_EXISTS = query('SELECT 1 FROM user WHERE user_id=?')
/**
 * Statements for each table, in order, except tables that the first transaction clears by their own keys. The values are the user, the user
 * again, and the number of rows.
 */
const REMOVALS = ownedTables().map(removalFrom)

function removalFrom(table: Table): Command {
  return command(dialect => {
    const row = dialect.rowKey(table)
    return `DELETE FROM "${table.name}" WHERE user_id=? AND (${row}) IN (SELECT ${row} FROM "${table.name}" WHERE user_id=? LIMIT ?)`
  })
}

/**
 * Removes everything about a user whose purge is due. Leaves a tombstone, so that `restoreUser` can say why it refuses. Returns false if
 * the purge is not due, because the user was restored or another process has completed the purge. The purge uses short transactions, so
 * that others can write. After the first transaction, the user can no longer be restored. The last transaction removes the job, so that a
 * purge stays due if it is interrupted by the signal or the end of the process.
 */
export async function purgeUser(db: Database, userId: UserId, now: EpochMs, signal?: AbortSignal): Promise<boolean> {
  if (!(await db.write(() => lockingUser(userId, () => beginPurge(userId, now))))) return false
  for (const removal of REMOVALS) {
    // the row sizes in one table do not predict those in another
    let rows = FIRST_ROWS
    for (;;) {
      signal?.throwIfAborted()
      const began = performance.now()
      const some = rows
      const removed = await db.write(() => lockingUser(userId, () => removeSome(removal, userId, some)))
      if (removed === null) return false
      if (removed < rows) break
      const fitting = (rows * SLICE_MS) / Math.max(1, performance.now() - began)
      rows = Math.round(Math.min(MOST_ROWS, rows * 2, Math.max(1, fitting)))
    }
  }
  return db.write(() => lockingUser(userId, () => endPurge(userId)))
}

/** Returns the number of removed rows, or null if the user exists again. */
function* removeSome(removal: Command, userId: UserId, rows: number): Steps<number | null> {
  return (yield* isBack(userId)) ? null : yield* run(removal, [userId, userId, rows])
}

function* endPurge(userId: UserId): Steps<boolean> {
  if ((yield* isBack(userId)) || !(yield* dropJobs(userId))) return false
  yield* requestStoreJob('scrub')
  return true
}

/** Returns whether the user exists again, because a snapshot that contains the user may be restored between two transactions. */
function* isBack(userId: UserId): Steps<boolean> {
  return yield* exists(USER_EXISTS, [userId])
}

function* beginPurge(userId: UserId, now: EpochMs): Steps<boolean> {
  if (!(yield* jobIsDue(userId, { kind: 'purge', now }))) return false
  const user = yield* one(FIND_USER, [userId])
  // an earlier purge was interrupted
  if (!user) return true
  if (user.deleted_at === null) {
    yield* dropJob(userId, 'purge')
    return false
  }
  const teamId = user.team_id as TeamId
  yield* bury({ teamId, userId, clientUserId: user.client_user_id, deletedAt: user.deleted_at })
  yield* run(REMOVE_USER, [userId])
  yield* run(FREE_NAME, [teamId, user.client_user_id, userId])
  yield* dropAccounts(teamId, userId)
  yield* freePositions(teamId, userId, 0, Number.MAX_SAFE_INTEGER)
  return true
}
