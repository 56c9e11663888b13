/** Implements the part of the SQLite store that maintains the database file. */
import { statSync } from 'node:fs'
import { type DataFolder, removeAbandoned } from '../folder/data-folder.ts'

import { statistics } from '../logic/statistics.ts'
import type { CheckProgress, ScrubOptions, UpkeepStore } from '../upkeep.ts'
import { checkDatabase } from './check/check.ts'
import { rewriteUnchecked } from './check/rewrite.ts'
import { checkRoom } from './check-room.ts'
import type { SqliteDatabase } from './database.ts'
import { SCHEMA_VERSION } from './schema.ts'
import { scrub } from './scrub.ts'

export class SqliteUpkeep implements UpkeepStore {
  private readonly sqlite: SqliteDatabase
  private readonly folder: DataFolder

  constructor(sqlite: SqliteDatabase, folder: DataFolder) {
    this.sqlite = sqlite
    this.folder = folder
  }

  async ping() {
    this.sqlite.files?.lookClosely()
    await this.sqlite.read(() => this.sqlite.get('SELECT 1 FROM setting LIMIT 1'))
  }

  reachableShare() {
    return 1
  }

  checkRoom() {
    return checkRoom(this.sqlite, this.folder.path)
  }

  scrub(options: ScrubOptions) {
    removeAbandoned(this.folder.scratch)
    return scrub(this.sqlite, options)
  }

  async statistics() {
    return { ...(await statistics(this.sqlite)), files: this.fileSizes(), server: null, schemaVersion: SCHEMA_VERSION }
  }

  fileSizes() {
    const { path } = this.sqlite
    return { fileBytes: fileSize(path), walBytes: fileSize(`${path}-wal`) }
  }

  wire() {
    return null
  }

  check(onProgress?: (progress: CheckProgress) => void) {
    return checkDatabase(this.sqlite, onProgress)
  }

  rewriteUnchecked() {
    return rewriteUnchecked(this.sqlite)
  }
}

function fileSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
