/** Checks a database file with SQLite's own check and by reading its rows. */
import { checkStore } from '../../logic/check/check.ts'
import { isDamageError } from '../../logic/rows/damage.ts'
import type { CheckProgress, StoreProblem } from '../../upkeep.ts'
import type { SqliteDatabase } from '../database.ts'
import { LOCK_WAIT_MS, pauseBetweenTries } from '../lock-wait.ts'
import { busyError } from '../service-error.ts'
import { openSideThread, type SideThread } from '../side-thread.ts'
import { OwnRows } from './own-rows.ts'

/** Number of problems after which SQLite stops checking. */
const MOST_DATABASE_PROBLEMS = 100

/** Yields problems one at a time, without including any value. Throws only errors that are not damage: a lock or a bug. */
export function checkDatabase(
  db: SqliteDatabase,
  onProgress?: (progress: CheckProgress) => void,
): AsyncIterable<StoreProblem> {
  return checkStore(db, { database: checkFile(db.path), rows: new OwnRows(db) }, onProgress)
}

/**
 * Reports the problems that SQLite itself finds in pages, indexes, constraints and references. Runs in its own thread, because it reads the
 * whole file.
 */
async function* checkFile(path: string): AsyncIterable<StoreProblem> {
  const side = await openSideThread(path)
  try {
    const found = await read<{ integrity_check: string }>(side, `PRAGMA integrity_check(${MOST_DATABASE_PROBLEMS})`)
    for (const { integrity_check: message } of found) {
      if (message !== 'ok') yield { what: 'database', userId: null, message }
    }
    const orphans = await read<{ table: string; parent: string }>(side, 'PRAGMA foreign_key_check')
    for (const { table, parent } of orphans) {
      yield { what: 'database', userId: null, message: `a row of ${table} refers to a ${parent} that does not exist` }
    }
  } catch (error) {
    if (!isDamageError(error)) throw error
    yield { what: 'database', userId: null, message: 'the file cannot be read completely' }
  } finally {
    await side.close()
  }
}

/**
 * Runs a statement. Readers may be locked out for a moment, for example by a process that recovers the WAL. Throws `store_busy` if this
 * takes too long; in that case, nothing is checked.
 */
async function read<Row>(side: SideThread, sql: string): Promise<readonly Row[]> {
  const deadline = Date.now() + LOCK_WAIT_MS
  for (;;) {
    const rows = await side.rows<Row>(sql)
    if (rows !== null) return rows
    if (Date.now() > deadline) throw busyError()
    await pauseBetweenTries()
  }
}
