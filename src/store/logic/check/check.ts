/** Checks a store's consistency piece by piece, so that no piece holds a snapshot for long and memory use stays constant. */
import type { UserId } from '../../../core/ids.ts'
import type { CheckProgress, StoreProblem } from '../../upkeep.ts'
import type { Database } from '../database.ts'
import { isDamageError } from '../rows/damage.ts'
import { exists, query } from '../steps.ts'
import { checkChecksums, type StoredRows } from './checksums.ts'
import { checkChunks } from './chunks.ts'
import { checkContinuousQueries } from './continuous.ts'
import { checkDocuments } from './documents.ts'
import { checkExchanges } from './exchanges.ts'
import { checkLive } from './live.ts'
import { checkNames } from './names.ts'
import { checkOrders } from './orders.ts'
import { checkUsers } from './users.ts'

/** The database-specific parts of the check. */
export interface OwnCheck {
  /** Yields the database's own problems, such as damaged pages and indexes. */
  readonly database: AsyncIterable<StoreProblem>
  readonly rows: StoredRows
}

const USER = query('SELECT 1 FROM user WHERE user_id=?')

/** Yields problems one at a time, without including any value. Throws only errors that are not damage: a lock or a bug. */
export async function* checkStore(
  db: Database,
  own: OwnCheck,
  onProgress: (progress: CheckProgress) => void = () => {},
): AsyncIterable<StoreProblem> {
  yield* own.database
  // a damaged user_id does not belong to any user, so these problems are not filtered by user
  yield* checkChecksums(db, own.rows)
  const parts = [
    checkNames(db),
    checkUsers(db),
    checkChunks(db, onProgress),
    checkDocuments(db),
    checkContinuousQueries(db),
    checkOrders(db),
    checkLive(db),
    checkExchanges(db),
  ]
  for (const part of parts) yield* readable(db, part)
}

/**
 * Runs one part of the check. A damaged page ends that part, and the others continue. Problems of a user who is purged in the meantime are
 * dropped, because rows that outlive their user are found by the user check.
 */
async function* readable(db: Database, part: AsyncIterable<StoreProblem>): AsyncIterable<StoreProblem> {
  try {
    for await (const problem of part) {
      if (problem.what === 'user' || (await userIsThere(db, problem.userId))) yield problem
    }
  } catch (error) {
    if (!isDamageError(error)) throw error
    yield { what: 'database', userId: null, message: 'a page is damaged: the data behind it could not be checked' }
  }
}

async function userIsThere(db: Database, userId: UserId | null): Promise<boolean> {
  return userId === null || db.read(() => exists(USER, [userId]))
}
