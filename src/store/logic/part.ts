/** What every part of a store is made from. */
import type { Database } from './database.ts'

/** A part of the port over a database, which all parts of a store share. */
export abstract class Part {
  protected readonly db: Database

  constructor(db: Database) {
    this.db = db
  }
}
