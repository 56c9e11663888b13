/** Emptying the whole store, except for who may call and what has happened. */
import type { Replaced } from '../snapshot.ts'
import { freeAllPlaces } from './events/places.ts'
import { requestStoreJob } from './jobs.ts'
import { UNCHECKED_ROWS } from './rows/checked-rows.ts'
import { USER_TABLES } from './rows/user-tables.ts'
import { command, one, query, run, type Steps } from './steps.ts'
import { CLOCK_FROZEN, CLOCK_OFFSET, DROP_SETTING, EPOCH, putSetting, readEpoch } from './teams/settings.ts'

/**
 * Tables with rows that stay: teams with their keys, set-ups and sessions, the audit trail, and those settings and jobs that are about the store itself.
 */
export const KEPT_TABLES: readonly string[] = [
  'team',
  'api_key',
  'setting',
  'job',
  'audit',
  'console_session',
  'console_token',
  'provider_setup',
  'provider_budget',
  'provider_subscription',
]

/** The tables that lose all rows. Users come first: what others are about to write about a user waits, and then finds nobody. */
export const EMPTIED_TABLES: readonly string[] = [
  'user',
  ...USER_TABLES.map(({ table }) => table).filter(table => table !== 'user'),
  'continuous_query',
  'deliverer',
  'delivery_slice',
  'endpoint',
  'fault',
  'provider_notification',
  'source_priority',
  'team_lab_test',
  'tombstone',
]

/** Settings that end with the state: without them, the clock follows real time, and every row must have its checksum. */
export const ENDED_SETTINGS: readonly string[] = [CLOCK_OFFSET, CLOCK_FROZEN, UNCHECKED_ROWS]

const EMPTY_TABLES = EMPTIED_TABLES.map(table => command(`DELETE FROM ${table}`))
const DROP_USER_JOBS = command("DELETE FROM job WHERE user_id<>''")
const FORGET_USER_COUNTS = command('UPDATE team SET user_count=0 WHERE user_count<>0')
const COUNT_USERS = query<{ readonly users: number }>('SELECT coalesce(sum(user_count), 0) AS users FROM team')

/** Must run inside a write. Empties the store, and makes a `scrub` due. */
export function* emptyStore(): Steps<Replaced> {
  const usersBefore = (yield* one(COUNT_USERS))?.users ?? 0
  for (const each of EMPTY_TABLES) yield* run(each)
  yield* freeAllPlaces()
  yield* run(DROP_USER_JOBS)
  yield* run(FORGET_USER_COUNTS)
  for (const name of ENDED_SETTINGS) yield* run(DROP_SETTING, [name])
  yield* requestStoreJob('scrub')
  const epoch = (yield* readEpoch()) + 1
  yield* putSetting(EPOCH, epoch)
  return { usersBefore, usersAfter: 0, epoch }
}
