/** Connections that are given up without closing them: to close the last one of a database changes its files. */
import { isMainThread } from 'node:worker_threads'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'

const leftOpen: DatabaseSyncInstance[] = []

/** Keeps a connection open until the process ends, and its files as they are then. */
export function leaveOpen(db: DatabaseSyncInstance): void {
  // on the way out Node closes whatever is open, unless it is told to end at once; a thread shares its files with the main one
  if (leftOpen.length === 0 && isMainThread) process.once('exit', code => process.exit(code))
  leftOpen.push(db)
}
