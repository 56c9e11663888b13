/** Stores the passkeys of people as rows, and which challenges were used. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { ConsolePasskey, ListedPasskey, UsedChallenge } from '../../console/passkey.ts'
import { CONSOLE_CHALLENGE, CONSOLE_PASSKEY } from '../../tables/people.ts'
import { part, read, write } from '../part.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { type AsRow, asRecord, asRow } from '../rows/record-names.ts'
import { command, exists, many, one, query, run, type Steps } from '../steps.ts'

type PasskeyRow = AsRow<ListedPasskey>

const PASSKEYS = new PlainRows<AsRow<ConsolePasskey>>(CONSOLE_PASSKEY)
const CHALLENGES = new PlainRows<AsRow<UsedChallenge>>(CONSOLE_CHALLENGE)

const LISTED = `SELECT ${Object.keys(CONSOLE_PASSKEY.columns)
  .map(column => `console_passkey.${column}`)
  .join(', ')}, console_person.name AS person_name
  FROM console_passkey JOIN console_person ON console_person.person_id=console_passkey.person_id`
const ALL_PASSKEYS = query<PasskeyRow>(`${LISTED} WHERE removed_at IS NULL ORDER BY created_at, passkey_id`)
const FIND_PASSKEY = query<PasskeyRow>(`${LISTED} WHERE removed_at IS NULL AND credential_id=?`)
const IS_KNOWN = query('SELECT 1 FROM console_passkey WHERE credential_id=?')
const IS_USED = query('SELECT 1 FROM console_challenge WHERE hash=?')
const NOTE_USE = command(
  // an authenticator that counts never reports the same counter twice
  'UPDATE console_passkey SET sign_count=?, last_used_at=? WHERE passkey_id=? AND (sign_count<? OR sign_count+?=0)',
)
const REMOVE_PASSKEY = command('DELETE FROM console_passkey WHERE passkey_id=?')

export class ConsolePasskeyStore extends part({
  add: write(addPasskey),
  /** Returns the passkeys of all people, oldest first. */
  all: read(allPasskeys),
  /** Returns the passkey with an authenticator's ID, or null. */
  find: read(findPasskey),
  use: write(usePasskey),
  /** Removes a passkey. Returns 0 if there is none. */
  remove: write((passkeyId: string) => run(REMOVE_PASSKEY, [passkeyId])),
}) {}

/** Adds a passkey. Returns false if the challenge was used before, or if the authenticator's ID is already stored. */
function* addPasskey(passkey: ConsolePasskey, challenge: UsedChallenge): Steps<boolean> {
  if (yield* exists(IS_KNOWN, [passkey.credentialId])) return false
  if ((yield* CHALLENGES.add(asRow(challenge))) === 0) return false
  yield* PASSKEYS.put(asRow(passkey))
  return true
}

function* allPasskeys(): Steps<ListedPasskey[]> {
  return (yield* many(ALL_PASSKEYS)).map(toRecord)
}

function* findPasskey(credentialId: string): Steps<ListedPasskey | null> {
  const row = yield* one(FIND_PASSKEY, [credentialId])
  return row ? toRecord(row) : null
}

/** Stores that a passkey was used. Returns false if the challenge was used before, the counter did not grow, or the passkey is gone. */
function* usePasskey(passkeyId: string, challenge: UsedChallenge, signCount: number, at: EpochMs): Steps<boolean> {
  if (yield* exists(IS_USED, [challenge.hash])) return false
  if ((yield* run(NOTE_USE, [signCount, at, passkeyId, signCount, signCount])) === 0) return false
  return (yield* CHALLENGES.add(asRow(challenge))) > 0
}

function toRecord(row: PasskeyRow): ListedPasskey {
  return { ...asRecord(row), teamId: row.team_id as TeamId } // this store wrote the team ID
}
