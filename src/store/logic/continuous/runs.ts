/**
 * Begins and finishes runs of a continuous query for a user. A run begins in one transaction, is evaluated outside any transaction, and is
 * committed in another transaction, unless a later run has begun in the meantime. Data that is touched during a run stays touched, so that
 * a run that has seen only half of a change is followed by another run.
 */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { BeginOutcome, ResultRow, RunResult } from '../../continuous-query.ts'
import type { Database } from '../database.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { dropJob, jobIsDue, moveQueryJob } from '../jobs.ts'
import { storedJson } from '../rows/damage.ts'
import { CONTINUOUS_ROWS, USERS, type UserRow } from '../rows/tables.ts'
import { type Command, command, many, one, run, type Steps } from '../steps.ts'
import { lockingUser } from '../users/lock.ts'
import { findQuery } from './queries.ts'
import { addTask, endTask, findState, putState, type StateRow, startTask, union } from './state.ts'

/** The event for a result whose rows have changed. */
const CHANGED_EVENT = 'continuous_query.result_table.changed'
/** Number of rows removed per transaction, so that others can write in between. */
const ROWS_AT_ONCE = 2_000

const FIND_USER = USERS.query('WHERE user_id=?')
const ROWS_BETWEEN = CONTINUOUS_ROWS.query(
  'WHERE user_id=? AND query_id=? AND bucket>=? AND bucket<? ORDER BY bucket, key',
)
const REMOVE_ROW = command('DELETE FROM continuous_row WHERE user_id=? AND query_id=? AND bucket=? AND key=?')
const REMOVE_STATE = command('DELETE FROM continuous_state WHERE user_id=? AND query_id=?')
const REMOVE_SOME_ROWS = removalOfSome('continuous_row', 'bucket, key')
const REMOVE_SOME_TASKS = removalOfSome('continuous_task', 'number')

function removalOfSome(table: string, key: string): Command {
  return command(`DELETE FROM ${table} WHERE user_id=? AND query_id=? AND (${key}) IN
    (SELECT ${key} FROM ${table} WHERE user_id=? AND query_id=? ORDER BY ${key} LIMIT ${ROWS_AT_ONCE})`)
}

function* findUser(userId: UserId): Steps<UserRow | undefined> {
  return yield* one(FIND_USER, [userId])
}

/** Begins the run that is due. If the query was deleted, removes its rows for this user instead. */
export async function beginRun(db: Database, userId: UserId, queryId: string, now: EpochMs): Promise<BeginOutcome> {
  const outcome = await db.write(() => lockingUser(userId, () => tryBegin(userId, queryId, now)))
  if (outcome.kind !== 'gone') return outcome
  await removeRows(db, userId, queryId)
  return { kind: 'none' }
}

/** Tries to begin the run. `gone` means that the query was deleted and its rows must be removed. */
function* tryBegin(userId: UserId, queryId: string, now: EpochMs): Steps<BeginOutcome | { readonly kind: 'gone' }> {
  if (!(yield* jobIsDue(userId, { kind: 'continuous_query', subject: queryId, now }))) return { kind: 'none' }
  const user = yield* findUser(userId)
  // the purge removes its user's remaining rows
  if (!user) return { kind: 'none' }
  const query = yield* findQuery(user.team_id as TeamId, queryId)
  if (query?.queryId !== queryId) return { kind: 'gone' }
  const state = yield* findState(userId, queryId)
  if (!state) {
    yield* dropJob(userId, 'continuous_query', queryId)
    return { kind: 'none' }
  }
  const { state: begun, task } = yield* takenOver(userId, queryId, state, now)
  const touched = { from: begun.running_from, to: begun.running_to }
  yield* startTask(userId, queryId, task, now)
  if (user.deleted_at !== null) {
    yield* endTask(userId, queryId, task, { status: 'skipped', at: now, details: 'the user is deleted' })
    // when the user is restored, all of time becomes due again
    yield* putState(userId, queryId, { ...begun, running_from: null, running_to: null, running_task: null })
    yield* dropJob(userId, 'continuous_query', queryId)
    return { kind: 'skipped' }
  }
  yield* putState(userId, queryId, begun)
  const zone = user.fallback_time_zone
  return {
    kind: 'begun',
    query,
    rev: begun.rev,
    touched: { from: touched.from ?? 0, to: touched.to ?? -1 },
    fallbackTimeZone:
      zone === null ? null : storedJson<{ value: string }>(zone, () => USERS.damageLocation(user)).value,
  }
}

