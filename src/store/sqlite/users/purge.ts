/** The end of a deletion: removes everything about a user, then every trace of it from the files of the database. */
import { ServiceError } from '../../../core/errors.ts'
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { ScrubOptions, ScrubOutcome } from '../../upkeep.ts'
import { USERS } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { dropJob, dropJobs, jobIsDue, requestStoreJob, settleStoreJob, storeJobRequest } from '../jobs.ts'
import { removeCopies } from '../schema-copy.ts'
import { openSideThread, type SideThread } from '../side-thread.ts'
import { bury } from './tombstones.ts'

/** What a purge leaves behind, and what it works from. */
const KEPT_TABLES: readonly string[] = ['tombstone', 'job']
/** Cleared in the first transaction, by their own keys. */
const FIRST_TABLES: readonly string[] = ['user', 'directory']
/** Others can write between the transactions of a purge. Each one is made to take about this long. */
const SLICE_MS = 10
const FIRST_ROWS = 32
const MOST_ROWS = 2_000
const RETRY_MS = 50
/** VACUUM holds a copy in a temporary file, or in memory up to this size. */
const MOST_IN_MEMORY_BYTES = 64 << 20

/**
 * Returns every table that holds rows of users. It is read from the schema itself, so that a table of a later version is never forgotten.
 */
export function userTables(db: Connection): string[] {
  return db
    .all<{ name: string }>(
      `SELECT s.name FROM sqlite_schema AS s JOIN pragma_table_info(s.name) AS c
       WHERE s.type='table' AND c.name='user_id' ORDER BY s.name`,
    )
    .map(row => row.name)
    .filter(name => !KEPT_TABLES.includes(name))
}

/**
 * Removes the user in short transactions, so that others can write. The first one decides: from then on there is no user to restore, only
 * its tombstone. The last one removes the job, so that a purge that was interrupted is still due.
 */
export async function purgeUser(db: Connection, userId: UserId, now: EpochMs, signal?: AbortSignal): Promise<boolean> {
  if (!(await db.write(() => beginPurge(db, userId, now)))) return false
  for (const table of userTables(db)) {
    if (FIRST_TABLES.includes(table)) continue
    // the rows of one table say nothing about the size of the rows of another
    let rows = FIRST_ROWS
    const sql = removalFrom(db, table)
    for (;;) {
      signal?.throwIfAborted()
      const began = performance.now()
      const some = rows
      const removed = await db.write(() => (isBack(db, userId) ? null : db.run(sql, userId, userId, some)))
      if (removed === null) return false
      if (removed < rows) break
      const fitting = (rows * SLICE_MS) / Math.max(1, performance.now() - began)
      rows = Math.round(Math.min(MOST_ROWS, rows * 2, Math.max(1, fitting)))
    }
  }
  return db.write(() => {
    if (isBack(db, userId) || !dropJobs(db, userId)) return false
    requestStoreJob(db, 'scrub')
    return true
  })
}

/** Returns whether the user exists again: a snapshot that holds the user may be restored between two transactions. */
function isBack(db: Connection, userId: UserId): boolean {
  return db.get('SELECT 1 FROM user WHERE user_id=?', userId) !== undefined
}

/** Returns the SQL that removes some rows of a user. Its values are the user, the user again, and the number of rows. */
function removalFrom(db: Connection, table: string): string {
  const columns = db.all<{ name: string }>('SELECT name FROM pragma_table_info(?) WHERE pk>0 ORDER BY pk', table)
  const key = columns.length === 0 ? 'rowid' : columns.map(column => `"${column.name}"`).join(', ')
  return `DELETE FROM "${table}" WHERE user_id=? AND (${key}) IN (SELECT ${key} FROM "${table}" WHERE user_id=? LIMIT ?)`
}

function beginPurge(db: Connection, userId: UserId, now: EpochMs): boolean {
  if (!jobIsDue(db, userId, { kind: 'purge', now })) return false
  const user = USERS.get(db, 'WHERE user_id=?', userId)
  // an earlier purge was interrupted
  if (!user) return true
  if (user.deleted_at === null) {
    dropJob(db, userId, 'purge')
    return false
  }
  const teamId = user.team_id as TeamId
  bury(db, { teamId, userId, clientUserId: user.client_user_id, deletedAt: user.deleted_at })
  db.run('DELETE FROM user WHERE user_id=?', userId)
  db.run(
    'DELETE FROM directory WHERE team_id=? AND client_user_id=? AND user_id=?',
    teamId,
    user.client_user_id,
    userId,
  )
  return true
}

/**
 * Leaves nothing of removed rows in the file, its WAL and the copies that migrations made. `secure_delete` overwrites what is deleted, but
 * not the remains of cells that moved when pages were balanced; only rebuilding the file does. A reader of an older state keeps the WAL
 * from being truncated; then the work stays due.
 */
export async function scrub(db: Connection, { waitMs, signal }: ScrubOptions): Promise<ScrubOutcome> {
  const deadline = Date.now() + waitMs
  db.files?.look()
  removeCopies(db.path)
  const side = await openSideThread(db.path)
  const retried = async (attempt: () => Promise<boolean>): Promise<boolean> => {
    for (;;) {
      if (await attempt()) return true
      signal?.throwIfAborted()
      if (Date.now() > deadline) return false
      await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    }
  }
  try {
    // otherwise, with a reader that stays, the WAL would take in the whole file at every try
    if (!(await retried(() => truncateWal(side)))) return 'blocked'
    if (!(await retried(() => rebuild(db, side)))) return 'blocked'
    const request = await db.read(() => storeJobRequest(db, 'truncate'))
    if (!(await retried(() => truncateWal(side)))) return 'blocked'
    if (request !== null) await db.write(() => settleStoreJob(db, 'truncate', request))
    await truncateWal(side)
    return 'clean'
  } finally {
    await side.close()
  }
}

/** Returns whether the file has been rebuilt as requested. False means: try again. */
async function rebuild(db: Connection, side: SideThread): Promise<boolean> {
  const request = await db.read(() => storeJobRequest(db, 'scrub'))
  // another process has done it
  if (request === null) return true
  const [size] = (await side.rows<{ bytes: number }>(
    'SELECT page_count*page_size AS bytes FROM pragma_page_count, pragma_page_size',
  )) ?? [{ bytes: MOST_IN_MEMORY_BYTES }]
  await side.rows(`PRAGMA temp_store=${(size?.bytes ?? 0) < MOST_IN_MEMORY_BYTES ? 'MEMORY' : 'FILE'}`)
  if ((await vacuum(side)) === null) return false
  await db.write(() => {
    settleStoreJob(db, 'scrub', request)
    requestStoreJob(db, 'truncate')
  })
  return (await db.read(() => storeJobRequest(db, 'scrub'))) === null
}

async function vacuum(side: SideThread): Promise<readonly unknown[] | null> {
  try {
    return await side.rows('VACUUM')
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'disk_full') throw error
    throw new ServiceError('disk_full', error.message, {
      body: error.body,
      suggestions: ['Free some space: rebuilding the database file takes twice its size for a moment.'],
      cause: error,
    })
  }
}

/** Returns whether the whole WAL went into the file and is now empty. */
async function truncateWal(side: SideThread): Promise<boolean> {
  const rows = await side.rows<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')
  return rows?.[0]?.busy === 0
}
