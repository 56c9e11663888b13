/** Completes a deletion by removing every trace of a purged user from the database's files. */
import { ServiceError } from '../../core/errors.ts'
import { requestStoreJob, settleStoreJob, storeJobRequest } from '../logic/jobs.ts'
import type { Steps } from '../logic/steps.ts'
import type { ScrubOptions, ScrubOutcome } from '../upkeep.ts'
import type { SqliteDatabase } from './database.ts'
import { removeCopies } from './schema-copy.ts'
import { openSideThread, type SideThread } from './side-thread.ts'

const RETRY_MS = 50
/** Maximum size of a database whose copy VACUUM holds in memory. A larger copy is held in a temporary file. */
const MOST_IN_MEMORY_BYTES = 64 << 20

/**
 * Removes all remains of removed rows from the file, its WAL and the copies made by migrations. `secure_delete` overwrites deleted content,
 * but not the remains of cells that moved when pages were balanced. These are removed only by rebuilding the file. While a reader uses an
 * older state, the WAL cannot be truncated, and the work stays due.
 */
export async function scrub(db: SqliteDatabase, { waitMs, signal }: ScrubOptions): Promise<ScrubOutcome> {
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
    // otherwise, with a long-running reader, each attempt would grow the WAL by the size of the whole file
    if (!(await retried(() => truncateWal(side)))) return 'blocked'
    if (!(await retried(() => rebuild(db, side)))) return 'blocked'
    const request = await db.read(() => storeJobRequest('truncate'))
    if (!(await retried(() => truncateWal(side)))) return 'blocked'
    if (request !== null) await db.write(() => settleStoreJob('truncate', request))
    await truncateWal(side)
    return 'clean'
  } finally {
    await side.close()
  }
}

/** Returns whether the file has been rebuilt as requested. If false, try again. */
async function rebuild(db: SqliteDatabase, side: SideThread): Promise<boolean> {
  const request = await db.read(() => storeJobRequest('scrub'))
  // another process has already done it
  if (request === null) return true
  const [size] = (await side.rows<{ bytes: number }>(
    'SELECT page_count*page_size AS bytes FROM pragma_page_count, pragma_page_size',
  )) ?? [{ bytes: MOST_IN_MEMORY_BYTES }]
  await side.rows(`PRAGMA temp_store=${(size?.bytes ?? 0) < MOST_IN_MEMORY_BYTES ? 'MEMORY' : 'FILE'}`)
  if ((await vacuum(side)) === null) return false
  await db.write(() => settleRebuild(request))
  return (await db.read(() => storeJobRequest('scrub'))) === null
}

function* settleRebuild(request: number): Steps<void> {
  yield* settleStoreJob('scrub', request)
  yield* requestStoreJob('truncate')
}

async function vacuum(side: SideThread): Promise<readonly unknown[] | null> {
  try {
    return await side.rows('VACUUM')
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'disk_full') throw error
    throw new ServiceError('disk_full', error.message, {
      body: error.body,
      suggestions: ['Free some space. Rebuilding the database file temporarily needs twice its size.'],
      cause: error,
    })
  }
}

/** Returns whether the whole WAL was moved into the file and is now empty. */
async function truncateWal(side: SideThread): Promise<boolean> {
  const rows = await side.rows<{ busy: number }>('PRAGMA wal_checkpoint(TRUNCATE)')
  return rows?.[0]?.busy === 0
}
