/** All tables, and the lists derived from their properties. */
import * as data from './data.ts'
import * as events from './events.ts'
import * as live from './live.ts'
import * as server from './server.ts'
import { columnDetails, columnsThat, type Life, type Table } from './table.ts'
import * as teams from './teams.ts'
import * as users from './users.ts'

const USER = users.USER as unknown as Table
const SETTING = teams.SETTING as unknown as Table

/** Every table that the files of this folder export. */
const FOUND = [teams, users, data, events, live, server].flatMap(topic =>
  Object.values<unknown>(topic).filter(
    (each): each is Table => typeof each === 'object' && 'columns' in (each as object),
  ),
)

/** Returns the depth of references from a row to other tables. */
function depthOf({ name, columns, needs = [] }: Table): number {
  const named = Object.values(columns).map(column => columnDetails(column).references)
  const owner = 'user_id' in columns && name !== USER.name ? [USER.name] : []
  const above = FOUND.filter(each => [...named, ...owner, ...needs.map(need => need.table)].includes(each.name))
  return Math.max(0, ...above.map(each => 1 + depthOf(each)))
}

/** All tables: the settings first, which determine the allowed rows, then tables that others refer to. */
export const TABLES: readonly Table[] = FOUND.map(table => ({ table, depth: table === SETTING ? -1 : depthOf(table) }))
  .sort((a, b) => a.depth - b.depth || (a.table.name < b.table.name ? -1 : 1))
  .map(({ table }) => table)

/** Returns the tables of a kind of database. */
export function tablesIn(database: 'sqlite' | 'postgres'): readonly Table[] {
  return TABLES.filter(({ onlyIn = database }) => onlyIn === database)
}

const EVERYWHERE = TABLES.filter(({ onlyIn }) => onlyIn === undefined)

const isOfUsers = ({ columns }: Table): boolean => 'user_id' in columns

/** Every table with rows of users, except for those that a purge keeps or reads from. The user is in `user_id` in all of them. */
export const USER_TABLES = EVERYWHERE.filter(each => isOfUsers(each) && !each.outlivesUser)

/** Returns tables whose rows belong to a user, and do not define which users exist. */
export function ownedTables(): readonly Table[] {
  return USER_TABLES.filter(each => each.name !== USER.name && each.life !== 'derived')
}

/** Returns the tables of this lifecycle that every database has. */
export function tablesOfLife(...lives: readonly Life[]): readonly Table[] {
  return EVERYWHERE.filter(({ life }) => lives.includes(life))
}

/** Tables that are left out of a copy whose source stays in use, and that restoring a snapshot leaves unchanged. */
export const STAYING_TABLES = {
  ofUsers: tablesOfLife('staying', 'session').filter(isOfUsers),
  ofTeams: tablesOfLife('staying', 'session').filter(each => !isOfUsers(each)),
} as const

/** The tables that keep rows when the store is emptied: teams with their keys, the audit trail, and the store's own state. */
export const KEPT_TABLES = EVERYWHERE.filter(
  ({ life, isKeptEmpty }) => isKeptEmpty || life === 'trail' || life === 'session',
)
/** The tables that are emptied as a result. Users come first: other writes about a user wait, and then find no such user. */
export const EMPTIED_TABLES = [USER, ...EVERYWHERE.filter(each => !KEPT_TABLES.includes(each))].filter(
  (each, i, all) => all.indexOf(each) === i,
)

/** Returns the tables that a copy to another store consists of, besides the settings. */
export function copiedTables(): readonly Table[] {
  return tablesOfLife('state', 'staying', 'trail', 'derived').filter(each => each.name !== SETTING.name)
}

/** The tables of deliveries to endpoints: the dependent rows, then the deliveries. */
export const DELIVERY_TABLES = EVERYWHERE.filter(({ columns }) => 'sequence' in columns && 'endpoint_id' in columns)

/** Returns the columns whose bytes count towards a team's limit, by table: all, or those that can change in an existing row. */
export function countedColumns(kinds: readonly ('once' | 'changing')[] = ['once', 'changing']): [string, string[]][] {
  return TABLES.flatMap(each => {
    const columns = columnsThat(each, ({ counts }) => counts !== undefined && kinds.includes(counts))
    return columns.length === 0 ? [] : [[each.name, columns] as [string, string[]]]
  })
}
