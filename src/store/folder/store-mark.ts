/**
 * Reads and writes a data folder's mark: a file with the store's ID, which is also in the database. If a folder has a SQLite store's mark,
 * a database that is missing, empty or from another store has been lost and is not new. In a PostgreSQL store's mark, the ID is followed by
 * the URL (joined-store.ts). Versions without PostgreSQL treat such a folder as one that has lost its store, and refuse it.
 */
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { quotedPath } from '../../core/private-file.ts'
import { renameSynced, syncFolder, writePrivate } from '../../core/synced-file.ts'
import { type DataFolder, dataFolderError, keyPath, scratchName } from './data-folder.ts'

const MARK = 'store.id'
const ID = /^[0-9a-f]{32}$/
const JOINED = /^([0-9a-f]{32})\n(postgres:\/\/\S+)$/

/**
 * The content of a data folder's mark. `none`: the folder is new, or was created by a version without marks. `begun`: a process was
 * creating the store, and may have been killed. `made`: the folder belongs to a SQLite store. `unreadable`: there is a store, but its ID is
 * not known. `joined`: the folder belongs to a PostgreSQL store, whose URL without the password is given.
 */
export type StoreMark =
  | { readonly kind: 'none' | 'begun' | 'unreadable' }
  | { readonly kind: 'made'; readonly storeId: string }
  | JoinedMark

export interface JoinedMark {
  readonly kind: 'joined'
  readonly storeId: string
  readonly url: string
}

/**
 * How a database was lost. `older` means that it was created by a version without marks, so it is not the database for which the mark was
 * written.
 */
export type DatabaseLoss = 'missing' | 'empty' | 'foreign' | 'older'

export function markPath(folder: DataFolder): string {
  return join(folder.path, MARK)
}

/** Reads the mark. Throws ServiceError `data_folder` if the mark cannot be read. */
export function readStoreMark(folder: DataFolder): StoreMark {
  let text: string
  try {
    text = readFileSync(markPath(folder), 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'none' }
    throw dataFolderError(folder.path, error)
  }
  if (text === '') return { kind: 'begun' }
  const [, storeId, url] = JOINED.exec(text) ?? []
  if (storeId !== undefined && url !== undefined) return { kind: 'joined', storeId, url }
  return ID.test(text) ? { kind: 'made', storeId: text } : { kind: 'unreadable' }
}

/**
 * Reads the store mark of a data folder that a SQLite store will use. Throws ServiceError `data_folder` if the mark cannot be read or the
 * folder belongs to a PostgreSQL store.
 */
export function readOwnMark(folder: DataFolder): Exclude<StoreMark, JoinedMark> {
  const mark = readStoreMark(folder)
  if (mark.kind !== 'joined') return mark
  throw new ServiceError('data_folder', `The data folder ${folder.path} belongs to the PostgreSQL store ${mark.url}.`, {
    suggestions: [
      `To use this store, add --store ${quotedPath(mark.url)}, or set SVC_STORE or the profile's store to it. \`svc docs postgres\` explains where the password comes from.`,
      'To use a separate store, choose another folder with --data-dir or SVC_DATA_DIR.',
    ],
  })
}

/**
 * Records that a store is being created, before its database exists. If the process is killed in between, the folder does not look like a
 * lost store. Throws ServiceError `data_folder`.
 */
export function beginStore(folder: DataFolder): StoreMark {
  try {
    // an empty file is complete from the start and never replaces another process's mark
    closeSync(openSync(markPath(folder), 'wx', 0o600))
    syncFolder(folder.path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw dataFolderError(folder.path, error)
    // another process may have joined the folder to a PostgreSQL store in the meantime
    readOwnMark(folder)
  }
  return { kind: 'begun' }
}

/** Writes the mark of an existing store. */
export function writeStoreMark(folder: DataFolder, storeId: string): void {
  const draft = join(folder.scratch, scratchName('mark'))
  try {
    writePrivate(draft, `${storeId}\n`)
    renameSynced(draft, markPath(folder))
  } catch (error) {
    throw dataFolderError(folder.path, error)
  }
}

/** Returns whether a folder contains or has contained a SQLite store. */
export function holdsSqliteStore(folder: DataFolder): boolean {
  const { kind } = readStoreMark(folder)
  if (kind !== 'none') return kind !== 'joined'
  return (fileSize(folder.database) ?? 0) > 0 || isLostWhenEmpty(folder, { kind }, 'missing')
}

/** Returns how this folder's database was lost, as far as its size shows, or null if it was not lost. Changes nothing. */
export function lossBySize(folder: DataFolder, mark: StoreMark): 'missing' | 'empty' | null {
  const size = fileSize(folder.database)
  if (size !== undefined && size > 0) return null
  const loss = size === undefined ? 'missing' : 'empty'
  return isLostWhenEmpty(folder, mark, loss) ? loss : null
}

/** Returns whether a missing or empty database was lost, as shown by the mark or by files that only a store leaves behind. */
export function isLostWhenEmpty(folder: DataFolder, mark: StoreMark, loss: 'missing' | 'empty'): boolean {
  if (mark.kind === 'made' || mark.kind === 'unreadable') return true
  if (mark.kind === 'begun') return hasCopies(folder)
  // a new folder may already contain a key, but an empty database that no process was creating has been emptied
  const hasKey = loss === 'empty' && fileSize(keyPath(folder)) !== undefined
  const hasLog = (fileSize(`${folder.database}-wal`) ?? 0) > 0
  // the files may belong to a process that is creating the store right now and writes the mark first
  return (hasKey || hasLog || hasCopies(folder)) && readStoreMark(folder).kind === 'none'
}

/** Returns whether there are snapshots or copies made by migrations. */
function hasCopies(folder: DataFolder): boolean {
  const copies = `${basename(folder.database)}.schema-`
  const isHere = namesIn(folder.path).some(name => name.startsWith(copies))
  return isHere || namesIn(join(folder.path, 'snapshots')).some(name => name.endsWith('.db'))
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function fileSize(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size
}
