/** Keeps references to handles that are abandoned without being closed, because closing a database's last handle changes its files. */
import { isMainThread } from 'node:worker_threads'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'

/** Global, because it must exist as long as the process. */
const leftOpen: DatabaseSyncInstance[] = []

/** Keeps a handle open until the process ends, so that its files are not changed. */
export function leaveOpen(db: DatabaseSyncInstance): void {
  // on exit, Node closes all open files, unless it must end immediately; a thread uses the same files as the main thread
  if (leftOpen.length === 0 && isMainThread) process.once('exit', code => process.exit(code))
  leftOpen.push(db)
}
