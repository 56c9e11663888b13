/** What must hold for users as a whole: counters, names, due purges, and no rows without their user. */
import type { UserId } from '../../../core/ids.ts'
import { BYTES_OF_USER, COUNTING } from '../../logic/rows/counted-bytes.ts'
import { requireProgress } from '../../logic/rows/damage.ts'
import { LOOKUP_TABLES, USER_TABLES } from '../../logic/rows/user-tables.ts'
import type { StoreProblem } from '../../upkeep.ts'
import type { SqliteDatabase } from '../database.ts'

/** Number of users looked at in one transaction. */
const USERS_AT_ONCE = 1_000
/** Number of users whose bytes are added up in one transaction. */
const COUNTED_AT_ONCE = 1

export async function* checkUsers(db: SqliteDatabase): AsyncIterable<StoreProblem> {
  for (const { name, sql, message } of RULES) {
    const rows = await db.read(() => db.all<{ user_id: string | null }>(sql))
    for (const row of rows) yield { what: name, userId: (row.user_id ?? null) as UserId | null, message }
  }
  yield* checkBytes(db)
  for (const { table } of USER_TABLES) {
    // their keys begin with the team: the rules above check them
    if (table === 'user' || LOOKUP_TABLES.includes(table)) continue
    let after = ''
    for (;;) {
      const owners: { user_id: string; is_there: number }[] = await db.read(() => ownersOf(db, table, after))
      for (const owner of owners) {
        if (owner.is_there) continue
        yield { what: 'user', userId: owner.user_id as UserId, message: `rows of ${table} belong to no user` }
      }
      if (owners.length < USERS_AT_ONCE) break
      const last = (owners.at(-1) as { user_id: string }).user_id
      requireProgress(last > after, table)
      after = last
    }
  }
}

async function* checkBytes(db: SqliteDatabase): AsyncIterable<StoreProblem> {
  let after = ''
  for (;;) {
    const users = await db.read(() =>
      db.all<{ user_id: string; is_wrong: number }>(
        `SELECT user_id, stored_bytes<>${BYTES_OF_USER} AS is_wrong FROM user
         WHERE user_id>? AND stored_bytes IS NOT NULL AND EXISTS (SELECT 1 FROM setting WHERE name=?)
         ORDER BY user_id LIMIT ?`,
        after,
        COUNTING,
        COUNTED_AT_ONCE,
      ),
    )
    for (const { user_id, is_wrong } of users) {
      const message = 'its byte counter differs from what it stores'
      if (is_wrong) yield { what: 'user', userId: user_id as UserId, message }
    }
    if (users.length < COUNTED_AT_ONCE) return
    after = (users.at(-1) as { user_id: string }).user_id
    await new Promise(setImmediate)
  }
}

const RULES: readonly { readonly name: string; readonly sql: string; readonly message: string }[] = [
  {
    name: 'user',
    sql: `SELECT NULL AS user_id FROM team
          WHERE user_count<>(SELECT count(*) FROM user WHERE user.team_id=team.team_id AND deleted_at IS NULL)`,
    message: 'the number of users stored for a team is not that of its active users',
  },
  {
    name: 'user',
    sql: `SELECT user_id FROM user LEFT JOIN directory USING (team_id, client_user_id, user_id)
          WHERE deleted_at IS NULL AND directory.user_id IS NULL LIMIT 1000`,
    message: 'its client_user_id is not in the directory',
  },
  {
    name: 'user',
    sql: `SELECT directory.user_id FROM directory LEFT JOIN user USING (team_id, client_user_id, user_id)
          WHERE user.user_id IS NULL OR deleted_at IS NOT NULL LIMIT 1000`,
    message: 'the directory names it, but it is not active under that client_user_id',
  },
  {
    name: 'user',
    sql: `SELECT user_id FROM connection JOIN user USING (user_id)
          LEFT JOIN account USING (team_id, provider, external_user_id, user_id)
          WHERE external_user_id IS NOT NULL AND account.user_id IS NULL LIMIT 1000`,
    message: 'the account of a connection is not in the table of accounts',
  },
  {
    name: 'user',
    sql: `SELECT account.user_id FROM account LEFT JOIN user USING (team_id, user_id)
          LEFT JOIN connection USING (user_id, provider, external_user_id)
          WHERE user.user_id IS NULL OR connection.user_id IS NULL LIMIT 1000`,
    message: 'the table of accounts names it, but it has no connection to that account',
  },
  {
    name: 'user',
    sql: `SELECT user_id FROM user WHERE deleted_at IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM job WHERE job.user_id=user.user_id AND kind='purge') LIMIT 1000`,
    message: 'it is deleted, but no job will purge it',
  },
]

/** Returns the distinct users of a table. Each one takes one step in the key, which begins with user_id. */
function ownersOf(db: SqliteDatabase, table: string, after: string): { user_id: string; is_there: number }[] {
  return db.all(
    `WITH RECURSIVE owner(user_id) AS (
       SELECT min(user_id) FROM "${table}" WHERE user_id>?
       UNION ALL
       SELECT (SELECT min(user_id) FROM "${table}" WHERE user_id>owner.user_id) FROM owner WHERE owner.user_id IS NOT NULL)
     SELECT user_id, EXISTS (SELECT 1 FROM user WHERE user.user_id=owner.user_id)
       OR EXISTS (SELECT 1 FROM job WHERE job.user_id=owner.user_id AND kind='purge') AS is_there
     FROM owner WHERE user_id IS NOT NULL LIMIT ?`,
    after,
    USERS_AT_ONCE,
  )
}
