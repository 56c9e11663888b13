/** Checks whether the store can be written. */
import { folderIsFull } from '../../core/disk-full.ts'
import { hasRoom } from '../folder/disk-room.ts'
import type { SqliteDatabase } from './database.ts'
import { rewriteHead } from './migrations.ts'

/** Writes a little into the folder and into the database. Throws ServiceError `disk_full` if there is not enough space for that. */
export async function checkRoom(db: SqliteDatabase, folder: string): Promise<void> {
  if (!hasRoom(folder)) throw folderIsFull(folder, undefined)
  // the database may be on another disk, or unable to grow although other files can
  await db.writeAside(() => rewriteHead(db))
}
