/** Exports a PostgreSQL store to a file, like `svc engine snapshot export` for a store in a data folder. */
import { rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { dataFolderAt, scratchName } from '../folder/data-folder.ts'
import type { SnapshotMoment } from '../snapshot.ts'
import { copyDatabaseTo } from '../sqlite/snapshots/copy.ts'
import { copyRows } from './copy-rows.ts'
import { type DatabaseSide, openDatabaseSource } from './postgres-side.ts'
import { openFolderTarget } from './sqlite-side.ts'

/**
 * Copies a snapshot of a database to a path that does not exist yet, while other reads and writes continue. All rows are read in a single
 * transaction. Throws ServiceError `disk_full`, `data_folder`, `data_damaged` or `store_unreachable`, and leaves no file behind.
 */
export async function exportDatabase(side: DatabaseSide, path: string, at: SnapshotMoment): Promise<void> {
  const folder = dataFolderAt(join(dirname(path), scratchName('copy')))
  try {
    await fill(folder.path, side)
    await copyDatabaseTo(folder.database, path, at)
  } finally {
    rmSync(folder.path, { recursive: true, force: true })
  }
}

async function fill(folder: string, side: DatabaseSide): Promise<void> {
  const source = await openDatabaseSource(side)
  try {
    const target = openFolderTarget(folder)
    try {
      // concurrent writes are not part of this snapshot
      const whole = { ...source, refresh: async () => {} }
      await copyRows(whole, target, { onProgress: () => {}, signal: undefined, isSnapshot: true })
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}
