/** Stores as rows which users are synthetic people. Their providers return the data of a person derived from a seed. */
import type { UserId } from '../../../core/ids.ts'
import type { CreateOutcome, UserRecord } from '../../user.ts'
import { part, read, write } from '../part.ts'
import { PEOPLE } from '../rows/tables.ts'
import { one, type Steps } from '../steps.ts'
import { insertUser } from './users.ts'

/** Identifies one of a seed's people. */
interface PersonRecord {
  readonly seed: number
  /** Number of the person, starting at 1. */
  readonly number: number
}

const FIND_PERSON = PEOPLE.query('WHERE user_id=?')

export class PersonStore extends part({
  create: write(insertPerson),
  find: read(findPerson),
}) {}

/** Creates the user and records the synthetic person, in one transaction. */
function* insertPerson(user: UserRecord, { seed, number }: PersonRecord): Steps<CreateOutcome> {
  const outcome = yield* insertUser(user)
  if (outcome.kind === 'created') yield* PEOPLE.insert({ user_id: user.userId, seed, number })
  return outcome
}

/** Returns the synthetic person behind a user, or null if there is none. */
function* findPerson(userId: UserId): Steps<PersonRecord | null> {
  const row = yield* one(FIND_PERSON, [userId])
  return row ? { seed: row.seed, number: row.number } : null
}
