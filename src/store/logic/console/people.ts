/** Stores the people who sign in to the console as rows. */
import type { Role } from '../../../catalogue/roles.ts'
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { ConsolePerson, PersonChanges } from '../../console/person.ts'
import type { ConsoleToken } from '../../console/session.ts'
import { CONSOLE_PERSON } from '../../tables/people.ts'
import { part, read, write } from '../part.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { type AsRow, asRecord, asRow } from '../rows/record-names.ts'
import { command, exists, many, one, query, run, type Steps } from '../steps.ts'
import { removeSessions, TOKENS } from './sessions.ts'

type PersonRow = AsRow<ConsolePerson>

const PEOPLE = new PlainRows<PersonRow>(CONSOLE_PERSON)

const ALL_PEOPLE = PEOPLE.query('ORDER BY created_on, person_id')
const FIND_PERSON = PEOPLE.query('WHERE person_id=? AND removed_at IS NULL')
const OTHER_OF_NAME = query(
  'SELECT 1 FROM console_person WHERE team_id=? AND name=? AND person_id<>? AND removed_at IS NULL',
)
const CHANGE_PERSON = command('UPDATE console_person SET name=?, role=? WHERE person_id=?')
const REMOVE_PERSON = command('UPDATE console_person SET removed_at=? WHERE person_id=?')
const REMOVE_PASSKEYS = command('DELETE FROM console_passkey WHERE person_id=?')

export class ConsolePersonStore extends part({
  add: write(addPerson),
  /** Returns all people, oldest first, including removed ones. */
  all: read(allPeople),
  change: write(changePerson),
  remove: write(removePerson),
}) {}

/** Adds a person with the token of the first sign-in, if one is given. Returns `taken` if another person of the team has the name. */
function* addPerson(person: ConsolePerson, token: ConsoleToken | null): Steps<'added' | 'taken'> {
  if (yield* exists(OTHER_OF_NAME, [person.teamId, person.name, person.personId])) return 'taken'
  yield* PEOPLE.put(asRow(person))
  if (token !== null) yield* TOKENS.put(asRow(token))
  return 'added'
}

function* allPeople(): Steps<ConsolePerson[]> {
  return (yield* many(ALL_PEOPLE)).map(toRecord)
}

function* findPerson(personId: string): Steps<ConsolePerson | null> {
  const row = yield* one(FIND_PERSON, [personId])
  return row ? toRecord(row) : null
}

/** Changes a person. Returns the changed person, `taken` if another one has the new name, or null if there is no such person. */
function* changePerson(personId: string, changes: PersonChanges): Steps<ConsolePerson | 'taken' | null> {
  const known = yield* findPerson(personId)
  if (known === null) return null
  const changed = { ...known, ...changes }
  if (yield* exists(OTHER_OF_NAME, [changed.teamId, changed.name, personId])) return 'taken'
  yield* run(CHANGE_PERSON, [changed.name, changed.role, personId])
  return changed
}

/** Removes a person with the person's passkeys, and ends the person's sessions. Returns the person, or null if there is none. */
function* removePerson(personId: string, at: EpochMs): Steps<ConsolePerson | null> {
  const known = yield* findPerson(personId)
  if (known === null) return null
  yield* run(REMOVE_PERSON, [at, personId])
  yield* run(REMOVE_PASSKEYS, [personId])
  yield* removeSessions({ teamId: known.teamId, keyId: null, personId })
  return { ...known, removedAt: at }
}

function toRecord(row: PersonRow): ConsolePerson {
  // this store wrote the team ID and the role
  return { ...asRecord(row), teamId: row.team_id as TeamId, role: row.role as Role }
}
