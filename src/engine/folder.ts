/** What can be told of a data folder, or saved from it, without an engine on it. */
import { dataFolderAt } from '../store/folder/data-folder.ts'
import type { FolderState } from '../store/folder/folder-state.ts'
import { folderState, readiness } from '../store/sqlite/readiness.ts'
import type { SalvageOptions, SalvageReport } from '../store/sqlite/salvage/salvage.ts'

export type { SalvageReport }

/** Returns whether the store of a data folder can be read at once and as it is. Never throws. */
export function isReady(dataDir: string): boolean {
  return readiness(dataFolderAt(dataDir).database) === 'ready'
}

/** Checks the store of a data folder quickly, and changes nothing. Throws ServiceError `data_folder`. */
export function stateOfFolder(dataDir: string): Promise<FolderState> {
  return folderState(dataDir)
}

/** Copies what is intact into a new data folder. Throws ServiceError `usage`, `data_folder`, `disk_full` or `cancelled`. */
export async function salvageFolder(options: SalvageOptions): Promise<SalvageReport> {
  // only this command needs it
  const { salvage } = await import('../store/sqlite/salvage/salvage.ts')
  return salvage(options)
}
