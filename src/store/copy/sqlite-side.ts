/** Adapts the store in a data folder so that it can be the source or target of a copy. */
import { readdirSync } from 'node:fs'
import { ServiceError } from '../../core/errors.ts'
import { type DataFolder, dataFolderAt, openDataFolder, otherServer } from '../folder/data-folder.ts'
import { holdsSqliteStore, readOwnMark } from '../folder/store-mark.ts'
import { STORE_ID, setting } from '../logic/teams/settings.ts'
import type { SqliteDatabase } from '../sqlite/database.ts'
import { openDatabase } from '../sqlite/opening.ts'
import { toServiceError } from '../sqlite/service-error.ts'
import type { CopySource, CopyTarget } from './side.ts'

/** Opens the store for reading. Throws ServiceError `data_folder`, and the same errors as opening a store. */
export function openFolderSource(path: string, note?: (line: string) => void): CopySource {
  const folder = dataFolderAt(path)
  readOwnMark(folder)
  if (!holdsSqliteStore(folder)) {
    throw new ServiceError('data_folder', `There is no store in ${path}.`, {
      suggestions: ['Specify a data folder that contains a store with --from.'],
    })
  }
  refuseServer(folder)
  const sqlite = openDatabase({ folder: openDataFolder(path), waitForLock: 'blocking', note })
  const snapshot = {
    begin: () => sqlite.exec('BEGIN'),
    end: () => sqlite.exec('COMMIT'),
  }
  snapshot.begin()
  return {
    shown: path,
    storeId: readStoreId(sqlite),
    async read(transaction) {
      try {
        return sqlite.drive(transaction())
      } catch (error) {
        throw toServiceError(error, sqlite.path)
      }
    },
    async refresh() {
      snapshot.end()
      snapshot.begin()
    },
    async write(transaction) {
      snapshot.end()
      try {
        return await sqlite.write(transaction)
      } finally {
        snapshot.begin()
      }
    },
    async close() {
      snapshot.end()
      sqlite.close()
    },
  }
}

/** Opens the store as a target, creating it in a new folder. Throws ServiceError `data_folder`, and the same errors as opening a store. */
export function openFolderTarget(path: string, note?: (line: string) => void): CopyTarget {
  const found = dataFolderAt(path)
  readOwnMark(found)
  refuseServer(found)
  refuseOtherFiles(found)
  const sqlite = openDatabase({ folder: openDataFolder(path), waitForLock: 'blocking', isForCopy: true, note })
  return {
    shown: path,
    storeId: readStoreId(sqlite),
    db: sqlite,
    async settle() {},
    async close() {
      await sqlite.settled()
      sqlite.close()
    },
  }
}

function readStoreId(sqlite: SqliteDatabase): string {
  return `${sqlite.drive(setting(STORE_ID))}`
}

function refuseServer(folder: DataFolder): void {
  const server = otherServer(folder)
  if (server === null) return
  throw new ServiceError('conflict', `A svc serve (process ${server.pid}) uses the data folder ${folder.path}.`, {
    suggestions: ['Stop it, so that nothing is written during the copy, and run the command again.'],
  })
}

/** Refuses a folder that contains other files, because it is most likely a mistake. */
function refuseOtherFiles(folder: DataFolder): void {
  let names: readonly string[]
  try {
    names = readdirSync(folder.path)
  } catch {
    // the folder is new; other problems are reported when it is opened
    return
  }
  const hasKeyOnly = names.every(name => name === 'master.key')
  if (hasKeyOnly || names.includes('scratch')) return
  throw new ServiceError('data_folder', `${folder.path} contains other files. The copy needs its own data folder.`, {
    suggestions: ['Specify a folder that does not exist yet, or an empty one.'],
  })
}
