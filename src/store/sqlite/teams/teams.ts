/** Teams and their settings as rows. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import {
  DEFAULT_TEAM_SETTINGS,
  type KeyRecord,
  type NewTeam,
  type TeamChanges,
  type TeamRecord,
  type TeamStore,
} from '../../team.ts'
import type { Connection } from '../connection.ts'
import { hastenRetention } from '../events/retention.ts'
import { Part } from '../part.ts'
import { allKeys, findKey, holderOf, insertKey, noteUse, revoke } from './api-keys.ts'
import { findTeam, fromRow, TEAM_COLUMNS, type TeamRow } from './row.ts'
import { putSetting, setting } from './settings.ts'
import { countTeam, countWhileNeeded, isCounted } from './stored-bytes.ts'

/** The setting that names the local team. */
export const LOCAL_TEAM = 'local_team'

export class SqliteTeams extends Part implements TeamStore {
  private readonly noted = new Map<string, EpochMs>()

  create(team: NewTeam, key: KeyRecord) {
    return this.db.write(() => {
      if (isTaken(this.db, team.name, team.teamId)) return 'taken' as const
      insertTeam(this.db, team)
      insertKey(this.db, key)
      return 'created' as const
    })
  }

  all() {
    return this.db.read(() =>
      this.db
        .all<TeamRow & { user_count: number; bytes: number | null }>(
          `SELECT ${TEAM_COLUMNS}, user_count,
             CASE WHEN max_bytes IS NULL THEN NULL ELSE
               (SELECT coalesce(sum(stored_bytes), 0) FROM user WHERE user.team_id=team.team_id) END AS bytes
           FROM team ORDER BY created_on, team_id`,
        )
        .map(row => ({ team: fromRow(row), users: row.user_count, bytes: row.bytes })),
    )
  }

  find(teamId: TeamId) {
    return this.db.read(() => findTeam(this.db, teamId))
  }

  async change(teamId: TeamId, changes: TeamChanges) {
    for (;;) {
      // before the limit applies: otherwise what is already stored would not count
      if (typeof changes.maxBytes === 'number') await countTeam(this.db, teamId)
      const outcome = await this.db.write(() => {
        // the last limit of another team may have been removed in the meantime, and the counting with it
        if (typeof changes.maxBytes === 'number' && !isCounted(this.db, teamId)) return 'uncounted'
        const changed = changeTeam(this.db, teamId, changes)
        countWhileNeeded(this.db)
        return changed
      })
      if (outcome !== 'uncounted') return outcome
    }
  }

  addKey(key: KeyRecord) {
    return this.db.write(() => insertKey(this.db, key))
  }

  revokeKey(keyId: string, at: EpochMs) {
    return this.db.write(() => revoke(this.db, keyId, at))
  }

  keys(teamId: TeamId | null) {
    return this.db.read(() => allKeys(this.db, teamId))
  }

  keyOf(hash: string) {
    return this.db.read(() => findKey(this.db, hash))
  }

  holderOf(hash: string) {
    return this.db.read(() => this.db.remembered(`key ${hash}`, () => holderOf(this.db, hash)))
  }

  async noteUse(keyId: string, day: EpochMs) {
    // many calls may arrive before the first of them has been noted
    if (this.noted.get(keyId) === day) return
    this.noted.set(keyId, day)
    await this.db.write(() => noteUse(this.db, keyId, day))
  }
}

/** Returns the local team, or null before its first use. */
export function findLocalTeam(db: Connection): TeamRecord | null {
  const id = setting(db, LOCAL_TEAM)
  return typeof id === 'string' ? findTeam(db, id as TeamId) : null
}

export function insertLocalTeam(db: Connection, team: NewTeam): TeamRecord {
  insertTeam(db, team)
  putSetting(db, LOCAL_TEAM, team.teamId)
  return findTeam(db, team.teamId) as TeamRecord
}

function insertTeam(db: Connection, team: NewTeam): void {
  db.run(`INSERT INTO team (${TEAM_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?)`, ...valuesOf(team))
}

function changeTeam(db: Connection, teamId: TeamId, changes: TeamChanges): TeamRecord | 'taken' | null {
  const known = findTeam(db, teamId)
  if (known === null) return null
  const changed = { ...known, ...changes }
  if (isTaken(db, changed.name, teamId)) return 'taken'
  const [, name, , ...settings] = valuesOf(changed)
  db.run(
    `UPDATE team SET name=?, reject_duplicate_connection=?, user_limit=?, user_info_beta=?, aggregate_beta=?,
       compatibility_date=?, event_days=?, max_bytes=?, max_requests_per_second=?, max_in_flight=? WHERE team_id=?`,
    name as string,
    ...settings,
    teamId,
  )
  if (changed.eventDays !== known.eventDays) hastenRetention(db, teamId)
  return changed
}

function isTaken(db: Connection, name: string, except: TeamId): boolean {
  return db.get('SELECT 1 FROM team WHERE name=? AND team_id<>?', name, except) !== undefined
}

/** Returns the values in the order of TEAM_COLUMNS. */
function valuesOf(team: NewTeam): (string | number | null)[] {
  const settings = { ...DEFAULT_TEAM_SETTINGS, ...team }
  const { rejectDuplicateConnection, userLimit, betas, compatibilityDate, eventDays } = settings
  return [
    team.teamId,
    team.name,
    team.createdOn,
    rejectDuplicateConnection ? 1 : 0,
    userLimit,
    betas.user_info ? 1 : 0,
    betas.aggregate ? 1 : 0,
    compatibilityDate,
    eventDays,
    settings.maxBytes,
    settings.maxRequestsPerSecond,
    settings.maxInFlight,
  ]
}
