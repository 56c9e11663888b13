/** Stores teams and their settings as rows. */
import type { TeamId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import { DEFAULT_TEAM_SETTINGS, type KeyRecord, type NewTeam, type TeamChanges, type TeamRecord } from '../../team.ts'
import type { Database } from '../database.ts'
import { hastenRetention } from '../events/retention.ts'
import { onDatabase, part, read, write } from '../part.ts'
import { command, exists, many, query, remembered, run, type Steps, together } from '../steps.ts'
import { allKeys, findKey, findKeyHolder, insertKey, noteUse, revoke } from './api-keys.ts'
import { findTeam, fromRow, TEAM_COLUMNS, type TeamRow } from './row.ts'
import { putSetting, setting } from './settings.ts'
import { bytesOfTeam, countTeam, countWhileNeeded, isCounted } from './stored-bytes.ts'

/** Setting with the local team's ID. */
export const LOCAL_TEAM = 'local_team'

const ALL_TEAMS = query<TeamRow & { readonly user_count: number }>(
  `SELECT ${TEAM_COLUMNS}, user_count FROM team ORDER BY created_on, team_id`,
)
const ADD_TEAM = command(`INSERT INTO team (${TEAM_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)`)
const CHANGE_TEAM = command(
  `UPDATE team SET name=?, reject_duplicate_connection=?, user_limit=?, user_info_beta=?, aggregate_beta=?,
     compatibility_date=?, event_days=?, max_bytes=?, max_requests_per_second=?, max_in_flight=?, merges=?,
     mixed_kinds=?, keep_import_days=? WHERE team_id=?`,
)
const OTHER_OF_NAME = query('SELECT 1 FROM team WHERE name=? AND team_id<>?')

export class TeamStore extends part({
  create: write(createTeam),
  all: read(allTeams),
  local: onDatabase(localTeam),
  find: read(findTeam),
  change: onDatabase(changeTeam),
  addKey: write(insertKey),
  revokeKey: write(revoke),
  keys: read(allKeys),
  keyOf: read(findKey),
  /** Returns the holder of an unrevoked key, or null. */
  holderOf: read((hash: string) => remembered(`key ${hash}`, () => findKeyHolder(hash))),
}) {
  private readonly noted = new Map<string, EpochMs>()
  private readonly db: Database

  constructor(db: Database) {
    super(db)
    this.db = db
  }

  /** Records the day on which a key was used. */
  async noteUse(keyId: string, day: EpochMs): Promise<void> {
    // many calls may arrive before the first use has been recorded
    if (this.noted.get(keyId) === day) return
    this.noted.set(keyId, day)
    await this.db.write(() => noteUse(keyId, day))
  }
}

/** Creates a team and its first key. Returns `taken` if another team has the name. */
function* createTeam(team: NewTeam, key: KeyRecord): Steps<'created' | 'taken'> {
  if (yield* isTaken(team.name, team.teamId)) return 'taken'
  yield* insertTeam(team)
  yield* insertKey(key)
  return 'created'
}

/**
 * Returns all teams, oldest first, with their number of active users. If a team has a byte limit, also returns the number of bytes that its
 * users store.
 */
function* allTeams(): Steps<{ readonly team: TeamRecord; readonly users: number; readonly bytes: number | null }[]> {
  const rows = yield* many(ALL_TEAMS)
  const limited = rows.filter(row => row.max_bytes !== null)
  const sums = yield* together(...limited.map(row => bytesOfTeam(row.team_id)))
  const bytes = new Map(limited.map((row, i) => [row.team_id, sums[i] ?? 0]))
  return rows.map(row => ({ team: fromRow(row), users: row.user_count, bytes: bytes.get(row.team_id) ?? null }))
}

/** Changes a team. Returns the changed team, `taken` if another team has the new name, or null if there is no such team. */
async function changeTeam(db: Database, teamId: TeamId, changes: TeamChanges): Promise<TeamRecord | 'taken' | null> {
  for (;;) {
    // count before the limit applies, because otherwise the data that is already stored would not be included
    if (typeof changes.maxBytes === 'number') await countTeam(db, teamId)
    const outcome = await db.write(() => changeCounted(teamId, changes))
    if (outcome !== 'uncounted') return outcome
  }
}

function* changeCounted(teamId: TeamId, changes: TeamChanges): Steps<TeamRecord | 'taken' | 'uncounted' | null> {
  // the limit of another team may have been removed in the meantime, which stopped the counting
  if (typeof changes.maxBytes === 'number' && !(yield* isCounted(teamId))) return 'uncounted'
  const changed = yield* putChanges(teamId, changes)
  yield* countWhileNeeded()
  return changed
}

/** Returns the local team. Creates it from the candidate on first use. */
async function localTeam(db: Database, candidate: () => Promise<NewTeam>): Promise<TeamRecord> {
  const known = await db.read(() => findLocalTeam())
  if (known) return known
  const team = await candidate()
  // another process may have created it in the meantime, so check again inside the transaction
  return db.write(() => localTeamOr(team))
}

function* localTeamOr(candidate: NewTeam): Steps<TeamRecord> {
  return (yield* findLocalTeam()) ?? (yield* insertLocalTeam(candidate))
}

/** Returns the local team, or null before its first use. */
function* findLocalTeam(): Steps<TeamRecord | null> {
  const id = yield* setting(LOCAL_TEAM)
  return typeof id === 'string' ? yield* findTeam(id as TeamId) : null
}

function* insertLocalTeam(team: NewTeam): Steps<TeamRecord> {
  yield* insertTeam(team)
  yield* putSetting(LOCAL_TEAM, team.teamId)
  return (yield* findTeam(team.teamId)) as TeamRecord
}

function* insertTeam(team: NewTeam): Steps<void> {
  yield* run(ADD_TEAM, teamValues(team))
}

function* putChanges(teamId: TeamId, changes: TeamChanges): Steps<TeamRecord | 'taken' | null> {
  const known = yield* findTeam(teamId)
  if (known === null) return null
  const changed = { ...known, ...changes }
  if (yield* isTaken(changed.name, teamId)) return 'taken'
  const [, , , ...settings] = teamValues(changed)
  yield* run(CHANGE_TEAM, [changed.name, ...settings, teamId])
  if (changed.eventDays !== known.eventDays) yield* hastenRetention(teamId)
  return changed
}

function* isTaken(name: string, except: TeamId): Steps<boolean> {
  return yield* exists(OTHER_OF_NAME, [name, except])
}

/** Returns a team's values in the order of TEAM_COLUMNS. */
function teamValues(team: NewTeam): (string | number | null)[] {
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
    settings.queryDefaults.merges ? 1 : 0,
    settings.queryDefaults.mixedKinds,
    settings.keepImportDays,
  ]
}
