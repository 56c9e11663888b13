/** What every part of the SQLite adapter is made from. */
import type { DataFolder } from '../folder/data-folder.ts'
import type { Connection } from './connection.ts'

/** A part of the port over a connection, which all parts of a store share. */
export abstract class Part {
  protected readonly db: Connection

  constructor(db: Connection) {
    this.db = db
  }
}

/** A part that also uses files of the data folder. */
export abstract class FolderPart extends Part {
  protected readonly folder: DataFolder

  constructor(db: Connection, folder: DataFolder) {
    super(db)
    this.folder = folder
  }
}
