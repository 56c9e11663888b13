/** The users that are synthetic people, as rows. */
import type { UserId } from '../../../core/ids.ts'
import type { PersonRecord, PersonStore } from '../../person.ts'
import type { UserRecord } from '../../user.ts'
import { PEOPLE } from '../checksums/more-tables.ts'
import { Part } from '../part.ts'
import { insertUser } from './users.ts'

export class SqlitePeople extends Part implements PersonStore {
  create(user: UserRecord, { seed, number }: PersonRecord) {
    return this.db.write(() => {
      const outcome = insertUser(this.db, user)
      if (outcome.kind === 'created') {
        PEOPLE.insert(this.db, { user_id: user.userId, seed, number })
      }
      return outcome
    })
  }

  find(userId: UserId) {
    return this.db.read(() => {
      const row = PEOPLE.get(this.db, 'WHERE user_id=?', userId)
      return row ? { seed: row.seed, number: row.number } : null
    })
  }
}
