/** The snapshots that a data folder keeps by name: private files in a folder of their own. */
import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { linkSynced, makeFolder, renameSynced } from '../../../core/synced-file.ts'
import { dataFolderError } from '../../folder/data-folder.ts'

const FOLDER = 'snapshots'
const ENDING = '.db'

/** Where the snapshot of a name lies, or would. Names are checked before they come here (contract/snapshot.ts). */
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

/** Gives a file that is whole its name; false where there is one of that name that is not to be replaced. The draft is gone then. */
export function publish(draft: string, path: string, mayReplace: boolean): boolean {
  try {
    makeFolder(dirname(path))
    if (mayReplace) renameSynced(draft, path)
    // unlike a rename, a link does not take the place of a file that came meanwhile
    else linkSynced(draft, path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw dataFolderError(dirname(dirname(path)), error)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** False: there was none. */
export function removeSnapshot(path: string): boolean {
  try {
    rmSync(path)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw dataFolderError(dirname(dirname(path)), error)
  }
}
