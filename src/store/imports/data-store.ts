/**
 * Implements the part of the port that writes data, for every kind of store. Data is written immediately, or collected in a SQLite scratch
 * file during an import.
 */
import type { Database } from '../logic/database.ts'
import { part, writeAbout } from '../logic/part.ts'
import { writeHeld } from '../logic/samples/data-writer.ts'
import { ImportSpool } from './spool.ts'

export class DataStore extends part({ write: writeAbout(writeHeld) }) {
  private readonly db: Database
  private readonly scratch: string

  /** `scratch` is the folder for scratch files. */
  constructor(db: Database, scratch: string) {
    super(db)
    this.db = db
    this.scratch = scratch
  }

  async openSpool(): Promise<ImportSpool> {
    return new ImportSpool(this.db, this.scratch)
  }
}
