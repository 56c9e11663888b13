/** Restores a snapshot as the database of a folder whose own database was lost. */
import { randomBytes } from 'node:crypto'
import { chmodSync, copyFileSync, constants as files, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ServiceError } from '../../../core/errors.ts'
import { linkSynced, renameSynced, syncFile } from '../../../core/synced-file.ts'
import { type DataFolder, dataFolderError, scratchName } from '../../folder/data-folder.ts'
import { putSetting, STORE_ID } from '../../logic/teams/settings.ts'
import { SqliteDatabase } from '../database.ts'
import { SNAPSHOT_SETTING } from './moment.ts'
import { snapshotNames, snapshotPath } from './named-files.ts'

/**
 * Replaces the database with a copy of the snapshot, which gets the store's ID if it is known. The existing file is renamed, not removed.
 * If the process is killed at any point, the folder is either still lost or completely restored. Returns a line that says where the old
 * files are. Throws ServiceError `not_found`, `conflict` for a damaged snapshot, `data_too_new`, `data_folder` or `disk_full`.
 */
export function putSnapshotInPlace(folder: DataFolder, name: string, storeId: string | null): string {
  const names = snapshotNames(folder.database)
  if (!names.includes(name)) {
    throw new ServiceError('not_found', 'There is no snapshot with that name.', {
      suggestions: [names.length === 0 ? 'The data folder contains no snapshots.' : `Snapshots: ${names.join(', ')}.`],
    })
  }
  const draft = join(folder.scratch, scratchName('snapshot'))
  try {
    copyFileSync(snapshotPath(folder.database, name), draft, files.COPYFILE_EXCL)
    chmodSync(draft, 0o600)
    prepare(draft, storeId)
    syncFile(draft)
    const aside = setAside(folder.database)
    publish(draft, folder.database)
    return aside === null
      ? `The snapshot ${name} has replaced the lost database.`
      : `The snapshot ${name} has replaced the lost database. The old files are kept as ${aside} until the next purge.`
  } catch (error) {
    throw error instanceof ServiceError ? error : dataFolderError(folder.path, error)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Checks the copy, migrates it to the newest schema, and removes rows that exist only in snapshots. */
function prepare(draft: string, storeId: string | null): void {
  let db: SqliteDatabase | undefined
  try {
    db = new SqliteDatabase({ path: draft, waitForLock: 'blocking', durable: false })
    const [row] = db.all<{ quick_check: string }>('PRAGMA quick_check(1)')
    if (row?.quick_check !== 'ok' || db.all('PRAGMA foreign_key_check').length > 0) throw damaged()
    const copy = db
    copy.transactNow(() => {
      copy.run('DELETE FROM setting WHERE name=?', SNAPSHOT_SETTING)
      if (storeId !== null) copy.drive(putSetting(STORE_ID, storeId))
    })
  } catch (error) {
    throw error instanceof ServiceError && error.code === 'data_damaged' ? damaged(error) : error
  } finally {
    db?.close()
  }
}

function damaged(cause?: unknown): ServiceError {
  return new ServiceError('conflict', 'The snapshot is damaged; nothing was changed.', {
    suggestions: ['Restore another snapshot, and delete this one.'],
    cause,
  })
}

/** Renames the database and its log. Returns the new name, or null if neither existed. */
function setAside(database: string): string | null {
  const aside = `${database}.lost-${Date.now()}-${randomBytes(4).toString('hex')}`
  // SQLite rebuilds the index from the log whenever it needs the index
  rmSync(`${database}-shm`, { force: true })
  // rename the log first, because under its old name it would be applied to the new database
  const set = ['-wal', ''].filter(part => {
    const found = statSync(database + part, { throwIfNoEntry: false })
    if (found === undefined) return false
    const isEmptyLog = part !== '' && found.size === 0
    if (isEmptyLog) rmSync(database + part)
    else renameSynced(database + part, aside + part)
    return !isEmptyLog
  })
  return set.length > 0 ? basename(aside) : null
}

/** Gives the draft its name. A database that another process has created there in the meantime is kept. */
function publish(draft: string, database: string): void {
  try {
    linkSynced(draft, database)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return
    // the file system does not support links
    renameSynced(draft, database)
  }
}
