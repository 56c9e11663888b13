/** Checks, describes or salvages a data folder or a PostgreSQL store without opening an engine on it. */
import type { StoreUrl } from '../core/store-url.ts'
import type { CopyLocation, CopyStoreOptions } from '../store/copy/copy-store.ts'
import type { CopyProgress, CopyReport } from '../store/copy/side.ts'
import { dataFolderAt } from '../store/folder/data-folder.ts'
import type { FolderState } from '../store/folder/folder-state.ts'
import { refuseSqliteFolder } from '../store/folder/joined-store.ts'
import { sharedMasterKey } from '../store/folder/master-key.ts'
import type { ProbedStore } from '../store/postgres/probe.ts'
import { folderState, readiness } from '../store/sqlite/database-state.ts'
import type { SalvageOptions, SalvageReport } from '../store/sqlite/salvage/salvage.ts'
import { SCHEMA_VERSION } from '../store/sqlite/schema.ts'

export { tooNewRemedies } from '../store/sqlite/migrations.ts'
export type { CopyLocation, CopyProgress, CopyReport, SalvageReport }

/** Returns the newest schema of each kind of store that can be opened. */
export async function newestSchemas() {
  const { POSTGRES_SCHEMA } = await import('../store/postgres/migrations.ts')
  return { sqlite: SCHEMA_VERSION, postgres: POSTGRES_SCHEMA }
}

/** Returns whether a data folder's SQLite store can be read immediately without changing it. Never throws. */
export function isReady(dataDir: string): boolean {
  return readiness(dataFolderAt(dataDir).database) === 'ready'
}

/** Checks a data folder's store quickly, without changing anything. Throws ServiceError `data_folder`. */
export function stateOfFolder(dataDir: string): Promise<FolderState> {
  return folderState(dataDir)
}

/**
 * Connects to a PostgreSQL store's server and returns the versions of server and schema. Changes nothing. Throws ServiceError
 * `data_folder` if the folder belongs to another store, `master_key` if the key is missing, and `store_unusable`, `store_unreachable`,
 * `data_too_new` or `usage`.
 */
export async function versionsOfStore(store: StoreUrl, dataDir: string, mostMs: number): Promise<ProbedStore> {
  refuseSqliteFolder(dataFolderAt(dataDir))
  sharedMasterKey(process.env['SVC_MASTER_KEY'])
  const { probeStore } = await import('../store/postgres/probe.ts')
  return probeStore(store, mostMs)
}

/** Copies the intact data into a new data folder. Throws ServiceError `usage`, `data_folder`, `disk_full` or `cancelled`. */
export async function salvageFolder(options: SalvageOptions): Promise<SalvageReport> {
  // imported on demand, because only this command needs it
  const { salvage } = await import('../store/sqlite/salvage/salvage.ts')
  return salvage(options)
}

/** Copies a store into an empty one, or continues such a copy. Throws the ServiceErrors listed in copy-store.ts. */
export async function copyStore(options: CopyStoreOptions): Promise<CopyReport> {
  // imported on demand, because only this command needs it
  const copy = await import('../store/copy/copy-store.ts')
  return copy.copyStore(options)
}
