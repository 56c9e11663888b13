/** All tables, those that others refer to first, and the lists that follow from what is known of each. */
import {
  CHUNK,
  CONTINUOUS_QUERY,
  CONTINUOUS_ROW,
  CONTINUOUS_STATE,
  CONTINUOUS_TASK,
  IMPORT,
  IMPORT_BEFORE,
  SERIES,
  STREAM,
  SUMMARY,
} from './data.ts'
import {
  DELIVERER,
  DELIVERY,
  DELIVERY_EXCHANGE,
  DELIVERY_SLICE,
  ENDPOINT,
  EVENT_WAITING,
  FAILED_ATTEMPT,
  OUTBOX,
  TEAM_EVENT,
  TEAM_ORDER,
} from './events.ts'
import {
  LIVE_CONNECTION,
  LIVE_RECORD,
  PERSON_BUDGET,
  PROVIDER_BUDGET,
  PROVIDER_GRANT,
  PROVIDER_NOTIFICATION,
  PROVIDER_SETUP,
  PROVIDER_SUBSCRIPTION,
  RAW_ANSWER,
} from './live.ts'
import { CONSOLE_SESSION, CONSOLE_TOKEN, FAULT, RECORDING, RECORDING_ENTRY, STORE_LOCK } from './server.ts'
import { columnsThat, type Life, type Table } from './table.ts'
import { ACCOUNT, API_KEY, AUDIT, DIRECTORY, SETTING, SOURCE_PRIORITY, TEAM, TEAM_ANSWER, TOMBSTONE } from './teams.ts'
import {
  CONNECTION,
  DEVICE,
  INSURANCE,
  JOB,
  LAB_ORDER,
  LINK_TOKEN,
  PERSON,
  PULL,
  TEAM_LAB_TEST,
  USER,
  USER_ANSWER,
  USER_INFO,
  USER_RATE,
} from './users.ts'

export const TABLES = [
  SETTING,
  TEAM,
  API_KEY,
  ENDPOINT,
  SOURCE_PRIORITY,
  CONTINUOUS_QUERY,
  TEAM_LAB_TEST,
  TOMBSTONE,
  AUDIT,
  PROVIDER_SETUP,
  PROVIDER_BUDGET,
  PROVIDER_NOTIFICATION,
  PROVIDER_SUBSCRIPTION,
  USER,
  DIRECTORY,
  ACCOUNT,
  TEAM_ANSWER,
  CONNECTION,
  LINK_TOKEN,
  PERSON,
  USER_INFO,
  INSURANCE,
  DEVICE,
  PULL,
  USER_RATE,
  USER_ANSWER,
  LAB_ORDER,
  SERIES,
  CHUNK,
  SUMMARY,
  STREAM,
  IMPORT,
  IMPORT_BEFORE,
  CONTINUOUS_STATE,
  CONTINUOUS_ROW,
  CONTINUOUS_TASK,
  OUTBOX,
  EVENT_WAITING,
  TEAM_EVENT,
  TEAM_ORDER,
  DELIVERY,
  FAILED_ATTEMPT,
  DELIVERY_EXCHANGE,
  PROVIDER_GRANT,
  PERSON_BUDGET,
  LIVE_CONNECTION,
  LIVE_RECORD,
  RAW_ANSWER,
  JOB,
  DELIVERER,
  DELIVERY_SLICE,
  CONSOLE_SESSION,
  CONSOLE_TOKEN,
  FAULT,
  RECORDING,
  RECORDING_ENTRY,
  STORE_LOCK,
] as unknown as readonly Table[] // their checksums name columns of their own only

/** Returns the tables of a kind of database. */
export function tablesIn(database: 'sqlite' | 'postgres'): readonly Table[] {
  return TABLES.filter(({ onlyIn = database }) => onlyIn === database)
}

const EVERYWHERE = TABLES.filter(({ onlyIn }) => onlyIn === undefined)

const isOfUsers = ({ columns }: Table): boolean => 'user_id' in columns

/** Every table with rows of users, except for what a purge leaves behind and what it works from. The user is in `user_id` in all of them. */
export const USER_TABLES = EVERYWHERE.filter(each => isOfUsers(each) && !each.outlivesUser)

/** Returns those whose rows belong to a user, and say nothing about who exists. */
export function ownedTables(): readonly Table[] {
  return USER_TABLES.filter(each => each.name !== USER.name && each.life !== 'derived')
}

/** Returns the tables with rows of this life that every database has. */
export function tablesOfLife(...lives: readonly Life[]): readonly Table[] {
  return EVERYWHERE.filter(({ life }) => lives.includes(life))
}

/** What is left out of a copy of which the source stays in use, and stays where it is when a snapshot is restored. */
export const STAYING_TABLES = {
  ofUsers: tablesOfLife('staying', 'session').filter(isOfUsers),
  ofTeams: tablesOfLife('staying', 'session').filter(each => !isOfUsers(each)),
} as const

/** The tables that keep rows when the store is emptied: teams with who may call for them, what has happened, and what is about the store. */
export const KEPT_TABLES = EVERYWHERE.filter(
  ({ life, isKeptEmpty }) => isKeptEmpty || life === 'trail' || life === 'session',
)
/** The tables that then lose all rows. Users come first: what others are about to write about a user waits, and then finds nobody. */
export const EMPTIED_TABLES = [
  USER as unknown as Table,
  ...EVERYWHERE.filter(each => !KEPT_TABLES.includes(each)),
].filter((each, i, all) => all.indexOf(each) === i)

/** Returns the tables that a copy to another store consists of, besides the settings. */
export function copiedTables(): readonly Table[] {
  return tablesOfLife('state', 'staying', 'trail', 'derived').filter(each => each.name !== SETTING.name)
}

/** Returns the columns whose bytes count towards a team's limit, by table: all, or those that can change in an existing row. */
export function countedColumns(kinds: readonly ('once' | 'changing')[] = ['once', 'changing']): [string, string[]][] {
  return TABLES.flatMap(each => {
    const columns = columnsThat(each, ({ counts }) => counts !== undefined && kinds.includes(counts))
    return columns.length === 0 ? [] : [[each.name, columns] as [string, string[]]]
  })
}
