/** Copies the database while it is in use. SQLite writes a consistent copy in a separate thread. */
import { closeSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFile } from '../../../core/synced-file.ts'
import { dataFolderError } from '../../folder/data-folder.ts'
import { revokeSessions } from '../../logic/teams/api-keys.ts'
import { putSetting, readClock } from '../../logic/teams/settings.ts'
import type { SnapshotMoment } from '../../snapshot.ts'
import { tablesOfLife } from '../../tables/catalogue.ts'
import { SqliteDatabase } from '../database.ts'
import { LOCK_WAIT_MS, pauseBetweenTries } from '../lock-wait.ts'
import { endRecordings } from '../recordings/ended.ts'
import { busyError } from '../service-error.ts'
import { openSideThread, type SideThread } from '../side-thread.ts'
import { momentText, SNAPSHOT_SETTING } from './moment.ts'

/**
 * Writes the copy to a path that does not exist yet. Throws ServiceError `disk_full`, `data_folder` or `store_busy`, and leaves no file
 * behind.
 */
export async function copyDatabaseTo(database: string, path: string, at: SnapshotMoment): Promise<void> {
  makeEmpty(path)
  try {
    const thread = await openSideThread(database)
    try {
      // it reads one snapshot, so writers can continue, and their changes wait in the log
      await patiently(thread, `VACUUM INTO ${sqlLiteral(path)}`)
    } finally {
      await thread.close()
    }
    finish(path, at)
    syncFile(path)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  }
}

/** Returns a statement's rows. Retries while another handle has the lock. */
export async function patiently<Row>(thread: SideThread, sql: string, signal?: AbortSignal): Promise<readonly Row[]> {
  const deadline = Date.now() + LOCK_WAIT_MS
  for (;;) {
    const rows = await thread.rows<Row>(sql)
    if (rows !== null) return rows
    signal?.throwIfAborted()
    if (Date.now() > deadline) throw busyError()
    await pauseBetweenTries()
  }
}

/** Returns a text as an SQL literal. */
export function sqlLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Creates an empty private file. SQLite would make a new file readable for everyone, but keeps the mode of an existing empty file. */
function makeEmpty(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    throw dataFolderError(dirname(path), error)
  }
}

/** Removes rows that belong only to the original, and records when the copy was made. */
function finish(path: string, at: SnapshotMoment): void {
  const copy = new SqliteDatabase({ path, waitForLock: 'blocking', durable: false })
  try {
    copy.transactNow(() => {
      copy.drive(revokeSessions(at.now))
      // the bytes of deleted rows are overwritten
      for (const { name } of tablesOfLife('staying', 'session', 'passing', 'process')) copy.run(`DELETE FROM ${name}`)
      endRecordings(copy)
      copy.drive(putSetting(SNAPSHOT_SETTING, momentText(at, copy.drive(readClock()))))
    })
  } finally {
    copy.close()
  }
}
