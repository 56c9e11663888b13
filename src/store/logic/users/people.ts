/** The users that are synthetic people, as rows. */
import type { UserId } from '../../../core/ids.ts'
import type { PersonRecord, PersonStore } from '../../person.ts'
import type { CreateOutcome, UserRecord } from '../../user.ts'
import { Part } from '../part.ts'
import { PEOPLE } from '../rows/tables.ts'
import { one, type Steps } from '../steps.ts'
import { insertUser } from './users.ts'

const FIND_PERSON = PEOPLE.query('WHERE user_id=?')

export class StoredPeople extends Part implements PersonStore {
  create(user: UserRecord, person: PersonRecord) {
    return this.db.write(() => insertPerson(user, person))
  }

  find(userId: UserId) {
    return this.db.read(() => findPerson(userId))
  }
}

function* insertPerson(user: UserRecord, { seed, number }: PersonRecord): Steps<CreateOutcome> {
  const outcome = yield* insertUser(user)
  if (outcome.kind === 'created') yield* PEOPLE.insert({ user_id: user.userId, seed, number })
  return outcome
}

function* findPerson(userId: UserId): Steps<PersonRecord | null> {
  const row = yield* one(FIND_PERSON, [userId])
  return row ? { seed: row.seed, number: row.number } : null
}
