/** Replaces an empty state with a replayed one. Keys are kept, as are the endpoints of teams that are in both states. */
import { ServiceError } from '../../../core/errors.ts'
import type { Database } from '../../logic/database.ts'
import { many, query, type Steps } from '../../logic/steps.ts'
import { SESSION_LABEL } from '../../logic/teams/api-keys.ts'
import { setting } from '../../logic/teams/settings.ts'
import { LOCAL_TEAM } from '../../logic/teams/teams.ts'
import type { Replaced } from '../../snapshot.ts'
import { SqliteDatabase } from '../database.ts'
import { SCHEMA_VERSION } from '../schema.ts'
import type { Replacement, Run } from '../snapshots/replacement.ts'
import { restoreState } from '../snapshots/restore.ts'

type Row = Readonly<Record<string, string | number | Uint8Array | null>>

/**
 * Adopts the state. `path` is a database with the newest schema that no process has open. Throws the same errors as restoring a snapshot.
 */
export async function adoptState(
  db: Database,
  path: string,
  options: Pick<Replacement, 'database' | 'owed' | 'signal'>,
): Promise<Replaced> {
  const kept = await db.read(whatIsKept)
  const other = new SqliteDatabase({ path, waitForLock: 'blocking', durable: false })
  try {
    other.transactNow(() => {
      const local = other.drive(localTeam())
      const teamOf = (row: Row): Row => (row['team_id'] === kept.local && local ? { ...row, team_id: local } : row)
      for (const row of kept.keys) insertOfTeam(other, 'api_key', teamOf(row))
      // their secrets are sealed for their team
      for (const row of kept.endpoints) insertOfTeam(other, 'endpoint', row)
    })
  } finally {
    other.close()
  }
  return restoreState(path, SCHEMA_VERSION, { ...options, refuse: refuseUsers })
}

/** Throws if users were created while the recording was being replayed, because they must not disappear. */
async function refuseUsers(run: Run): Promise<void> {
  const [row] = await run<{ users: number }>('SELECT count(*) AS users FROM main.user')
  if ((row?.users ?? 0) === 0) return
  throw new ServiceError(
    'conflict',
    'Users were created while the recording was replayed. Nothing from the recording was kept.',
    {
      suggestions: ['Replay it on a data folder that no one else uses.'],
    },
  )
}

// restoring a snapshot already keeps the keys of running servers
const KEYS = query<Row>(`SELECT * FROM api_key WHERE label NOT GLOB '${SESSION_LABEL}*'`)
const ENDPOINTS = query<Row>('SELECT * FROM endpoint')

function* whatIsKept() {
  return { local: yield* localTeam(), keys: yield* many(KEYS), endpoints: yield* many(ENDPOINTS) }
}

function* localTeam(): Steps<string | undefined> {
  return (yield* setting(LOCAL_TEAM))?.toString()
}

/** Inserts a row, unless it belongs to a team that is not in the recording. */
function insertOfTeam(db: SqliteDatabase, table: string, row: Row): void {
  const names = Object.keys(row)
  const team = row['team_id'] ?? null
  db.run(
    `INSERT INTO ${table} (${names.join(', ')}) SELECT ${names.map(() => '?').join(', ')}
     WHERE EXISTS (SELECT 1 FROM team WHERE team_id=?) ON CONFLICT DO NOTHING`,
    ...names.map(name => row[name] ?? null),
    team,
  )
}
