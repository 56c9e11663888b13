/** Checks whether the store can be written to. */
import { folderIsFull } from '../../core/disk-full.ts'
import { hasRoom } from '../folder/disk-room.ts'
import type { SqliteDatabase } from './database.ts'
import { rewriteHead } from './migrations.ts'

/** Makes a small write to the folder and to the database. Throws ServiceError `disk_full` if there is not enough space for the write. */
export async function checkRoom(db: SqliteDatabase, folder: string): Promise<void> {
  if (!hasRoom(folder)) throw folderIsFull(folder, undefined)
  // the database may be on another disk, or unable to grow even though other files can
  await db.writeAside(() => rewriteHead(db))
}
