/** The part of the port that writes data: at once, or gathered by an import, in a scratch file of SQLite whatever the store is. */
import type { UserId } from '../../../core/ids.ts'
import type { DataStore, DataWrite } from '../../data-write.ts'
import type { Database } from '../../logic/database.ts'
import { Part } from '../../logic/part.ts'
import { writeHeld } from '../../logic/samples/data-writer.ts'
import { ImportSpool } from './spool.ts'

export class StoredData extends Part implements DataStore {
  private readonly scratch: string

  /** `scratch` is the folder for scratch files. */
  constructor(db: Database, scratch: string) {
    super(db)
    this.scratch = scratch
  }

  write(userId: UserId, write: DataWrite) {
    return this.writeAbout(userId, () => writeHeld(userId, write))
  }

  async openSpool() {
    return new ImportSpool(this.db, this.scratch)
  }
}
