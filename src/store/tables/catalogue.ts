/** Lists all tables, and derives other lists from their properties. */
import * as counters from './counters.ts'
import * as data from './data.ts'
import * as events from './events.ts'
import * as live from './live.ts'
import * as people from './people.ts'
import * as server from './server.ts'
import { columnDetails, columnsThat, type Life, type Table } from './table.ts'
import * as teams from './teams.ts'
import * as users from './users.ts'

const USER = users.USER as unknown as Table
const SETTING = teams.SETTING as unknown as Table

/** All tables exported by the files in this folder. */
const FOUND = [teams, users, data, events, live, server, counters, people].flatMap(topic =>
  Object.values<unknown>(topic).filter(
    (each): each is Table => typeof each === 'object' && 'columns' in (each as object),
  ),
)

const BY_NAME = new Map(FOUND.map(table => [table.name, table]))
const DEPTHS = new Map<string, number>()

/** Returns the depth of a table's references to other tables. Remembers depths, because every start determines the depth of every table. */
function dependencyDepth({ name, columns, needs = [] }: Table): number {
  const known = DEPTHS.get(name)
  if (known !== undefined) return known
  let depth = 0
  const goBelow = (above: string | undefined): void => {
    const table = above === undefined ? undefined : BY_NAME.get(above)
    if (table) depth = Math.max(depth, 1 + dependencyDepth(table))
  }
  for (const column of Object.values(columns)) goBelow(columnDetails(column).references)
  for (const need of needs) goBelow(need.table)
  if ('user_id' in columns && name !== USER.name) goBelow(USER.name)
  DEPTHS.set(name, depth)
  return depth
}

/** All tables. The settings come first, because they determine which rows are allowed, followed by tables that others refer to. */
export const TABLES: readonly Table[] = FOUND.map(table => ({
  table,
  depth: table === SETTING ? -1 : dependencyDepth(table),
}))
  .sort((a, b) => a.depth - b.depth || (a.table.name < b.table.name ? -1 : 1))
  .map(({ table }) => table)

/** Returns the tables for one kind of database. */
export function tablesIn(database: 'sqlite' | 'postgres'): readonly Table[] {
  return TABLES.filter(({ onlyIn = database }) => onlyIn === database)
}

const EVERYWHERE = TABLES.filter(({ onlyIn }) => onlyIn === undefined)

const isOfUsers = ({ columns }: Table): boolean => 'user_id' in columns

/** All tables with users' rows, except those that a purge keeps or reads from. All of them contain the user in `user_id`. */
export const USER_TABLES = EVERYWHERE.filter(each => isOfUsers(each) && !each.outlivesUser)

/** Returns tables whose rows belong to a user but do not determine which users exist. */
export function ownedTables(): readonly Table[] {
  return USER_TABLES.filter(each => each.name !== USER.name && each.life !== 'derived')
}

/** Returns the tables with this lifecycle that exist in every database. */
export function tablesOfLife(...lives: readonly Life[]): readonly Table[] {
  return EVERYWHERE.filter(({ life }) => lives.includes(life))
}

/** Tables that are omitted from a copy whose source stays in use, and that are left unchanged when a snapshot is restored. */
export const STAYING_TABLES = {
  ofUsers: tablesOfLife('staying', 'session').filter(isOfUsers),
  ofTeams: tablesOfLife('staying', 'session').filter(each => !isOfUsers(each)),
} as const

/** Tables that keep rows when the store is emptied: teams with their keys, the audit trail, and the store's own state. */
export const KEPT_TABLES = EVERYWHERE.filter(
  ({ life, isKeptEmpty }) => isKeptEmpty || life === 'trail' || life === 'session',
)
/** Tables that are emptied. Users come first, so that other writes about a user wait and then find that the user does not exist. */
export const EMPTIED_TABLES = [USER, ...EVERYWHERE.filter(each => !KEPT_TABLES.includes(each))].filter(
  (each, i, all) => all.indexOf(each) === i,
)

/** Returns the tables that are copied to another store, in addition to the settings. */
export function copiedTables(): readonly Table[] {
  return tablesOfLife('state', 'staying', 'trail', 'derived').filter(each => each.name !== SETTING.name)
}

/** Tables with deliveries to endpoints: first the dependent rows, then the deliveries. */
export const DELIVERY_TABLES = EVERYWHERE.filter(({ columns }) => 'sequence' in columns && 'endpoint_id' in columns)

/** Returns the columns whose bytes count towards a team's limit, by table. */
export function countedColumns(): [string, string[]][] {
  return TABLES.flatMap(each => {
    const columns = columnsThat(each, ({ counts }) => counts === true)
    return columns.length === 0 ? [] : [[each.name, columns] as [string, string[]]]
  })
}
