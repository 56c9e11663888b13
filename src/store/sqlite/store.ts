/** The SQLite adapter for the store's port: one file in WAL mode, one transaction per call. See docs/storage.md. */
import { type RealTime, systemTime } from '../../core/clock.ts'
import type { DataFolder } from '../folder/data-folder.ts'
import { DataStore } from '../imports/data-store.ts'
import type { Database } from '../logic/database.ts'
import { type Parts, partsOver } from '../logic/parts.ts'
import { auditingDatabase, type OwedEntry } from '../logic/teams/audit.ts'
import { idempotentDatabase } from '../logic/teams/keyed-responses.ts'
import type { Store } from '../port.ts'
import type { SnapshotSharing } from '../sharing.ts'
import { SqliteDatabase } from './database.ts'

import { type OpeningOptions, openDatabase } from './opening.ts'
import { recordingDatabase } from './recordings/entries.ts'
import { SqliteRecordings } from './recordings/recordings.ts'
import { SqliteSnapshots } from './snapshots/snapshots.ts'
import { SqliteUpkeep } from './upkeep.ts'

export interface SqliteOptions extends Omit<OpeningOptions, 'realNow'> {
  /** Real time. Defaults to the system's time. */
  readonly time?: RealTime | undefined
}

export interface SqliteStore extends Store {
  readonly sharing: SnapshotSharing
}

/** Opens a data folder's database, or creates it. Throws `data_folder`, `data_too_new`, `data_damaged` or `store_lost`. */
export function openSqliteStore(options: SqliteOptions): SqliteStore {
  // SQLite's temporary files also contain health data and must stay in the folder; SQLite reads the variable once, before it opens a file
  process.env['SQLITE_TMPDIR'] ??= options.folder.scratch
  const { time = systemTime, folder } = options
  const sqlite = openDatabase({ ...options, realNow: () => time.now() })
  return { ...storeOver({ sqlite, db: sqlite, folder }), sharing: sqlite }
}

/** Opens a separate store with the newest schema in a scratch file of the data folder. It uses `time` as real time. */
export function openScratchStore(path: string, folder: DataFolder, time: RealTime): Store {
  const sqlite = new SqliteDatabase({ path, waitForLock: 'blocking', durable: false, realNow: () => time.now() })
  return storeOver({ sqlite, db: sqlite, folder: { ...folder, database: path } })
}

/** Arguments of a store's constructor. */
interface Origin {
  readonly sqlite: SqliteDatabase
  readonly folder: DataFolder
  /** The database that the parts read from and write to. It may be wrapped so that every write does more. */
  readonly db: Database
  /** The audit trail entry of this store's call, if it has not been written yet. */
  readonly owed?: OwedEntry
}

function storeOver({ sqlite, folder, db, owed }: Origin): Store {
  const parts = partsOver(db)
  const over = (changed: Pick<Origin, 'db' | 'owed'>): Store => storeOver({ sqlite, folder, ...changed })
  // use assignments, because spreading so many parts takes 18 µs longer, and every audited call opens a store
  return Object.assign(parts, {
    data: new DataStore(db, folder.scratch),
    snapshots: new SqliteSnapshots(db, { sqlite, folder, owed }),
    recordings: new SqliteRecordings(db, folder, owed),
    upkeep: new SqliteUpkeep(sqlite, folder),
    lacks: () => false,
    async close() {
      await sqlite.settled()
      sqlite.close()
    },
    auditing(entry) {
      const audited = auditingDatabase(db, entry)
      return { store: over(audited), isAudited: audited.isAudited }
    },
    idempotent(call, responseTo) {
      const idempotent = idempotentDatabase(db, call, responseTo)
      return { store: over(idempotent), hasChanged: idempotent.hasChanged }
    },
    recording(recorded) {
      const recording = recordingDatabase(db, recorded)
      // an audit trail entry or a session is not a separate change, and actions at providers cannot be repeated
      const { audit, console, live } = parts
      return { store: { ...over(recording), audit, console, live }, entry: recording.entry }
    },
  } satisfies Omit<Store, keyof Parts>)
}
