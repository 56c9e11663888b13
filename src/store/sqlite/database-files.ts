/**
 * Checks whether a database's three files are still the ones that a handle has open. SQLite never checks their names again. It would
 * therefore continue with files that were removed or replaced, and would not see other processes' writes to the new files.
 */
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { ServiceError } from '../../core/errors.ts'
import { elapsedMs } from '../../core/time.ts'
import { BESIDE, type DatabasePart, type FileIds, fileId, fileIds, isSameFile } from '../folder/file-ids.ts'
import { RESULT, resultCode } from './result-codes.ts'
import { toServiceError } from './service-error.ts'

/** Number of bytes in the log before each page. */
const FRAME_HEAD_BYTES = 24
/** Interval at which a writing handle checks the database file itself. */
const DATABASE_LOOK_MS = 250
/** Time for which a check of the two files beside it is valid, so that writes in quick succession do not repeat its system calls. */
const BESIDE_LOOK_MS = 1
const QUIETLY = { throwIfNoEntry: false } as const

interface Trouble {
  readonly what: 'removed' | 'replaced' | 'emptied' | 'cut off' | 'damaged'
  readonly part: DatabasePart
}

/** The handle that has the files open. */
interface Opened {
  exec(sql: string): void
  get<T>(sql: string): T | undefined
}

export class DatabaseFiles {
  private readonly path: string
  private readonly db: Opened
  private readonly known: FileIds
  private trouble: Trouble | null = null
  /** Whether the log has been moved into the database since its name was lost. */
  private isLogSaved = false
  /** When the database file itself was last checked. */
  private lookedAt = Number.NEGATIVE_INFINITY
  /** When the other two files were last found. */
  private foundAt = Number.NEGATIVE_INFINITY

  /** Must be created while the handle has all three files open. */
  constructor(path: string, db: Opened) {
    this.path = path
    this.db = db
    this.known = fileIds(path)
  }

  /** Throws ServiceError `store_lost` if the last check found that the files have been removed or replaced. */
  refuse(): void {
    if (this.trouble !== null) throw lost(this.path, this.trouble)
  }

  /**
   * Checks again, outside a transaction, and throws the same error as `refuse`. Files that were removed and restored are accepted, because
   * no process could open them in the meantime. If another file had the name, or if content was lost, a new handle is required. The log and
   * its index are checked most often, because they determine which processes see a write.
   */
  look(): void {
    if (this.trouble !== null && this.trouble.what !== 'removed') this.refuse()
    const now = elapsedMs()
    if (this.trouble === null && now - this.foundAt < BESIDE_LOOK_MS) return
    const isDatabaseDue = this.trouble !== null || now - this.lookedAt >= DATABASE_LOOK_MS
    if (isDatabaseDue) this.lookedAt = now
    this.trouble = (isDatabaseDue ? this.findDatabase() : null) ?? this.findBeside()
    if (this.trouble === null) {
      this.isLogSaved = false
      this.foundAt = now
    } else if (this.trouble.what === 'removed') this.saveLog()
    this.refuse()
  }

  /** Does the same, and also compares the database's size with the size recorded in it. */
  lookClosely(): void {
    this.lookNow()
    // another process may rebuild the file between the two measurements, whereas a real fault remains
    for (let tries = 0; tries < 3; tries++) if (!this.isCutOff()) return
    this.trouble ??= { what: 'cut off', part: '' }
    this.refuse()
  }

  /**
   * Checks for the last time. Returns whether, when the handle is closed, the log may be moved into the database and removed, as the last
   * handle does. This is not allowed if another process may have new files open, or if the database has changed.
   */
  mayClose(): boolean {
    try {
      this.lookNow()
    } catch {
      // the caller already knows about the loss, or makes no more requests
    }
    return this.trouble === null || (this.trouble.what === 'removed' && this.trouble.part !== '')
  }

  private lookNow(): void {
    this.lookedAt = Number.NEGATIVE_INFINITY
    this.foundAt = Number.NEGATIVE_INFINITY
    this.look()
  }

  private findDatabase(): Trouble | null {
    const database = statSync(this.path, QUIETLY)
    if (database === undefined) return { what: 'removed', part: '' }
    if (!isSameFile(database, this.known[''])) return { what: 'replaced', part: '' }
    return database.size === 0 ? { what: 'emptied', part: '' } : null
  }

  private findBeside(): Trouble | null {
    let gone: Trouble | null = null
    for (const part of BESIDE) {
      const found = statSync(this.path + part, QUIETLY)
      if (found === undefined) gone ??= { what: 'removed', part }
      else if (!isSameFile(found, this.known[part])) return { what: 'replaced', part }
    }
    return gone
  }

  /**
   * Moves the content of a log that has lost its name into the database while the log still exists. The log may lose its name after the
   * other file does, and a reader may block part of it. Later checks therefore retry until everything is saved.
   */
  private saveLog(): void {
    if (this.isLogSaved || this.trouble?.part === '' || fileId(`${this.path}-wal`) !== null) return
    try {
      const done = this.db.get<{ busy: number; log: number; checkpointed: number }>('PRAGMA wal_checkpoint(PASSIVE)')
      this.isLogSaved = done !== undefined && done.busy === 0 && done.checkpointed === done.log
    } catch {
      // pages that cannot be saved now are saved when the handle is closed
    }
  }

  private isCutOff(): boolean {
    try {
      const said = this.db.get<{ pages: number; size: number }>(
        'SELECT page_count AS pages, page_size AS size FROM pragma_page_count, pragma_page_size',
      )
      return said !== undefined && bytesHeld(this.path, said.size) < said.pages * said.size
    } catch (error) {
      const code = resultCode(error)
      if (code !== RESULT.corrupt && code !== RESULT.notadb) throw toServiceError(error, this.path)
      // SQLite itself compares the sizes when it reads the first page again
      this.trouble = { what: 'damaged', part: '' }
      return true
    }
  }
}

/** Returns whether the log has any content. */
export function hasLog(path: string): boolean {
  return (statSync(`${path}-wal`, QUIETLY)?.size ?? 0) > 0
}

/**
 * Returns the files' size in bytes, including reserved space. The log is measured first, because its content is moved into the database.
 */
function bytesHeld(path: string, pageBytes: number): number {
  const log = statSync(`${path}-wal`, QUIETLY)?.size ?? 0
  const database = statSync(path, QUIETLY)?.size ?? 0
  return database + (log / (pageBytes + FRAME_HEAD_BYTES)) * pageBytes
}

function lost(path: string, { what, part }: Trouble): ServiceError {
  const name = `${basename(path)}${part}`
  const remedy =
    what === 'removed'
      ? `Put ${name} back where it was, or restart this process.`
      : 'Stop this process, put the correct database back or restore a snapshot, and start it again.'
  return new ServiceError(
    'store_lost',
    `The file ${name} was ${what} while this process had it open; nothing was done.`,
    { suggestions: [remedy] },
  )
}
