/** Stores console sessions and one-time tokens as rows. */

import type { Role } from '../../../catalogue/roles.ts'
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type {
  ConsoleSession,
  ConsoleToken,
  ListedSession,
  SessionEnds,
  SessionHolder,
  SessionOwner,
} from '../../console/session.ts'
import { CONSOLE_SESSION, CONSOLE_TOKEN } from '../../tables/server.ts'
import { part, read, write, writeAside } from '../part.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { type AsRow, asRecord, asRow } from '../rows/record-names.ts'
import { command, many, one, query, remembered, run, type Steps } from '../steps.ts'
import { fromRow, TEAM_COLUMNS_NAMED, type TeamRow } from '../teams/row.ts'

type SessionRow = AsRow<ConsoleSession>
export type TokenRow = AsRow<ConsoleToken>

const SESSIONS = new PlainRows<SessionRow>(CONSOLE_SESSION)
export const TOKENS = new PlainRows<TokenRow>(CONSOLE_TOKEN)

interface HolderRow extends TeamRow {
  readonly key_id: string | null
  readonly person_id: string | null
  readonly created_at: number
  readonly last_seen_at: number
  readonly browser: string
  readonly label: string | null
  readonly is_operator: number | null
  readonly last_used_at: number | null
  readonly person_name: string | null
  readonly role: string | null
}

/** Condition for rows of a table whose key has not been revoked and whose person has not been removed. */
const IS_WORKING = (table: string): string =>
  `(${table}.key_id IS NULL OR EXISTS (SELECT 1 FROM api_key WHERE api_key.key_id=${table}.key_id AND revoked_at IS NULL))
   AND (${table}.person_id IS NULL OR EXISTS (SELECT 1 FROM console_person
     WHERE console_person.person_id=${table}.person_id AND removed_at IS NULL))`

const HOLDER = query<HolderRow>(
  `SELECT console_session.key_id AS key_id, console_session.person_id AS person_id, created_at, last_seen_at, browser, label, is_operator,
     last_used_at, console_person.name AS person_name, role, ${TEAM_COLUMNS_NAMED}
   FROM console_session JOIN team ON team.team_id=console_session.team_id
   LEFT JOIN api_key ON api_key.key_id=console_session.key_id
   LEFT JOIN console_person ON console_person.person_id=console_session.person_id
   WHERE console_session.hash=? AND ${IS_WORKING('console_session')}`,
)
const ALL_SESSIONS = query<SessionRow & { readonly name: string | null }>(
  `SELECT ${Object.keys(CONSOLE_SESSION.columns)
    .map(column => `console_session.${column}`)
    .join(', ')}, coalesce(console_person.name, label) AS name
   FROM console_session LEFT JOIN api_key ON api_key.key_id=console_session.key_id
   LEFT JOIN console_person ON console_person.person_id=console_session.person_id
   WHERE ${IS_WORKING('console_session')} ORDER BY console_session.created_at DESC, console_session.hash`,
)
const FIND_TOKEN = TOKENS.query(`WHERE hash=? AND ${IS_WORKING('console_token')}`)
const REMOVE_TOKEN = command('DELETE FROM console_token WHERE hash=?')
const NOTE_SEEN = command('UPDATE console_session SET last_seen_at=? WHERE hash=? AND last_seen_at<?')
const REMOVE_SESSION = command('DELETE FROM console_session WHERE hash=?')
const REMOVE_ALL = [CONSOLE_SESSION, CONSOLE_TOKEN].map(({ name: table }) => ({
  ofKey: command(`DELETE FROM ${table} WHERE team_id=? AND key_id=?`),
  ofPerson: command(`DELETE FROM ${table} WHERE person_id=?`),
  ofOwner: command(`DELETE FROM ${table} WHERE team_id=? AND key_id IS NULL AND person_id IS NULL`),
}))
const REMOVE_ENDED = command(
  `DELETE FROM console_session WHERE created_at<? OR last_seen_at<? OR NOT (${IS_WORKING('console_session')})`,
)
const REMOVE_EXPIRED = command(`DELETE FROM console_token WHERE expires_at<? OR NOT (${IS_WORKING('console_token')})`)
const REMOVE_CHALLENGES = command('DELETE FROM console_challenge WHERE expires_at<?')

