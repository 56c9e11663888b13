/** Stores console sessions and one-time tokens as rows. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { ConsoleSession, ConsoleToken, SessionEnds, SessionHolder, SessionOwner } from '../../console/session.ts'
import { tablesOfLife } from '../../tables/catalogue.ts'
import { CONSOLE_SESSION, CONSOLE_TOKEN } from '../../tables/server.ts'
import { part, read, write, writeAside } from '../part.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { type AsRow, asRecord, asRow } from '../rows/record-names.ts'
import { command, one, query, remembered, run, type Steps } from '../steps.ts'
import { fromRow, TEAM_COLUMNS_NAMED, type TeamRow } from '../teams/row.ts'

type SessionRow = AsRow<ConsoleSession>
type TokenRow = AsRow<ConsoleToken>

const SESSIONS = new PlainRows<SessionRow>(CONSOLE_SESSION)
const TOKENS = new PlainRows<TokenRow>(CONSOLE_TOKEN)

interface HolderRow extends TeamRow {
  readonly key_id: string | null
  readonly created_at: number
  readonly last_seen_at: number
  readonly label: string | null
  readonly is_operator: number | null
  readonly last_used_at: number | null
}

const IS_WORKING = (table: string): string =>
  `(${table}.key_id IS NULL OR EXISTS (SELECT 1 FROM api_key WHERE api_key.key_id=${table}.key_id AND revoked_at IS NULL))`

const HOLDER = query<HolderRow>(
  `SELECT console_session.key_id AS key_id, created_at, last_seen_at, label, is_operator, last_used_at, ${TEAM_COLUMNS_NAMED}
   FROM console_session JOIN team ON team.team_id=console_session.team_id
   LEFT JOIN api_key ON api_key.key_id=console_session.key_id
   WHERE console_session.hash=? AND (console_session.key_id IS NULL OR (api_key.key_id IS NOT NULL AND revoked_at IS NULL))`,
)
const FIND_TOKEN = TOKENS.query(`WHERE hash=? AND ${IS_WORKING('console_token')}`)
const REMOVE_TOKEN = command('DELETE FROM console_token WHERE hash=?')
const NOTE_SEEN = command('UPDATE console_session SET last_seen_at=? WHERE hash=? AND last_seen_at<?')
const REMOVE_SESSION = command('DELETE FROM console_session WHERE hash=?')
const REMOVE_ALL = tablesOfLife('session').map(({ name: table }) => ({
  ofKey: command(`DELETE FROM ${table} WHERE team_id=? AND key_id=?`),
  ofOwner: command(`DELETE FROM ${table} WHERE team_id=? AND key_id IS NULL`),
}))
const REMOVE_ENDED = command(
  `DELETE FROM console_session WHERE created_at<? OR last_seen_at<? OR NOT ${IS_WORKING('console_session')}`,
)
const REMOVE_EXPIRED = command(`DELETE FROM console_token WHERE expires_at<? OR NOT ${IS_WORKING('console_token')}`)

export class ConsoleStore extends part({
  addToken: write((token: ConsoleToken) => TOKENS.put(asRow(token))),
  takeToken: writeAside(takeToken),
  addSession: writeAside((session: ConsoleSession) => SESSIONS.put(asRow(session))),
  /** Returns the session, whatever its age, with its team and key. Returns null if there is no such session or its key was revoked. */
  holderOf: read((hash: string) => remembered(`console session ${hash}`, () => findHolder(hash))),
  noteSeen: writeAside((hash: string, at: EpochMs) => run(NOTE_SEEN, [at, hash, at])),
  /** Ends one session. */
  remove: writeAside((hash: string) => run(REMOVE_SESSION, [hash])),
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
  const { key_id: keyId, created_at: createdAt, last_seen_at: lastSeenAt } = row
  return {
    session: { hash, teamId: team.teamId, keyId, createdAt, lastSeenAt },
    team,
    key:
      keyId === null
        ? null
        : { label: row.label ?? '', isOperator: row.is_operator === 1, lastUsedAt: row.last_used_at },
  }
}

/** Ends all sessions of a key or of the data folder's owner in one team, and invalidates unused tokens. */
function* removeSessions({ teamId, keyId }: SessionOwner): Steps<void> {
  for (const { ofKey, ofOwner } of REMOVE_ALL) {
    if (keyId === null) yield* run(ofOwner, [teamId])
    else yield* run(ofKey, [teamId, keyId])
  }
}

/** Removes ended sessions and the sessions of revoked keys. Returns the number of removed rows. */
function* removeEnded({ createdBefore, seenBefore, expiredBefore }: SessionEnds): Steps<number> {
  const sessions = yield* run(REMOVE_ENDED, [createdBefore, seenBefore])
  return sessions + (yield* run(REMOVE_EXPIRED, [expiredBefore]))
}
