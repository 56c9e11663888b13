/** Manages a data folder's named snapshots, which are private files in their own folder. */
import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { linkSynced, makeFolder, renameSynced } from '../../../core/synced-file.ts'
import { dataFolderError } from '../../folder/data-folder.ts'

const FOLDER = 'snapshots'
const ENDING = '.db'

/**
 * Returns the path of the snapshot with this name, which may not exist. The name has already been validated (contract/engine/snapshot.ts).
 */
export function snapshotPath(database: string, name: string): string {
  return join(dirname(database), FOLDER, `${name}${ENDING}`)
}

export function snapshotNames(database: string): string[] {
  try {
    const names = readdirSync(join(dirname(database), FOLDER))
    return names.flatMap(name => (name.endsWith(ENDING) ? [name.slice(0, -ENDING.length)] : [])).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw dataFolderError(dirname(database), error)
  }
}

/**
 * Gives a complete file its name. Returns false if the name is taken and the existing file must not be replaced. Afterwards, removes the
 * draft.
 */
export function publish(draft: string, path: string, mayReplace: boolean): boolean {
  try {
    makeFolder(dirname(path))
    if (mayReplace) renameSynced(draft, path)
    // unlike a rename, a link does not replace a file that was created in the meantime
    else linkSynced(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw dataFolderError(dirname(dirname(path)), error)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Removes a snapshot. Returns false if there was no such snapshot. */
export function removeSnapshot(path: string): boolean {
  try {
    rmSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw dataFolderError(dirname(dirname(path)), error)
  }
}
