/** The users that are people of a seed, as rows. */
import type { UserId } from '../../../core/ids.ts'
import type { PersonRecord, PersonStore } from '../../person.ts'
import type { UserRecord } from '../../user.ts'
import type { Connection } from '../connection.ts'
import { insertUser } from './users.ts'

export class SqlitePeople implements PersonStore {
  private readonly db: Connection

  constructor(db: Connection) {
    this.db = db
  }

  create(user: UserRecord, { seed, number }: PersonRecord) {
    return this.db.write(() => {
      const outcome = insertUser(this.db, user)
      if (outcome.kind === 'created') {
        this.db.run('INSERT INTO person (user_id, seed, number) VALUES (?,?,?)', user.userId, seed, number)
      }
      return outcome
    })
  }

  find(userId: UserId) {
    return this.db.read(
      () => this.db.get<PersonRecord>('SELECT seed, number FROM person WHERE user_id=?', userId) ?? null,
    )
  }
}
