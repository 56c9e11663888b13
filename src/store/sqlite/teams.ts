/** Teams, API keys (hashes alone) and settings of the data folder as rows. */
import type { ClockState } from '../../core/clock.ts'
import type { TeamId } from '../../core/ids.ts'
import type { EpochMs } from '../../core/time.ts'
import type { KeyRecord, TeamRecord } from '../port.ts'
import type { Connection } from './connection.ts'
import { hastenQueryJobs } from './jobs.ts'

interface TeamRow {
  readonly team_id: string
  readonly name: string
  readonly created_on: number
  readonly reject_duplicate_connection: number
}

const COLUMNS = 'team_id, name, created_on, reject_duplicate_connection'

const LOCAL_TEAM = 'local_team'
const CLOCK_OFFSET = 'clock_offset_ms'

export function readClock(connection: Connection): ClockState {
  return { offsetMs: Number(setting(connection, CLOCK_OFFSET) ?? 0) }
}

/** `now` is what the clock says then. */
export function writeClock(connection: Connection, state: ClockState, now: EpochMs): void {
  hastenQueryJobs(connection, now)
  putSetting(connection, CLOCK_OFFSET, state.offsetMs)
}

export function findLocalTeam(connection: Connection): TeamRecord | null {
  const id = setting(connection, LOCAL_TEAM)
  return typeof id === 'string' ? findTeam(connection, id as TeamId) : null
}

export function insertLocalTeam(connection: Connection, team: TeamRecord): void {
  connection.run(
    `INSERT INTO team (${COLUMNS}) VALUES (?,?,?,?)`,
    team.teamId,
    team.name,
    team.createdOn,
    team.rejectDuplicateConnection ? 1 : 0,
  )
  putSetting(connection, LOCAL_TEAM, team.teamId)
}

export function findTeam(connection: Connection, teamId: TeamId): TeamRecord | null {
  return fromRow(connection.get<TeamRow>(`SELECT ${COLUMNS} FROM team WHERE team_id=?`, teamId))
}

export function insertKey(connection: Connection, key: KeyRecord): void {
  connection.run(
    `INSERT INTO api_key (key_id, team_id, hash, label, created_on) VALUES (?,?,?,?,?)
     ON CONFLICT (hash) DO UPDATE SET
       key_id=excluded.key_id, team_id=excluded.team_id, label=excluded.label, created_on=excluded.created_on, revoked_at=NULL`,
    key.keyId,
    key.teamId,
    key.hash,
    key.label,
    key.createdOn,
  )
}

export function liveKeys(connection: Connection): KeyRecord[] {
  return connection
    .all<{ key_id: string; team_id: string; hash: string; label: string; created_on: number }>(
      'SELECT key_id, team_id, hash, label, created_on FROM api_key WHERE revoked_at IS NULL ORDER BY created_on, key_id',
    )
    .map(row => ({
      keyId: row.key_id,
      teamId: row.team_id as TeamId,
      hash: row.hash,
      label: row.label,
      createdOn: row.created_on,
    }))
}

export function revoke(connection: Connection, keyId: string, at: number): void {
  connection.run('UPDATE api_key SET revoked_at=? WHERE key_id=? AND revoked_at IS NULL', at, keyId)
}

export function teamByKey(connection: Connection, hash: string): TeamRecord | null {
  return fromRow(
    connection.get<TeamRow>(
      `SELECT ${COLUMNS} FROM team WHERE team_id=(SELECT team_id FROM api_key WHERE hash=? AND revoked_at IS NULL)`,
      hash,
    ),
  )
}

function fromRow(row: TeamRow | undefined): TeamRecord | null {
  if (!row) return null
  return {
    teamId: row.team_id as TeamId,
    name: row.name,
    createdOn: row.created_on,
    rejectDuplicateConnection: row.reject_duplicate_connection === 1,
  }
}

function setting(connection: Connection, name: string): string | number | undefined {
  return connection.get<{ value: string | number }>('SELECT value FROM setting WHERE name=?', name)?.value
}

function putSetting(connection: Connection, name: string, value: string | number): void {
  connection.run(
    'INSERT INTO setting (name, value) VALUES (?,?) ON CONFLICT (name) DO UPDATE SET value=excluded.value',
    name,
    value,
  )
}
