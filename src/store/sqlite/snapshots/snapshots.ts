/** Stores named copies of the database in the data folder or writes copies elsewhere, and restores them. */
import { join } from 'node:path'
import { ServiceError } from '../../../core/errors.ts'
import { type DataFolder, scratchName } from '../../folder/data-folder.ts'
import type { Database } from '../../logic/database.ts'
import { part, read } from '../../logic/part.ts'
import { remembered } from '../../logic/steps.ts'
import type { OwedEntry } from '../../logic/teams/audit.ts'
import { readEpoch } from '../../logic/teams/settings.ts'
import type { SnapshotMoment, SnapshotRecord, SnapshotStore } from '../../snapshot.ts'
import type { SqliteDatabase } from '../database.ts'
import { copyDatabaseTo } from './copy.ts'
import { describeSnapshot } from './moment.ts'
import { publish, removeSnapshot, snapshotNames, snapshotPath } from './named-files.ts'
import { resetState } from './reset.ts'
import { restoreState } from './restore.ts'

interface SnapshotOptions {
  readonly sqlite: SqliteDatabase
  readonly folder: DataFolder
  readonly owed: OwedEntry | undefined
}

export class SqliteSnapshots
  extends part({ epoch: read(() => remembered('epoch', readEpoch)) })
  implements SnapshotStore
{
  private readonly sqlite: SqliteDatabase
  private readonly folder: DataFolder
  private readonly owed: OwedEntry | undefined

  constructor(db: Database, { sqlite, folder, owed }: SnapshotOptions) {
    super(db)
    this.sqlite = sqlite
    this.folder = folder
    this.owed = owed
  }

  async copyTo(path: string, at: SnapshotMoment) {
    this.sqlite.files?.look()
    return copyDatabaseTo(this.folder.database, path, at)
  }

  async save(name: string, at: SnapshotMoment, mayReplace: boolean): Promise<SnapshotRecord | null> {
    const path = snapshotPath(this.folder.database, name)
    const draft = join(this.folder.scratch, scratchName('snapshot'))
    await this.copyTo(draft, at)
    const saved = describeSnapshot(name, draft)
    if (saved === null) throw new Error('a snapshot that was just written cannot be read')
    return publish(draft, path, mayReplace) ? saved : null
  }

  async list() {
    return snapshotNames(this.folder.database).flatMap(name => this.find(name) ?? [])
  }

  async remove(name: string) {
    return removeSnapshot(snapshotPath(this.folder.database, name))
  }

  async restore(name: string, signal?: AbortSignal) {
    if (!snapshotNames(this.folder.database).includes(name)) return null
    const found = this.find(name)
    if (found === null) {
      throw new ServiceError('conflict', 'The file with that name is not a snapshot, or it is damaged.', {
        suggestions: ['Restore another snapshot, and delete this file.'],
      })
    }
    const path = snapshotPath(this.folder.database, name)
    return restoreState(path, found.schemaVersion, this.shared(signal))
  }

  async reset(signal?: AbortSignal) {
    return resetState(this.shared(signal))
  }

  private shared(signal: AbortSignal | undefined) {
    // the thread that does the work opens the files by name
    this.sqlite.files?.look()
    return { database: this.folder.database, owed: this.owed, signal }
  }

  private find(name: string): SnapshotRecord | null {
    return describeSnapshot(name, snapshotPath(this.folder.database, name))
  }
}
