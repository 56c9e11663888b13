/** Checks the tables that find a team's users by name or account. Each row in them must have its counterpart. */
import type { UserId } from '../../../core/ids.ts'
import type { StoreProblem } from '../../upkeep.ts'
import type { Database } from '../database.ts'
import { many, type Query, query, type Steps } from '../steps.ts'
import { definePages, type PagedRows, pagesWith } from './pages.ts'

const ROWS_AT_ONCE = 500

export async function* checkNames(db: Database): AsyncIterable<StoreProblem> {
  for (const pair of PAIRS) yield* unmatched(db, pair)
}

/** A user's name or account. */
interface Names {
  readonly user_id: string
  /** Null if the user does not exist. */
  readonly team_id: string | null
  readonly client_user_id?: string
  readonly provider?: string
  readonly external_user_id?: string | null
}

interface Pair {
  readonly pages: PagedRows<Names>
  /** The columns that a row and its counterpart share. */
  readonly columns: readonly (keyof Names)[]
  /** Reads the counterparts of some rows. */
  readonly counterparts: (rows: readonly Names[]) => Steps<readonly Names[]>
  /** Message for a row without a counterpart. */
  readonly message: string
}

async function* unmatched(db: Database, { pages, columns, counterparts, message }: Pair): AsyncIterable<StoreProblem> {
  const shared = (row: Names): string => JSON.stringify(columns.map(name => row[name]))
  for await (const { rows, beside } of pagesWith(db, pages, counterparts)) {
    const known = new Set(beside.map(shared))
    for (const row of rows) {
      // users that do not exist are found by the user check
      if (row.team_id === null || known.has(shared(row))) continue
      yield { what: 'user', userId: row.user_id as UserId, message }
    }
  }
}

const NAME = ['team_id', 'client_user_id', 'user_id'] as const
const ACCOUNT = ['team_id', 'provider', 'external_user_id', 'user_id'] as const

const DIRECTORY_OF = query<Names>(
  'SELECT team_id, client_user_id, user_id FROM directory WHERE team_id=? AND user_id>=? AND user_id<=?',
)
const ACCOUNTS_OF = query<Names>(
  'SELECT team_id, provider, external_user_id, user_id FROM account WHERE team_id=? AND user_id>=? AND user_id<=?',
)
const USERS_IN = query<Names>(
  dialect => `SELECT team_id, client_user_id, user_id FROM user
    WHERE user_id IN (${dialect.listed}) AND deleted_at IS NULL`,
)
const CONNECTIONS_IN = query<Names>(
  dialect => `SELECT user.team_id, connection.provider, connection.external_user_id, connection.user_id
    FROM connection JOIN user ON user.user_id=connection.user_id WHERE connection.user_id IN (${dialect.listed})`,
)

const PAIRS: readonly Pair[] = [
  {
    pages: definePages({
      table: 'user',
      where: 'user.deleted_at IS NULL',
      key: ['user_id'],
      columns: { team_id: 'text', client_user_id: 'text', user_id: 'text' },
      atOnce: ROWS_AT_ONCE,
    }),
    columns: NAME,
    counterparts: users => byTeam(DIRECTORY_OF, users),
    message: 'its client_user_id is not in the directory',
  },
  {
    pages: definePages({
      table: 'directory',
      key: ['team_id', 'client_user_id'],
      columns: { team_id: 'text', client_user_id: 'text', user_id: 'text' },
      atOnce: ROWS_AT_ONCE,
    }),
    columns: NAME,
    counterparts: names => byUser(USERS_IN, names),
    message: 'the directory names it, but it is not active under that client_user_id',
  },
  {
    pages: definePages({
      table: 'connection',
      joins: 'LEFT JOIN user ON user.user_id=connection.user_id',
      where: 'connection.external_user_id IS NOT NULL',
      key: ['user_id', 'provider'],
      columns: { team_id: 'text?', provider: 'text', external_user_id: 'text?', user_id: 'text' },
      computed: { team_id: 'user.team_id' },
      atOnce: ROWS_AT_ONCE,
    }),
    columns: ACCOUNT,
    counterparts: connections => byTeam(ACCOUNTS_OF, connections),
    message: "a connection's account is not in the table of accounts",
  },
  {
    pages: definePages({
      table: 'account',
      key: ACCOUNT,
      columns: { team_id: 'text', provider: 'text', external_user_id: 'text', user_id: 'text' },
      atOnce: ROWS_AT_ONCE,
    }),
    columns: ACCOUNT,
    counterparts: accounts => byUser(CONNECTIONS_IN, accounts),
    message: 'the table of accounts names it, but it has no connection to that account',
  },
]

/** Reads each team's entries for the users from the first to the last of these rows, which are in user order. */
function* byTeam(statement: Query<Names>, rows: readonly Names[]): Steps<Names[]> {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return []
  const found: Names[] = []
  for (const teamId of new Set(rows.map(row => row.team_id))) {
    if (teamId !== null) found.push(...(yield* many(statement, [teamId, first.user_id, last.user_id])))
  }
  return found
}

function* byUser(statement: Query<Names>, rows: readonly Names[]): Steps<Names[]> {
  const userIds = [...new Set(rows.map(row => row.user_id))]
  return yield* many(statement, [JSON.stringify(userIds)])
}
