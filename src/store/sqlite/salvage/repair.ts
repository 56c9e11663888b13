/** Makes a consistent store from the salvaged rows: no row refers to a missing row, and counters are correct. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import { listTeamQueries, touchUser } from '../../logic/continuous/queries.ts'
import { UNCHECKED_ROWS } from '../../logic/rows/checked-rows.ts'
import { CHECKED_ROWS, COUNTERS, USERS, type UserRow } from '../../logic/rows/tables.ts'
import { putSetting, STORE_ID } from '../../logic/teams/settings.ts'
import { countAnew } from '../../logic/teams/stored-bytes.ts'
import { ownedTables } from '../../tables/catalogue.ts'
import { JOB } from '../../tables/users.ts'
import type { SqliteDatabase } from '../database.ts'
import { repairEvents } from './events.ts'
import type { Losses } from './losses.ts'
import { PARTS } from './parts.ts'

/** Repairs the new file, which has the newest schema, in one transaction. */
export function repair(db: SqliteDatabase, losses: Losses, now: EpochMs): void {
  if (db.run(NEW_ID, STORE_ID) > 0) losses.rebuild('setting', null)
  // rows written before checksums existed have none, and the setting that records this may have been lost
  for (const { table, checksum } of CHECKED_ROWS) {
    if (db.get(`SELECT 1 FROM ${table} WHERE ${checksum} IS NULL LIMIT 1`) !== undefined)
      db.drive(putSetting(UNCHECKED_ROWS, 1))
  }
  rebuildUsers(db, losses)
  removeStrangers(db, losses)
  for (const sql of ACCOUNTS) db.run(sql)
  for (const part of PARTS) removePart(db, losses, part)
  repairEvents(db, losses)
  db.run(
    `DELETE FROM failed_attempt WHERE NOT EXISTS (SELECT 1 FROM delivery WHERE delivery.user_id=failed_attempt.user_id
       AND delivery.sequence=failed_attempt.sequence AND delivery.endpoint_id=failed_attempt.endpoint_id)`,
  )
  for (const sql of SETTLING) db.run(sql)
  runQueriesAgain(db, losses, now)
  db.drive(countAnew())
}

/**
 * Rebuilds users whose row was lost if two sources agree on their name: the directory and an event. Their ingestion bounds and fallbacks
 * are lost.
 */
function rebuildUsers(db: SqliteDatabase, losses: Losses): void {
  const found = db.all<Pick<UserRow, 'user_id' | 'team_id' | 'client_user_id' | 'created_on'>>(
    `SELECT user_id, team_id, client_user_id,
       (SELECT min(at) FROM outbox WHERE outbox.user_id=directory.user_id) AS created_on FROM directory
     WHERE NOT EXISTS (SELECT 1 FROM user WHERE user.user_id=directory.user_id)
       AND EXISTS (SELECT 1 FROM outbox WHERE outbox.user_id=directory.user_id
         AND outbox.team_id=directory.team_id AND outbox.client_user_id=directory.client_user_id)`,
  )
  const unknown = {
    fallback_time_zone: null,
    fallback_birth_date: null,
    ingestion_start: null,
    ingestion_end: null,
    deleted_at: null,
  }
  for (const user of found) {
    db.drive(USERS.insert({ ...user, ...unknown }))
    db.drive(COUNTERS.update({ user_id: user.user_id, event_sequence: 0, event_floor: 0 }))
    losses.rebuild('user', user.user_id)
  }
  db.run('DELETE FROM directory')
  db.run(
    `INSERT OR IGNORE INTO directory (team_id, client_user_id, user_id)
     SELECT team_id, client_user_id, user_id FROM user WHERE deleted_at IS NULL`,
  )
}

/** Statements that rebuild the account-to-user index, which is derived from the connections. */
const ACCOUNTS: readonly string[] = [
  'DELETE FROM account',
  `INSERT INTO account (team_id, provider, external_user_id, user_id)
   SELECT team_id, provider, external_user_id, user_id FROM connection JOIN user USING (user_id)
   WHERE external_user_id IS NOT NULL`,
]