export class ConsoleStore extends part({
  addToken: write((token: ConsoleToken) => TOKENS.put(asRow(token))),
  takeToken: writeAside(takeToken),
  addSession: writeAside((session: ConsoleSession) => SESSIONS.put(asRow(session))),
  /**
   * Returns the session, whatever its age, with its team and its key or person. Returns null if there is no such session, its key was
   * revoked or its person was removed.
   */
  holderOf: read((hash: string) => remembered(`console session ${hash}`, () => findHolder(hash))),
  /** Returns all sessions, whatever their age, newest first, except those of revoked keys and removed people. */
  all: read(allSessions),
  noteSeen: writeAside((hash: string, at: EpochMs) => run(NOTE_SEEN, [at, hash, at])),
  /** Ends one session. */
  remove: writeAside((hash: string) => run(REMOVE_SESSION, [hash])),
  /** Ends one session by an operation. Returns 0 if it has already ended. */
  end: write((hash: string) => run(REMOVE_SESSION, [hash])),
  removeAllOf: writeAside(removeSessions),
  removeEnded: writeAside(removeEnded),
}) {}

/** Removes the token, and returns it if it has not expired. Of several concurrent callers, only one gets it. */
function* takeToken(hash: string, now: EpochMs): Steps<ConsoleToken | null> {
  const row = yield* one(FIND_TOKEN, [hash])
  // only one of several concurrent callers removes the row
  if ((yield* run(REMOVE_TOKEN, [hash])) === 0 || !row || row.expires_at < now) return null
  return { ...asRecord(row), teamId: row.team_id as TeamId } // the team ID was written by this store
}

function* findHolder(hash: string): Steps<SessionHolder | null> {
  const row = yield* one(HOLDER, [hash])
  if (!row) return null
  const team = fromRow(row)
  const { key_id: keyId, person_id: personId, created_at: createdAt, last_seen_at: lastSeenAt, browser } = row
  return {
    session: { hash, teamId: team.teamId, keyId, personId, createdAt, lastSeenAt, browser },
    team,
    key:
      keyId === null
        ? null
        : { label: row.label ?? '', isOperator: row.is_operator === 1, lastUsedAt: row.last_used_at },
    // the condition requires the person's row, and this store wrote its role
    person: personId === null ? null : { personId, name: row.person_name ?? '', role: row.role as Role },
  }
}

function* allSessions(): Steps<ListedSession[]> {
  const rows = yield* many(ALL_SESSIONS)
  return rows.map(row => ({ ...asRecord(row), teamId: row.team_id as TeamId })) // the team ID was written by this store
}

/** Ends all sessions of a key, a person, or the data folder's owner in one team, and invalidates unused tokens. */
export function* removeSessions({ teamId, keyId, personId }: SessionOwner): Steps<void> {
  for (const { ofKey, ofPerson, ofOwner } of REMOVE_ALL) {
    if (personId !== null) yield* run(ofPerson, [personId])
    else if (keyId === null) yield* run(ofOwner, [teamId])
    else yield* run(ofKey, [teamId, keyId])
  }
}

/** Removes ended sessions, the sessions of revoked keys, and expired challenges. Returns the number of removed rows. */
function* removeEnded({ createdBefore, seenBefore, expiredBefore }: SessionEnds): Steps<number> {
  const sessions = yield* run(REMOVE_ENDED, [createdBefore, seenBefore])
  const tokens = yield* run(REMOVE_EXPIRED, [expiredBefore])
  return sessions + tokens + (yield* run(REMOVE_CHALLENGES, [expiredBefore]))
}
