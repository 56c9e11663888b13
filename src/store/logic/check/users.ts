/** Checks users as a whole: team counters, byte counters, due purges, and rows whose user does not exist. */
import type { UserId } from '../../../core/ids.ts'
import { nextLoopTick } from '../../../core/time-slice.ts'
import { ownedTables } from '../../tables/catalogue.ts'
import type { StoreProblem } from '../../upkeep.ts'
import type { Database } from '../database.ts'
import { BYTES_OF_USER, COUNTING } from '../rows/counted-bytes.ts'
import { requireProgress } from '../rows/damage.ts'
import { exists, many, one, type Query, query, type Steps, together } from '../steps.ts'
import { definePages, isThere, pages, pagesWith, type RowIn } from './pages.ts'

const WHAT = 'user'

export async function* checkUsers(db: Database): AsyncIterable<StoreProblem> {
  yield* checkTeams(db)
  yield* checkPurges(db)
  yield* checkBytes(db)
  yield* checkOwners(db)
}

function problem(userId: string | null, message: string): StoreProblem {
  return { what: WHAT, userId: userId as UserId | null, message }
}

const TEAMS = definePages({
  table: 'team',
  key: ['team_id'],
  columns: { team_id: 'text', user_count: 'number' },
  atOnce: 20,
})
const ACTIVE_USERS = query<{ readonly users: number }>(
  'SELECT count(*) AS users FROM user WHERE team_id=? AND deleted_at IS NULL',
)

async function* checkTeams(db: Database): AsyncIterable<StoreProblem> {
  for await (const { rows, beside: counted } of pagesWith(db, TEAMS, activeUsers)) {
    for (const [i, { user_count: stored }] of rows.entries()) {
      if (stored === counted[i]) continue
      yield problem(null, 'the number of users stored for a team differs from the number of its active users')
    }
  }
}

function* activeUsers(teams: readonly RowIn<typeof TEAMS>[]): Steps<(number | undefined)[]> {
  const counts = yield* together(...teams.map(({ team_id }) => one(ACTIVE_USERS, [team_id])))
  return counts.map(count => count?.users)
}

const DELETED = definePages({
  table: 'user',
  joins: "LEFT JOIN job ON job.user_id=user.user_id AND job.kind='purge'",
  where: 'user.deleted_at IS NOT NULL',
  key: ['user_id'],
  columns: { user_id: 'text', has_purge: 'number' },
  computed: { has_purge: isThere('job.kind') },
  atOnce: 1_000,
})

async function* checkPurges(db: Database): AsyncIterable<StoreProblem> {
  for await (const { rows } of pages(db, DELETED)) {
    for (const row of rows) if (!row.has_purge) yield problem(row.user_id, 'it is deleted, but no job will purge it')
  }
}

const COUNTED = definePages({
  table: 'user',
  where: `user.stored_bytes IS NOT NULL AND EXISTS (SELECT 1 FROM setting WHERE name='${COUNTING}')`,
  key: ['user_id'],
  columns: { user_id: 'text' },
  atOnce: 1_000,
})
/** Finds the user if bytes are counted and the count is wrong. */
const MISCOUNTED = query(
  `SELECT 1 FROM user WHERE user_id=? AND stored_bytes<>${BYTES_OF_USER}
   AND EXISTS (SELECT 1 FROM setting WHERE name='${COUNTING}')`,
)

/** Checks byte counters by adding up the bytes of one user per transaction. */
async function* checkBytes(db: Database): AsyncIterable<StoreProblem> {
  for await (const { rows } of pages(db, COUNTED)) {
    for (const { user_id: userId } of rows) {
      const isWrong = await db.read(() => exists(MISCOUNTED, [userId]))
      if (isWrong) yield problem(userId, 'its byte counter differs from the bytes that it stores')
      await nextLoopTick()
    }
  }
}

/** The users that delimit the ID ranges in which to search for rows without their user. */
const USERS = definePages({ table: 'user', key: ['user_id'], columns: { user_id: 'text' }, atOnce: 100 })
/** Number of owners that are read in one transaction. */
const OWNERS_AT_ONCE = 1_000

interface Owner {
  readonly user_id: string
}

interface OwnedTable {
  readonly table: string
  readonly upTo: Query<Owner>
  readonly after: Query<Owner>
}

/** Tables whose rows have an owner. Name tables are excluded, because their keys begin with the team. */
const OWNED: readonly OwnedTable[] = ownedTables().map(({ name: table }) => {
  const owners = (condition: string): Query<Owner> =>
    query(`SELECT DISTINCT user_id FROM ${table} WHERE user_id>? ${condition} ORDER BY user_id LIMIT ?`)
  return { table, upTo: owners('AND user_id<=?'), after: owners('') }
})
const USER = query('SELECT 1 FROM user WHERE user_id=?')
const PURGE = query("SELECT 1 FROM job WHERE user_id=? AND kind='purge'")

async function* checkOwners(db: Database): AsyncIterable<StoreProblem> {
  let last = ''
  for await (const { rows } of pages(db, USERS)) {
    const users = new Set(rows.map(row => row.user_id))
    const to = rows.at(-1)?.user_id
    if (to !== undefined) for (const each of OWNED) yield* strangersIn(db, each, { after: last, to, users })
    last = to ?? last
  }
  for (const each of OWNED) yield* strangersIn(db, each, { after: last, to: undefined, users: new Set() })
}

interface Range {
  readonly after: string
  /** Undefined if the range has no end. */
  readonly to: string | undefined
  /** Users in the range. */
  readonly users: ReadonlySet<string>
}

async function* strangersIn(
  db: Database,
  { table, upTo, after }: OwnedTable,
  range: Range,
): AsyncIterable<StoreProblem> {
  const { to, users } = range
  for (let last = range.after; ; ) {
    const from = last
    const { owners, strangers } = await db.read(() =>
      to === undefined
        ? ownersIn(after, [from, OWNERS_AT_ONCE], users)
        : ownersIn(upTo, [from, to, OWNERS_AT_ONCE], users),
    )
    for (const userId of strangers) yield problem(userId, `rows of ${table} do not belong to any user`)
    await nextLoopTick()
    if (owners.length < OWNERS_AT_ONCE) return
    last = owners.at(-1) as string
    requireProgress(last > from, table)
  }
}

interface Owners {
  readonly owners: readonly string[]
  /** Returns the IDs that belong neither to a user nor to a user who is being purged. */
  readonly strangers: readonly string[]
}

function* ownersIn(
  statement: Query<Owner>,
  values: readonly (string | number)[],
  users: ReadonlySet<string>,
): Steps<Owners> {
  const owners = (yield* many(statement, values)).map(owner => owner.user_id)
  const strangers: string[] = []
  for (const owner of owners) {
    if (users.has(owner)) continue
    // the user may have been created in the meantime
    if (!(yield* exists(USER, [owner])) && !(yield* exists(PURGE, [owner]))) strangers.push(owner)
  }
  return { owners, strangers }
}
