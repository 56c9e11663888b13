/** Stores API keys as rows. Only their hashes are stored. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import { API_KEY } from '../../tables/teams.ts'
import type { KeyHolder, KeyRecord } from '../../team.ts'
import { PlainRows } from '../rows/plain-rows.ts'
import { type AsRow, asRecord, asRow } from '../rows/record-names.ts'
import { command, many, one, query, run, type Steps } from '../steps.ts'
import { fromRow, TEAM_COLUMNS_NAMED, type TeamRow } from './row.ts'

type KeyRow = AsRow<Omit<KeyRecord, 'isOperator'>> & { readonly is_operator: number }

const KEYS = new PlainRows<KeyRow>(API_KEY, ['hash'])

/** Label prefix of a key that a server creates for itself and that becomes invalid when the server stops. It is followed by `HOST PID`. */
export const SESSION_LABEL = 'session '

const ALL_KEYS = KEYS.query('ORDER BY created_on, key_id')
const KEYS_OF_TEAM = KEYS.query('WHERE team_id=? ORDER BY created_on, key_id')
const FIND_KEY = KEYS.query('WHERE hash=?')
const KEY_BY_ID = KEYS.query('WHERE key_id=?')
const REVOKE = command('UPDATE api_key SET revoked_at=? WHERE key_id=? AND revoked_at IS NULL')
const REVOKE_SESSIONS = command(
  `UPDATE api_key SET revoked_at=? WHERE revoked_at IS NULL AND substr(label, 1, ${SESSION_LABEL.length})='${SESSION_LABEL}'`,
)
const NOTE_USE = command('UPDATE api_key SET last_used_at=? WHERE key_id=?')
const HOLDER = query<TeamRow & Pick<KeyRow, 'key_id' | 'is_operator' | 'last_used_at'>>(
  `SELECT key_id, is_operator, last_used_at, ${TEAM_COLUMNS_NAMED}
   FROM api_key JOIN team USING (team_id) WHERE hash=? AND revoked_at IS NULL`,
)

/** Adds a key. If a key with this hash exists, for example a revoked one, it is replaced and becomes valid again under the new ID. */
export function* insertKey(key: KeyRecord): Steps<void> {
  yield* KEYS.put(asRow({ ...key, isOperator: key.isOperator ? 1 : 0 }))
}

/** Returns the keys of a team, or of all teams (null), oldest first. Includes revoked keys. */
export function* allKeys(teamId: TeamId | null): Steps<KeyRecord[]> {
  const rows = teamId === null ? yield* many(ALL_KEYS) : yield* many(KEYS_OF_TEAM, [teamId])
  return rows.map(toRecord)
}

/** Returns the key with this hash, revoked or not, or null. */
export function* findKey(hash: string): Steps<KeyRecord | null> {
  const row = yield* one(FIND_KEY, [hash])
  return row ? toRecord(row) : null
}

/** Revokes the key, unless it is already revoked. Returns the key, or null if there is none. */
export function* revoke(keyId: string, at: EpochMs): Steps<KeyRecord | null> {
  yield* run(REVOKE, [at, keyId])
  const row = yield* one(KEY_BY_ID, [keyId])
  return row ? toRecord(row) : null
}

/** Revokes the keys of servers in a copy of the store, because no server is running on the copy to revoke its own key. */
export function* revokeSessions(at: EpochMs): Steps<void> {
  yield* run(REVOKE_SESSIONS, [at])
}

export function* findKeyHolder(hash: string): Steps<KeyHolder | null> {
  const row = yield* one(HOLDER, [hash])
  if (!row) return null
  return { team: fromRow(row), keyId: row.key_id, isOperator: row.is_operator === 1, lastUsedAt: row.last_used_at }
}

export function* noteUse(keyId: string, day: EpochMs): Steps<void> {
  yield* run(NOTE_USE, [day, keyId])
}

function toRecord(row: KeyRow): KeyRecord {
  return { ...asRecord(row), isOperator: row.is_operator === 1 }
}
