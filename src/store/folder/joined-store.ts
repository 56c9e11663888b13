/**
 * Joins a data folder to a PostgreSQL store. The folder then contains scratch files and the mark, and cannot be used with any other store.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { linkSynced, renameSynced, writePrivate } from '../../core/synced-file.ts'
import { type DataFolder, dataFolderError, scratchName } from './data-folder.ts'
import { holdsSqliteStore, type JoinedMark, markPath, readStoreMark } from './store-mark.ts'

/** The store in a PostgreSQL database. */
export interface FoundStore {
  /** The setting `store_id`, or null if the database does not contain a store yet. */
  readonly storeId: string | null
  /** URL without the password (shownStore). */
  readonly url: string
}

/**
 * Throws ServiceError `data_folder` if the folder contains or has contained a SQLite store. Call this before connecting to PostgreSQL.
 * Changes nothing.
 */
export function refuseSqliteFolder(folder: DataFolder): void {
  if (!holdsSqliteStore(folder)) return
  throw new ServiceError(
    'data_folder',
    `The data folder ${folder.path} contains its own SQLite store and cannot be used with a PostgreSQL store.`,
    {
      suggestions: [
        'For the PostgreSQL store, choose another folder with --data-dir or SVC_DATA_DIR.',
        'For the store in the folder, leave out --store, unset SVC_STORE, or use --profile local.',
        'To move the data, run: svc engine copy --from DIR --to URL',
      ],
    },
  )
}

/**
 * Throws ServiceError `data_folder` if the folder's mark contains the ID of another store. Call this before creating a store in an empty
 * database. Changes nothing.
 */
export function refuseOtherStore(folder: DataFolder, { storeId, url }: FoundStore): void {
  refuseSqliteFolder(folder)
  const mark = readStoreMark(folder)
  if (mark.kind !== 'joined' || mark.storeId === storeId) return
  const what = storeId === null ? 'that database does not contain a store' : 'that is another store'
  throw new ServiceError(
    'data_folder',
    `The data folder ${folder.path} belongs to the store ${mark.url}. The given store is ${url}, and ${what}.`,
    {
      suggestions: [
        'Check the store URL. For another store, choose another folder with --data-dir or SVC_DATA_DIR.',
        `To use the folder with the given store, remove ${markPath(folder)}.`,
      ],
    },
  )
}

/**
 * Writes a PostgreSQL store's mark to its data folder, either completely or not at all. An existing mark for this store is kept, unless its
 * URL has changed. Throws ServiceError `data_folder` if the folder belongs to another store or cannot be written, and `disk_full`.
 */
export function joinStore(folder: DataFolder, storeId: string, url: string): void {
  const joined: JoinedMark = { kind: 'joined', storeId, url }
  refuseOtherStore(folder, joined)
  const mark = readStoreMark(folder)
  if (mark.kind === 'joined' && mark.url === url) return
  const draft = join(folder.scratch, scratchName('mark'))
  try {
    writePrivate(draft, `${storeId}\n${url}\n`)
    if (mark.kind === 'joined') renameSynced(draft, markPath(folder))
    else firstMark(folder, draft, joined)
  } catch (error) {
    if (error instanceof ServiceError) throw error
    throw dataFolderError(folder.path, error)
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Writes a folder's first mark. If two processes do so at the same time with different stores, a hard link ensures that only one succeeds,
 * and the other reads the mark that was written.
 */
function firstMark(folder: DataFolder, draft: string, joined: JoinedMark): void {
  try {
    linkSynced(draft, markPath(folder))
  } catch {
    refuseOtherStore(folder, joined)
    // otherwise, the file system does not support links
    if (readStoreMark(folder).kind === 'none') renameSynced(draft, markPath(folder))
  }
}
