/** Rebuilds teams whose rows were lost but which other rows refer to. They get a new team's settings. */
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { LOCAL_TEAM } from '../../logic/teams/teams.ts'
import type { Losses } from './losses.ts'

/** Rebuilds lost teams in a file with any schema version. */
export function rebuildTeams(database: DatabaseSyncInstance, losses: Losses): void {
  const all = (sql: string): { team_id: string; created_on: number }[] =>
    database.prepare(sql).all() as { team_id: string; created_on: number }[]
  const lost = all(
    `SELECT team_id, min(created_on) AS created_on FROM (SELECT team_id, created_on FROM user UNION ALL SELECT team_id, created_on FROM api_key)
     WHERE team_id NOT IN (SELECT team_id FROM team) GROUP BY team_id`,
  )
  const add = database.prepare('INSERT INTO team (team_id, name, created_on) VALUES (?,?,?)')
  for (const { team_id: teamId, created_on: createdOn } of lost) {
    add.run(teamId, `salvaged ${teamId}`, createdOn)
    losses.rebuild('team', null)
  }
  const isKnown = database.prepare('SELECT 1 FROM setting WHERE name=?').get(LOCAL_TEAM) !== undefined
  if (isKnown) return
  const [first] = all("SELECT team_id, created_on FROM team ORDER BY name<>'local', created_on, team_id")
  if (first === undefined) return
  database.prepare('INSERT INTO setting (name, value) VALUES (?,?)').run(LOCAL_TEAM, first.team_id)
  losses.rebuild('setting', null)
}
