/**
 * Opens a data folder's database. Never creates an empty database in place of a lost one, and never opens a database while another process
 * has different files open.
 */
import { randomBytes } from 'node:crypto'
import { statSync } from 'node:fs'
import { DatabaseSync } from '@photostructure/sqlite'
import { ServiceError } from '../../core/errors.ts'
import { type DataFolder, otherServer } from '../folder/data-folder.ts'
import { BESIDE, type FileIds, fileIds, isSameFile } from '../folder/file-ids.ts'
import {
  beginStore,
  type DatabaseLoss,
  isLostWhenEmpty,
  lossBySize,
  readOwnMark,
  readStoreMark,
  type StoreMark,
  writeStoreMark,
} from '../folder/store-mark.ts'
import { putSetting, STORE_ID, setting } from '../logic/teams/settings.ts'
import { isUnfinishedCopy, UNFINISHED_REMEDIES, UNFINISHED_WHY } from '../logic/unfinished-copy.ts'
import { type DatabaseOptions, SqliteDatabase } from './database.ts'
import { RETRY_MS } from './lock-wait.ts'
import { LostDatabase } from './lost-database.ts'
import { isBusy } from './result-codes.ts'
import { putSnapshotInPlace } from './snapshots/recovery.ts'

export interface OpeningOptions extends Pick<DatabaseOptions, 'waitForLock' | 'realNow' | 'onCount'> {
  readonly folder: DataFolder
  /** The snapshot that replaces a lost database. If absent, a lost database is refused. */
  readonly restoring?: string | undefined
  /** Whether the store is opened in order to copy into it. If false or absent, an unfinished copy is refused. */
  readonly isForCopy?: boolean | undefined
  /** Called with a line that describes each action. */
  readonly note?: ((line: string) => void) | undefined
}

/** First schema version with an ID in the database. */
const VERSION_WITH_ID = 6
/** How long to wait for another process that may be opening or closing the database, and for a server to report its open files. */
const NEIGHBOUR_WAIT_MS = 5_000
const SERVER_WAIT_MS = 1_000

/**
 * Opens the database. Creates it in a new folder. Throws ServiceError `data_damaged` for a lost database, `data_folder` for an unfinished
 * copy, `store_lost` if another process has lost its files, and the errors of SqliteDatabase.
 */
export function openDatabase(options: OpeningOptions): SqliteDatabase {
  const { folder, restoring, note } = options
  try {
    return openMarked(options)
  } catch (error) {
    if (!(error instanceof LostDatabase) || restoring === undefined) throw error
    const mark = readStoreMark(folder)
    note?.(putSnapshotInPlace(folder, restoring, mark.kind === 'made' ? mark.storeId : null))
    return openMarked(options)
  }
}

function openMarked(options: OpeningOptions): SqliteDatabase {
  const { folder } = options
  // read the mark before the database, because a process that creates a database writes the mark last
  const found = readOwnMark(folder)
  const loss = lossBySize(folder, found)
  if (loss !== null) throw new LostDatabase(folder, loss)
  const mark = found.kind === 'none' && isEmpty(folder.database) ? beginStore(folder) : found
  const db = openBesideOthers({ ...options, identify: (version, db) => refuseLost(version, db, folder, mark) })
  try {
    if (!options.isForCopy && db.drive(isUnfinishedCopy())) throw unfinishedCopy(folder)
    if (mark.kind !== 'made') writeStoreMark(folder, readStoreId(db))
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

function unfinishedCopy({ path }: DataFolder): ServiceError {
  return new ServiceError('data_folder', `The data folder ${path} cannot be used: ${UNFINISHED_WHY}.`, {
    suggestions: UNFINISHED_REMEDIES,
  })
}

/** Returns the database's ID. If the database has lost its ID, for example because the row could not be salvaged, it gets a new one. */
function readStoreId(db: SqliteDatabase): string {
  const known = () => db.drive(setting(STORE_ID))?.toString()
  return (
    known() ??
    db.transactNow(() => {
      const storeId = known() ?? randomBytes(16).toString('hex')
      db.drive(putSetting(STORE_ID, storeId))
      return storeId
    })
  )
}

function isEmpty(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0
}

function refuseLost(version: number, db: SqliteDatabase, folder: DataFolder, mark: StoreMark): void {
  const loss = detectLoss(version, db, folder, mark)
  if (loss !== null) throw new LostDatabase(folder, loss)
}

function detectLoss(version: number, db: SqliteDatabase, folder: DataFolder, mark: StoreMark): DatabaseLoss | null {
  if (version === 0) return isLostWhenEmpty(folder, mark, 'empty') ? 'empty' : null
  if (mark.kind !== 'made') return null
  if (version < VERSION_WITH_ID) return 'older'
  return db.drive(setting(STORE_ID)) === mark.storeId ? null : 'foreign'
}

/**
 * Opens a handle on the same files that all other processes have open. A process whose log index was removed continues with the file that
 * no longer has a name. A new process would not know about that file, and each process would overwrite the other's writes.
 */
function openBesideOthers(options: OpeningOptions & Pick<DatabaseOptions, 'identify'>): SqliteDatabase {
  const { folder, waitForLock, realNow, onCount, note, identify } = options
  const path = folder.database
  const began = Date.now()
  for (;;) {
    const before = filesToJoin(folder, began)
    const db = new SqliteDatabase({ path, waitForLock, durable: true, realNow, onCount, note, identify })
    const after = fileIds(path)
    const isJoined = BESIDE.every(part => !before[part] || isSameFile(before[part], after[part]))
    if (isJoined) return db
    // the last other process has closed the files in the meantime, or they were removed
    db.close()
    if (Date.now() - began > NEIGHBOUR_WAIT_MS) throw othersAreLost(folder)
  }
}

/** Returns the files once they can be opened safely, because other processes are using the same files or no process has them open. */
function filesToJoin(folder: DataFolder, began: number): FileIds {
  for (;;) {
    const files = otherServer(folder)?.files
    const found = fileIds(folder.database)
    if (found[''] === null) return found
    if (files && !isSameFile(files[''], found[''])) throw othersAreLost(folder)
    const isServers = BESIDE.every(part => files === undefined || isSameFile(files[part], found[part]))
    if (found['-wal'] && found['-shm'] && isServers) return found
    if (isAlone(folder.database)) return found
    if (Date.now() - began > (files ? SERVER_WAIT_MS : NEIGHBOUR_WAIT_MS)) throw othersAreLost(folder)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS)
  }
}

/** Returns whether no process has the database open. Every handle with a log holds a lock for as long as it exists. */
function isAlone(path: string): boolean {
  let db: InstanceType<typeof DatabaseSync> | undefined
  try {
    db = new DatabaseSync(path)
    // if there is no index to share, SQLite needs exclusive access to the database
    db.exec('PRAGMA busy_timeout=0; PRAGMA locking_mode=EXCLUSIVE; SELECT count(*) FROM sqlite_schema')
    return true
  } catch (error) {
    // other problems with the file are reported when it is opened
    return !isBusy(error)
  } finally {
    db?.close()
  }
}

function othersAreLost(folder: DataFolder): ServiceError {
  const server = otherServer(folder)
  const who = server ? `The svc serve with process id ${server.pid}` : 'Another process'
  return new ServiceError(
    'store_lost',
    `${who} has files of this database open that were removed or replaced: anything written now would be lost.`,
    {
      suggestions: [
        server
          ? `Stop that process and run the command again. If it is not svc serve, remove ${folder.path}/serve.json.`
          : 'Stop the other processes that use this data folder, and run the command again.',
      ],
    },
  )
}
