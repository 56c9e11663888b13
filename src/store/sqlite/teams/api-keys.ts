/** API keys as rows. Only their hashes are stored. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { KeyHolder, KeyRecord } from '../../team.ts'
import type { Connection } from '../connection.ts'
import { PlainRows } from '../plain-rows.ts'
import { type AsRow, asRecord, asRow } from '../record-names.ts'
import { fromRow, TEAM_COLUMNS_NAMED, type TeamRow } from './row.ts'

type KeyRow = AsRow<Omit<KeyRecord, 'isOperator'>> & { readonly is_operator: number }

const KEYS = new PlainRows<KeyRow>('api_key', [
  'key_id',
  'team_id',
  'hash',
  'prefix',
  'label',
  'is_operator',
  'created_on',
  'last_used_at',
  'revoked_at',
])

/** The label of a key that a server creates for itself and that ends with it; `HOST PID` follows. */
export const SESSION_LABEL = 'session '

export function insertKey(db: Connection, key: KeyRecord): void {
  KEYS.insert(
    db,
    asRow({ ...key, isOperator: key.isOperator ? 1 : 0 }),
    `ON CONFLICT (hash) DO UPDATE SET
       key_id=excluded.key_id, team_id=excluded.team_id, prefix=excluded.prefix, label=excluded.label,
       is_operator=excluded.is_operator, created_on=excluded.created_on, last_used_at=excluded.last_used_at,
       revoked_at=excluded.revoked_at`,
  )
}

export function allKeys(db: Connection, teamId: TeamId | null): KeyRecord[] {
  const order = 'ORDER BY created_on, key_id'
  const rows = teamId === null ? KEYS.all(db, order) : KEYS.all(db, `WHERE team_id=? ${order}`, teamId)
  return rows.map(recordOf)
}

export function findKey(db: Connection, hash: string): KeyRecord | null {
  const row = KEYS.get(db, 'WHERE hash=?', hash)
  return row ? recordOf(row) : null
}

/** Revokes a key. One that is already revoked stays as it is. Returns null if there is none. */
export function revoke(db: Connection, keyId: string, at: EpochMs): KeyRecord | null {
  db.run('UPDATE api_key SET revoked_at=? WHERE key_id=? AND revoked_at IS NULL', at, keyId)
  const row = KEYS.get(db, 'WHERE key_id=?', keyId)
  return row ? recordOf(row) : null
}

/** Revokes the keys of servers in a copy of the store: no server runs on it that would revoke its own. */
export function revokeSessions(db: Connection, at: EpochMs): void {
  db.run('UPDATE api_key SET revoked_at=? WHERE revoked_at IS NULL AND label GLOB ?', at, `${SESSION_LABEL}*`)
}

export function holderOf(db: Connection, hash: string): KeyHolder | null {
  const row = db.get<TeamRow & Pick<KeyRow, 'key_id' | 'is_operator' | 'last_used_at'>>(
    `SELECT key_id, is_operator, last_used_at, ${TEAM_COLUMNS_NAMED}
     FROM api_key JOIN team USING (team_id) WHERE hash=? AND revoked_at IS NULL`,
    hash,
  )
  if (!row) return null
  return { team: fromRow(row), keyId: row.key_id, isOperator: row.is_operator === 1, lastUsedAt: row.last_used_at }
}

export function noteUse(db: Connection, keyId: string, day: EpochMs): void {
  db.run('UPDATE api_key SET last_used_at=? WHERE key_id=?', day, keyId)
}

function recordOf(row: KeyRow): KeyRecord {
  return { ...asRecord(row), isOperator: row.is_operator === 1 }
}
