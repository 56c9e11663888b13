/** Determines a database's state, for readers that must neither wait nor change anything. */
import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import { dataFolderAt } from '../folder/data-folder.ts'
import type { FolderState, Readiness, StoreSchema } from '../folder/folder-state.ts'
import { lossBySize, readOwnMark } from '../folder/store-mark.ts'
import { hasLog } from './database-files.ts'
import { APPLICATION_ID } from './migrations.ts'
import { isBusy } from './result-codes.ts'
import { isKnownVersion, SCHEMA_VERSION } from './schema.ts'
import { schemaCopies } from './schema-copy.ts'

/** Maximum size of a file to check. Checking a larger file would be slow. */
const MOST_CHECKED_BYTES = 256e6
/** Maximum time for which a writing process holds its lock. */
const LOCK_MS = 1_000
const RETRY_MS = 50

/**
 * Checks a data folder quickly: its database, lock and pages, but not every row. Changes nothing. Throws ServiceError `data_folder` if the
 * folder cannot be read or belongs to a PostgreSQL store.
 */
export async function folderState(path: string): Promise<FolderState> {
  const folder = dataFolderAt(path)
  const { database: file } = folder
  const isLost = existsSync(path) && lossBySize(folder, readOwnMark(folder)) !== null
  const found = isLost ? null : readIdentity(file)
  const schema: StoreSchema = {
    version: typeof found === 'object' ? (found?.version ?? null) : null,
    newest: SCHEMA_VERSION,
    copies: schemaCopies(file),
  }
  if (found === null) return { kind: 'lost', file, schema }
  const first = kindOf(found)
  const kind = first === 'ready' ? await checkedState(file) : first
  if (kind !== 'ready') return { kind, file, schema }
  const bytes = statSync(file).size
  return { kind, file, schema, bytes, isRead: bytes <= MOST_CHECKED_BYTES }
}

async function checkedState(file: string): Promise<Readiness> {
  const began = performance.now()
  while (writeLockState(file) === 'locked') {
    if (performance.now() - began > LOCK_MS) return 'locked'
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
  }
  return statSync(file).size > MOST_CHECKED_BYTES ? 'ready' : pageState(file)
}

/** Returns whether a database can be read immediately without changing it. Never throws. */
export function readiness(database: string): Readiness {
  return kindOf(readIdentity(database))
}

/** The schema version of a database of ours, or why it cannot be read. */
type Identity = { readonly version: number } | 'absent' | 'damaged' | 'locked'

function readIdentity(database: string): Identity {
  // opening a missing file would create it
  if (!existsSync(database)) return 'absent'
  return looking<Identity>(database, db => {
    const found = db
      .prepare('SELECT user_version, application_id FROM pragma_user_version, pragma_application_id')
      .get()
    const { user_version, application_id } = found as Record<string, unknown> // a row is an object
    return application_id === APPLICATION_ID ? { version: Number(user_version) } : 'damaged'
  })
}

function kindOf(identity: Identity): Readiness {
  if (typeof identity === 'string') return identity
  const { version } = identity
  if (version === SCHEMA_VERSION) return 'ready'
  if (version > SCHEMA_VERSION) return 'newer'
  return isKnownVersion(version) ? 'older' : 'unreleased'
}

/** Returns whether a database's pages and indexes are intact. Reads the whole file but does not check its rows. Never throws. */
function pageState(database: string): Readiness {
  return looking(database, db => {
    const [row] = db.prepare('PRAGMA quick_check(1)').all()
    return (row as Record<string, unknown>)['quick_check'] === 'ok' ? 'ready' : 'damaged' // a row is an object
  })
}

/** Returns `locked` while another process holds the write lock on a database that is ready. Never throws. */
function writeLockState(database: string): Readiness {
  let db: InstanceType<typeof DatabaseSync> | undefined
  try {
    db = new DatabaseSync(database)
    db.exec('PRAGMA busy_timeout=0; BEGIN IMMEDIATE; ROLLBACK')
    return 'ready'
  } catch (error) {
    return isBusy(error) ? 'locked' : 'damaged'
  } finally {
    db?.close()
  }
}

/**
 * Opens a database to inspect it. The last handle to close writes the log to the file and removes the log. A damaged file must not change,
 * so a file with a log is opened only for reading. Without a log, there is nothing to write, and a read-only handle would create an empty
 * log.
 */
function looking<T>(database: string, look: (db: InstanceType<typeof DatabaseSync>) => T): T | 'locked' | 'damaged' {
  let db: InstanceType<typeof DatabaseSync> | undefined
  try {
    db = new DatabaseSync(database, { readOnly: hasLog(database) })
    db.exec('PRAGMA busy_timeout=0')
    return look(db)
  } catch (error) {
    return isBusy(error) ? 'locked' : 'damaged'
  } finally {
    db?.close()
  }
}
