/** What every part of a store is made from. */
import type { UserId } from '../../core/ids.ts'
import type { Database } from './database.ts'
import type { Steps } from './steps.ts'
import { lockingUser } from './users/lock.ts'

/** A part of the port over a database, which all parts of a store share. */
export abstract class Part {
  protected readonly db: Database

  constructor(db: Database) {
    this.db = db
  }

  /** Runs a body that writes rows of a user. Only the creation of a user needs no lock. */
  protected writeAbout<T>(userId: UserId, body: () => Steps<T>): Promise<T> {
    return this.db.write(() => lockingUser(userId, body))
  }

  /** The same for a write that accompanies a call. */
  protected writeAsideAbout<T>(userId: UserId, body: () => Steps<T>): Promise<T> {
    return this.db.writeAside(() => lockingUser(userId, body))
  }
}
