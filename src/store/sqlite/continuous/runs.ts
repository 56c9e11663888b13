/**
 * Runs of a continuous query for a user. A run is begun in one transaction, evaluated outside of any, and committed in another one, unless
 * a later run has begun in the meantime. What is touched during a run stays touched, so that a run that saw only half of a change is
 * followed by another.
 */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { BeginOutcome, ResultRow, RunResult } from '../../continuous-query.ts'
import { storedJson } from '../checksums/damage.ts'
import { CONTINUOUS_ROWS } from '../checksums/more-tables.ts'
import { USERS, type UserRow } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { OutboxWriter } from '../events/outbox.ts'
import { dropJob, jobIsDue, moveQueryJob } from '../jobs.ts'
import { findQuery } from './queries.ts'
import { addTask, endTask, putState, type StateRow, startTask, stateOf, union } from './state.ts'

/** The event for a result whose rows have changed. */
const CHANGED_EVENT = 'continuous_query.result_table.changed'
/** Rows removed in one transaction, so that others can write in between. */
const ROWS_AT_ONCE = 2_000

function userOf(db: Connection, userId: UserId): UserRow | undefined {
  return USERS.get(db, 'WHERE user_id=?', userId)
}

/** `gone`: the query was deleted, and its rows are to be removed (removeRows). */
export function beginRun(
  db: Connection,
  userId: UserId,
  queryId: string,
  now: EpochMs,
): BeginOutcome | { readonly kind: 'gone' } {
  if (!jobIsDue(db, userId, { kind: 'continuous_query', subject: queryId, now })) return { kind: 'none' }
  const user = userOf(db, userId)
  // the purge takes care of what is left of its user
  if (!user) return { kind: 'none' }
  const query = findQuery(db, user.team_id as TeamId, queryId)
  if (query?.queryId !== queryId) return { kind: 'gone' }
  const state = stateOf(db, userId, queryId)
  if (!state) {
    dropJob(db, userId, 'continuous_query', queryId)
    return { kind: 'none' }
  }
  const { state: begun, task } = takenOver(db, userId, queryId, state, now)
  const touched = { from: begun.running_from, to: begun.running_to }
  startTask(db, userId, queryId, task, now)
  if (user.deleted_at !== null) {
    endTask(db, userId, queryId, task, { status: 'skipped', at: now, details: 'the user is deleted' })
    // all of time becomes due again when the user is restored
    putState(db, userId, queryId, { ...begun, running_from: null, running_to: null, running_task: null })
    dropJob(db, userId, 'continuous_query', queryId)
    return { kind: 'skipped' }
  }
  putState(db, userId, queryId, begun)
  const zone = user.fallback_time_zone
  return {
    kind: 'begun',
    query,
    rev: begun.rev,
    touched: { from: touched.from ?? 0, to: touched.to ?? -1 },
    fallbackTimeZone: zone === null ? null : storedJson<{ value: string }>(zone, () => USERS.placeOf(user)).value,
  }
}

/** Returns the state in which the run has taken over everything that was touched, including what a run that did not end was about. */
function takenOver(db: Connection, userId: UserId, queryId: string, state: StateRow, now: EpochMs) {
  const touched = union(
    { from: state.touched_from, to: state.touched_to },
    { from: state.running_from, to: state.running_to },
  )
  // an interrupted task continues under its own number
  const task = state.running_task ?? state.scheduled_task ?? state.last_task + 1
  if (state.running_task !== null && state.scheduled_task !== null) {
    const details = 'done together with the run before it, which had not ended'
    endTask(db, userId, queryId, state.scheduled_task, { status: 'skipped', at: now, details })
  }
  if (state.running_task === null && state.scheduled_task === null) addTask(db, userId, queryId, task, now)
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

/** See the port. Rows, task, events and what is due next are committed together. */
export function finishRun(db: Connection, userId: UserId, queryId: string, result: RunResult): boolean {
  const state = stateOf(db, userId, queryId)
  if (state?.rev !== result.rev || state.running_task === null) return false
  const user = userOf(db, userId)
  if (!user || user.deleted_at !== null) return false
  const query = findQuery(db, user.team_id as TeamId, queryId)
  if (query?.queryId !== queryId) return false
  for (const row of result.removed) {
    db.run(
      'DELETE FROM continuous_row WHERE user_id=? AND query_id=? AND bucket=? AND key=?',
      userId,
      queryId,
      row.bucket,
      row.key,
    )
  }
  for (const row of result.changed) putRow(db, userId, queryId, row)
  if (result.events.length > 0) {
    const outbox = new OutboxWriter(db, userId, query.teamId, result.at)
    for (const document of result.events) outbox.document(CHANGED_EVENT, document)
    outbox.finish()
  }
  endTask(db, userId, queryId, state.running_task, {
    status: result.status,
    at: result.at,
    details: result.errorDetails,
  })
  settle(db, userId, queryId, state, result, query.minimumGapMs)
  return true
}

/** What failed stays touched. The next run is due when there is new data, or when another try is worthwhile. */
function settle(
  db: Connection,
  userId: UserId,
  queryId: string,
  state: StateRow,
  result: RunResult,
  gapMs: number,
): void {
  const failed = result.status === 'error'
  const touched = failed
    ? union({ from: state.touched_from, to: state.touched_to }, { from: state.running_from, to: state.running_to })
    : { from: state.touched_from, to: state.touched_to }
  const isDue = state.scheduled_task !== null || (failed && result.retry)
  putState(db, userId, queryId, {
    ...state,
    touched_from: touched.from,
    touched_to: touched.to,
    running_from: null,
    running_to: null,
    running_task: null,
  })
  if (isDue) moveQueryJob(db, userId, queryId, (state.last_run_at ?? result.at) + gapMs)
  else dropJob(db, userId, 'continuous_query', queryId)
}

function putRow(db: Connection, userId: UserId, queryId: string, row: ResultRow): void {
  const { bucket, key, cells } = row
  CONTINUOUS_ROWS.put(db, { user_id: userId, query_id: queryId, bucket, key, cells })
}

export function resultRows(db: Connection, userId: UserId, queryId: string, from: EpochMs, to: EpochMs): ResultRow[] {
  const tail = 'WHERE user_id=? AND query_id=? AND bucket>=? AND bucket<? ORDER BY bucket, key'
  return CONTINUOUS_ROWS.all(db, tail, userId, queryId, from, to).map(row => ({
    bucket: row.bucket,
    key: row.key,
    cells: row.cells,
  }))
}

/** Removes what a user has of a deleted query, in short transactions. The last one also removes the job. */
export async function removeRows(db: Connection, userId: UserId, queryId: string): Promise<void> {
  for (const [table, key] of [
    ['continuous_row', 'bucket, key'],
    ['continuous_task', 'number'],
  ] as const) {
    const sql = `DELETE FROM ${table} WHERE user_id=? AND query_id=? AND (${key}) IN
      (SELECT ${key} FROM ${table} WHERE user_id=? AND query_id=? LIMIT ${ROWS_AT_ONCE})`
    while ((await db.write(() => db.run(sql, userId, queryId, userId, queryId))) === ROWS_AT_ONCE);
  }
  await db.write(() => {
    db.run('DELETE FROM continuous_state WHERE user_id=? AND query_id=?', userId, queryId)
    dropJob(db, userId, 'continuous_query', queryId)
  })
}