/** Removes rows that belong to users who do not exist. Rows that a purge had already begun to remove do not count as losses. */
function removeStrangers(db: SqliteDatabase, losses: Losses): void {
  const isStranger = "user_id<>'' AND user_id NOT IN (SELECT user_id FROM user)"
  const purged = new Set(
    db
      .all<{ user_id: string }>(`SELECT user_id FROM job WHERE kind='purge' AND ${isStranger}`)
      .map(each => each.user_id),
  )
  for (const { name: table } of [...ownedTables(), JOB]) {
    const rows = db.all<{ user_id: string; count: number }>(
      `SELECT user_id, count(*) AS count FROM "${table}" WHERE ${isStranger} GROUP BY user_id`,
    )
    db.run(`DELETE FROM "${table}" WHERE ${isStranger}`)
    for (const { user_id: userId, count } of rows) {
      losses.copied(table, -count)
      if (purged.has(userId)) continue
      losses.add({ table, userId, place: `all rows of ${table}`, reason: "the user's row is lost", count })
    }
  }
}

/** Removes rows that refer to a lost row. */
function removePart(
  db: SqliteDatabase,
  losses: Losses,
  { table, condition, label, reason }: (typeof PARTS)[number],
): void {
  const rows = db.all<{ user_id: string; place: string; count: number }>(
    `SELECT user_id, ${label} AS place, count(*) AS count FROM "${table}" WHERE ${condition} GROUP BY user_id, place`,
  )
  db.run(`DELETE FROM "${table}" WHERE ${condition}`)
  for (const { user_id: userId, place: where, count } of rows) {
    losses.copied(table, -count)
    losses.add({ table, userId, place: where, reason, count })
  }
}

/** Gives the new folder its own store ID if the old ID was lost. */
const NEW_ID = 'INSERT OR IGNORE INTO setting (name, value) VALUES (?, lower(hex(randomblob(16))))'

/** Statements that repair counters, and jobs for scheduled work. A job with time 0 is always due. */
const SETTLING: readonly string[] = [
  'UPDATE delivery SET leased_by=NULL WHERE leased_by IS NOT NULL',
  `UPDATE team SET user_count=(SELECT count(*) FROM user WHERE user.team_id=team.team_id AND deleted_at IS NULL)`,
  `INSERT OR IGNORE INTO job (user_id, kind, due_at)
   SELECT user_id, 'purge', deleted_at+604800000 FROM user WHERE deleted_at IS NOT NULL`,
  `INSERT OR IGNORE INTO job (user_id, kind, due_at) SELECT DISTINCT user_id, 'retention', 0 FROM outbox`,
  `INSERT OR IGNORE INTO job (user_id, kind, due_at) SELECT user_id, 'order:'||order_id, 0 FROM lab_order
   WHERE json_extract(document, '$.plan') IS NOT NULL`,
  `DELETE FROM job WHERE kind LIKE 'order:%' AND NOT EXISTS (SELECT 1 FROM lab_order WHERE lab_order.user_id=job.user_id
     AND 'order:'||order_id=kind AND json_extract(document, '$.plan') IS NOT NULL)`,
  `DELETE FROM job WHERE kind LIKE 'continuous_query:%'
     AND NOT EXISTS (SELECT 1 FROM continuous_query WHERE 'continuous_query:'||query_id=kind)`,
  `INSERT OR IGNORE INTO job (user_id, kind, due_at) SELECT user_id, 'continuous_query:'||query_id, 0 FROM continuous_state
   WHERE scheduled_task IS NOT NULL OR running_task IS NOT NULL`,
]

/** Makes continuous queries run again for users whose data is missing or may be missing, because results are derived from the data. */
function runQueriesAgain(db: SqliteDatabase, losses: Losses, now: EpochMs): void {
  const all = (): string[] => db.all<{ user_id: string }>('SELECT user_id FROM user').map(each => each.user_id)
  // the owners of the rows on an unreadable page are unknown
  for (const userId of losses.unreadablePages > 0 ? all() : losses.users) {
    const user = db.get<{ team_id: string }>('SELECT team_id FROM user WHERE user_id=? AND deleted_at IS NULL', userId)
    if (user) db.drive(touchUser(userId as UserId, db.drive(listTeamQueries(user.team_id as TeamId)), now))
  }
}
