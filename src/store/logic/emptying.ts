/** Empties the whole store, except for keys and the audit trail. */
import type { Replaced } from '../snapshot.ts'
import { EMPTIED_TABLES } from '../tables/catalogue.ts'
import { freeAllPositions } from './events/positions.ts'
import { requestStoreJob } from './jobs.ts'
import { UNCHECKED_ROWS } from './rows/checked-rows.ts'
import { command, one, query, run, type Steps } from './steps.ts'
import { CLOCK_FROZEN, CLOCK_OFFSET, DROP_SETTING, EPOCH, putSetting, readEpoch } from './teams/settings.ts'

/** Settings that are removed with the state. Without them, the clock follows real time, and every row must have a checksum. */
export const ENDED_SETTINGS: readonly string[] = [CLOCK_OFFSET, CLOCK_FROZEN, UNCHECKED_ROWS]

const EMPTY_TABLES = EMPTIED_TABLES.map(({ name }) => command(`DELETE FROM ${name}`))
const DROP_USER_JOBS = command("DELETE FROM job WHERE user_id<>''")
const FORGET_USER_COUNTS = command('UPDATE team SET user_count=0 WHERE user_count<>0')
const COUNT_USERS = query<{ readonly users: number }>('SELECT coalesce(sum(user_count), 0) AS users FROM team')

/** Empties the store, and makes a `scrub` due. Must run inside a write. */
export function* emptyStore(): Steps<Replaced> {
  const usersBefore = (yield* one(COUNT_USERS))?.users ?? 0
  for (const each of EMPTY_TABLES) yield* run(each)
  yield* freeAllPositions()
  yield* run(DROP_USER_JOBS)
  yield* run(FORGET_USER_COUNTS)
  for (const name of ENDED_SETTINGS) yield* run(DROP_SETTING, [name])
  yield* requestStoreJob('scrub')
  const epoch = (yield* readEpoch()) + 1
  yield* putSetting(EPOCH, epoch)
  return { usersBefore, usersAfter: 0, epoch }
}