/** Returns the state after the run has taken over everything that was touched, including the input of an unfinished run. */
function* takenOver(userId: UserId, queryId: string, state: StateRow, now: EpochMs) {
  const touched = union(
    { from: state.touched_from, to: state.touched_to },
    { from: state.running_from, to: state.running_to },
  )
  // an interrupted task continues with the same number
  const task = state.running_task ?? state.scheduled_task ?? state.last_task + 1
  if (state.running_task !== null && state.scheduled_task !== null) {
    const details = 'done together with the previous run, which had not ended'
    yield* endTask(userId, queryId, state.scheduled_task, { status: 'skipped', at: now, details })
  }
  if (state.running_task === null && state.scheduled_task === null) yield* addTask(userId, queryId, task, now)
  const begun: StateRow = {
    touched_from: null,
    touched_to: null,
    running_from: touched.from,
    running_to: touched.to,
    last_run_at: now,
    rev: state.rev + 1,
    last_task: Math.max(state.last_task, task),
    scheduled_task: null,
    running_task: task,
  }
  return { state: begun, task }
}

/**
 * Commits a run's result: its rows, task, events and the next due time. Returns false and changes nothing if another run has begun, or if
 * the user or query was deleted in the meantime.
 */
export function* finishRun(userId: UserId, queryId: string, result: RunResult): Steps<boolean> {
  const state = yield* findState(userId, queryId)
  if (state?.rev !== result.rev || state.running_task === null) return false
  const user = yield* findUser(userId)
  if (!user || user.deleted_at !== null) return false
  const query = yield* findQuery(user.team_id as TeamId, queryId)
  if (query?.queryId !== queryId) return false
  for (const row of result.removed) {
    yield* run(REMOVE_ROW, [userId, queryId, row.bucket, row.key])
  }
  for (const row of result.changed) yield* putRow(userId, queryId, row)
  if (result.events.length > 0) {
    const outbox = yield* OutboxWriter.open(userId, query.teamId, result.at)
    for (const document of result.events) yield* outbox.document(CHANGED_EVENT, document)
    yield* outbox.finish()
  }
  yield* endTask(userId, queryId, state.running_task, {
    status: result.status,
    at: result.at,
    details: result.errorDetails,
  })
  yield* settle(userId, queryId, state, result, query.minimumGapMs)
  return true
}

/** Stores the state after a run. Failed parts stay touched. The next run is due when there is new data or when a retry is worthwhile. */
function* settle(userId: UserId, queryId: string, state: StateRow, result: RunResult, gapMs: number): Steps<void> {
  const failed = result.status === 'error'
  const touched = failed
    ? union({ from: state.touched_from, to: state.touched_to }, { from: state.running_from, to: state.running_to })
    : { from: state.touched_from, to: state.touched_to }
  const isDue = state.scheduled_task !== null || (failed && result.retry)
  yield* putState(userId, queryId, {
    ...state,
    touched_from: touched.from,
    touched_to: touched.to,
    running_from: null,
    running_to: null,
    running_task: null,
  })
  if (isDue) yield* moveQueryJob(userId, queryId, (state.last_run_at ?? result.at) + gapMs)
  else yield* dropJob(userId, 'continuous_query', queryId)
}

function* putRow(userId: UserId, queryId: string, row: ResultRow): Steps<void> {
  const { bucket, key, cells } = row
  yield* CONTINUOUS_ROWS.put({ user_id: userId, query_id: queryId, bucket, key, cells })
}

/** Returns the rows whose bucket begins in [from, to), ordered by bucket and key. */
export function* resultRows(userId: UserId, queryId: string, from: EpochMs, to: EpochMs): Steps<ResultRow[]> {
  return (yield* many(ROWS_BETWEEN, [userId, queryId, from, to])).map(row => ({
    bucket: row.bucket,
    key: row.key,
    cells: row.cells,
  }))
}

/** Removes a user's rows for a deleted query in short transactions. The last transaction also removes the job. */
async function removeRows(db: Database, userId: UserId, queryId: string): Promise<void> {
  for (const removal of [REMOVE_SOME_ROWS, REMOVE_SOME_TASKS]) {
    const removeSome = (): Steps<number> => run(removal, [userId, queryId, userId, queryId])
    while ((await db.write(() => lockingUser(userId, removeSome))) === ROWS_AT_ONCE);
  }
  await db.write(() => lockingUser(userId, () => removeState(userId, queryId)))
}

function* removeState(userId: UserId, queryId: string): Steps<void> {
  yield* run(REMOVE_STATE, [userId, queryId])
  yield* dropJob(userId, 'continuous_query', queryId)
}
