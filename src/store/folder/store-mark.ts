/**
 * The mark of a data folder: a file beside the database that holds the store's id, which also stands in the database. A folder
 * with a mark had a store, so a database that is missing, empty or of another store is lost, not new.
 */
import { closeSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { renameSynced, syncFolder, writePrivate } from '../../core/synced-file.ts'
import { type DataFolder, dataFolderError, keyPath, scratchName } from './data-folder.ts'

const MARK = 'store.id'
const ID = /^[0-9a-f]{32}$/

/**
 * `none`: the folder is new, or of a version without marks. `begun`: a process was making the store, and may have been killed.
 * `unreadable`: the store is there, its id is not known.
 */
export type StoreMark =
  | { readonly kind: 'none' | 'begun' | 'unreadable' }
  | { readonly kind: 'made'; readonly storeId: string }

/** How a database is lost; `older`: it is of a version before marks, and so not the one that the mark was made for. */
export type Loss = 'missing' | 'empty' | 'foreign' | 'older'

export function markPath(folder: DataFolder): string {
  return join(folder.path, MARK)
}

/** Throws ServiceError `data_folder` when there is one that cannot be read. */
export function readStoreMark(folder: DataFolder): StoreMark {
  let text: string
  try {
    text = readFileSync(markPath(folder), 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { kind: 'none' }
    throw dataFolderError(folder.path, error)
  }
  if (text === '') return { kind: 'begun' }
  return ID.test(text) ? { kind: 'made', storeId: text } : { kind: 'unreadable' }
}

/** Notes that a store is being made, before its database is there: whoever is killed in between leaves no lost store. */
export function beginStore(folder: DataFolder): StoreMark {
  try {
    // an empty file is whole from its first moment, and never takes the place of a mark that another process has made
    closeSync(openSync(markPath(folder), 'wx', 0o600))
    syncFolder(folder.path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw dataFolderError(folder.path, error)
  }
  return { kind: 'begun' }
}

/** Writes the mark of a store that is there. */
export function writeStoreMark(folder: DataFolder, storeId: string): void {
  const draft = join(folder.scratch, scratchName('mark'))
  try {
    writePrivate(draft, `${storeId}\n`)
    renameSynced(draft, markPath(folder))
  } catch (error) {
    throw dataFolderError(folder.path, error)
  }
}

/** How the database of this folder is lost as far as its size tells, or null; changes nothing. */
export function lossBySize(folder: DataFolder, mark: StoreMark): 'missing' | 'empty' | null {
  const size = sizeOf(folder.database)
  if (size !== undefined && size > 0) return null
  const loss = size === undefined ? 'missing' : 'empty'
  return isLostWhenEmpty(folder, mark, loss) ? loss : null
}

/** Whether a database that holds nothing is one that was lost: told by the mark, or by what only a store leaves behind. */
export function isLostWhenEmpty(folder: DataFolder, mark: StoreMark, loss: 'missing' | 'empty'): boolean {
  if (mark.kind === 'made' || mark.kind === 'unreadable') return true
  if (mark.kind === 'begun') return hasCopies(folder)
  // a key may be put into a new folder; but whoever empties a database leaves one that nobody was making
  const hasKey = loss === 'empty' && sizeOf(keyPath(folder)) !== undefined
  const hasLog = (sizeOf(`${folder.database}-wal`) ?? 0) > 0
  // what was found may be of a process that makes the store just now: it has begun with the mark
  return (hasKey || hasLog || hasCopies(folder)) && readStoreMark(folder).kind === 'none'
}

/** Snapshots, or copies that migrations made. */
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

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size
}
