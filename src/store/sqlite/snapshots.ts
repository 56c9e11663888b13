/** Copies of the database that are made while it is in use: SQLite writes one moment of it, in a thread of its own. */
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import type { EpochMs } from '../../core/time.ts'
import { dataFolderError } from '../data-folder.ts'
import type { SnapshotStore } from '../snapshot.ts'
import { Connection, LOCK_WAIT_MS, RETRY_MS } from './connection.ts'
import { busyError } from './service-error.ts'
import { openSideThread } from './side-thread.ts'
import { revokeSessions } from './teams/api-keys.ts'

export class SqliteSnapshots implements SnapshotStore {
  private readonly database: string

  constructor(database: string) {
    this.database = database
  }

  async copyTo(path: string, at: EpochMs): Promise<void> {
    makeEmpty(path)
    try {
      await this.vacuumInto(path)
      withdrawSessions(path, at)
      sync(path)
    } catch (error) {
      rmSync(path, { force: true })
      throw error
    }
  }

  /** A reader of one moment: writers go on, and what they write waits in the log. */
  private async vacuumInto(path: string): Promise<void> {
    const thread = await openSideThread(this.database)
    try {
      const deadline = Date.now() + LOCK_WAIT_MS
      while ((await thread.rows(`VACUUM INTO '${path.replaceAll("'", "''")}'`)) === null) {
        if (Date.now() > deadline) throw busyError()
        await new Promise(resolve => setTimeout(resolve, RETRY_MS))
      }
    } finally {
      await thread.close()
    }
  }
}

/** SQLite would make it readable for everyone; an empty file it takes as it is. */
function makeEmpty(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    throw dataFolderError(dirname(path), error)
  }
}

function withdrawSessions(path: string, at: EpochMs): void {
  const copy = new Connection({ path, waitForLock: 'blocking', durable: false })
  try {
    copy.transactNow(() => revokeSessions(copy, at))
  } finally {
    copy.close()
  }
}

function sync(path: string): void {
  const file = openSync(path, 'r+')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}
