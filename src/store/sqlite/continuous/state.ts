/** What was touched of a user since a continuous query ran, and the tasks that follow from it, in the caller's transaction. */
import type { UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { Stretch, TaskRecord, TaskStatus } from '../../continuous-query.ts'
import type { Connection } from '../connection.ts'
import { requestQueryJob } from '../jobs.ts'

/** Tasks kept a query and user; older ones are forgotten. */
export const MOST_TASKS = 1_000

/** Whose runs of what. */
export interface Watched {
  readonly userId: UserId
  readonly queryId: string
  readonly minimumGapMs: number
}

export interface StateRow {
  readonly touched_from: number | null
  readonly touched_to: number | null
  readonly running_from: number | null
  readonly running_to: number | null
  readonly last_run_at: number | null
  readonly rev: number
  readonly last_task: number
  readonly scheduled_task: number | null
  readonly running_task: number | null
}

export function stateOf(connection: Connection, userId: UserId, queryId: string): StateRow | undefined {
  return connection.get<StateRow>(
    `SELECT touched_from, touched_to, running_from, running_to, last_run_at, rev, last_task, scheduled_task, running_task
     FROM continuous_state WHERE user_id=? AND query_id=?`,
    userId,
    queryId,
  )
}

export function putState(connection: Connection, userId: UserId, queryId: string, row: StateRow): void {
  connection.run(
    `INSERT INTO continuous_state (user_id, query_id, touched_from, touched_to, running_from, running_to, last_run_at, rev,
       last_task, scheduled_task, running_task) VALUES (?,?,?,?,?,?,?,?,?,?,?)
     ON CONFLICT (user_id, query_id) DO UPDATE SET touched_from=excluded.touched_from, touched_to=excluded.touched_to,
       running_from=excluded.running_from, running_to=excluded.running_to, last_run_at=excluded.last_run_at,
       rev=excluded.rev, last_task=excluded.last_task, scheduled_task=excluded.scheduled_task,
       running_task=excluded.running_task`,
    userId,
    queryId,
    row.touched_from,
    row.touched_to,
    row.running_from,
    row.running_to,
    row.last_run_at,
    row.rev,
    row.last_task,
    row.scheduled_task,
    row.running_task,
  )
}

const UNTOUCHED: StateRow = {
  touched_from: null,
  touched_to: null,
  running_from: null,
  running_to: null,
  last_run_at: null,
  rev: 0,
  last_task: 0,
  scheduled_task: null,
  running_task: null,
}

/** Remembers that a stretch of time was touched, and makes a run due: at once, or when the gap after the last one is over. */
export function touchState(connection: Connection, watched: Watched, stretch: Stretch, at: EpochMs): void {
  const { userId, queryId, minimumGapMs } = watched
  const state = stateOf(connection, userId, queryId) ?? UNTOUCHED
  const { last_run_at: last } = state
  // after a run in the future the clock was set back: there is nothing to keep away from
  const dueAt = last === null || last > at ? at : Math.max(at, last + minimumGapMs)
  const touched = union({ from: state.touched_from, to: state.touched_to }, stretch)
  const isNew = state.scheduled_task === null
  const task = isNew ? state.last_task + 1 : (state.scheduled_task as number)
  putState(connection, userId, queryId, {
    ...state,
    touched_from: touched.from,
    touched_to: touched.to,
    last_task: Math.max(state.last_task, task),
    scheduled_task: task,
  })
  if (isNew) addTask(connection, userId, queryId, task, dueAt)
  requestQueryJob(connection, userId, queryId, dueAt)
}

interface OpenStretch {
  readonly from: EpochMs | null
  readonly to: EpochMs | null
}

/** Both, and all between them; null where neither is anything. */
export function union(a: OpenStretch, b: OpenStretch): OpenStretch {
  if (a.from === null || a.to === null) return b
  if (b.from === null || b.to === null) return a
  return { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) }
}

/** A new task, `scheduled`. */
export function addTask(
  connection: Connection,
  userId: UserId,
  queryId: string,
  number: number,
  scheduledAt: EpochMs,
): void {
  connection.run(
    `INSERT INTO continuous_task (user_id, query_id, number, status, scheduled_at) VALUES (?,?,?,'scheduled',?)`,
    userId,
    queryId,
    number,
    scheduledAt,
  )
  connection.run(
    'DELETE FROM continuous_task WHERE user_id=? AND query_id=? AND number<=?',
    userId,
    queryId,
    number - MOST_TASKS,
  )
}

export function startTask(connection: Connection, userId: UserId, queryId: string, number: number, at: EpochMs): void {
  connection.run(
    `UPDATE continuous_task SET status='started', started_at=? WHERE user_id=? AND query_id=? AND number=?`,
    at,
    userId,
    queryId,
    number,
  )
}

export function endTask(
  connection: Connection,
  userId: UserId,
  queryId: string,
  number: number,
  end: { readonly status: TaskStatus; readonly at: EpochMs; readonly details: string | null },
): void {
  connection.run(
    'UPDATE continuous_task SET status=?, ended_at=?, error_details=? WHERE user_id=? AND query_id=? AND number=?',
    end.status,
    end.at,
    end.details,
    userId,
    queryId,
    number,
  )
}

interface TaskRow {
  readonly number: number
  readonly status: TaskStatus
  readonly scheduled_at: number
  readonly started_at: number | null
  readonly ended_at: number | null
  readonly error_details: string | null
}

/** Newest first, those with a number below `before`. */
export function tasksOf(
  connection: Connection,
  userId: UserId,
  queryId: string,
  before: number,
  limit: number,
): TaskRecord[] {
  return connection
    .all<TaskRow>(
      `SELECT number, status, scheduled_at, started_at, ended_at, error_details FROM continuous_task
       WHERE user_id=? AND query_id=? AND number<? ORDER BY number DESC LIMIT ?`,
      userId,
      queryId,
      before,
      limit,
    )
    .map(row => ({
      number: row.number,
      status: row.status,
      scheduledAt: row.scheduled_at,
      startedAt: row.started_at,
      endedAt: row.ended_at,
      errorDetails: row.error_details,
    }))
}
