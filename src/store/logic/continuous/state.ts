/** Records the data touched for a user since a continuous query last ran, and the resulting tasks, in the caller's transaction. */
import type { UserId } from '../../../core/ids.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { QueryRun, TaskStatus, TimeRange } from '../../continuous-query.ts'
import { moveQueryJob, queryJob, requestQueryJob } from '../jobs.ts'
import { CONTINUOUS_STATES, CONTINUOUS_TASKS, type ContinuousStateRow, type ContinuousTaskRow } from '../rows/tables.ts'
import { command, many, one, query, run, type Steps } from '../steps.ts'

/** Number of tasks kept for each query and user. Older tasks are removed. */
export const MOST_TASKS = 1_000

/** One continuous query for one user. */
export interface Watched {
  readonly userId: UserId
  readonly queryId: string
  readonly minimumGapMs: number
}

export type StateRow = Omit<ContinuousStateRow, 'user_id' | 'query_id'>

const FIND_STATE = CONTINUOUS_STATES.query('WHERE user_id=? AND query_id=?')
const FIND_TASK = CONTINUOUS_TASKS.query('WHERE user_id=? AND query_id=? AND number=?')
const TASKS_BEFORE = CONTINUOUS_TASKS.query('WHERE user_id=? AND query_id=? AND number<? ORDER BY number DESC LIMIT ?')
const REMOVE_TASKS_TO = command('DELETE FROM continuous_task WHERE user_id=? AND query_id=? AND number<=?')

const [FIRST_KIND, AFTER_KINDS] = [queryJob(''), queryJob('').replace(':', ';')]
const LATER_RUNS = query<{ readonly user_id: string; readonly kind: string }>(
  `SELECT user_id, kind FROM job WHERE due_at>? AND kind>='${FIRST_KIND}' AND kind<'${AFTER_KINDS}'`,
)

/**
 * Makes runs due that are waiting after a last run in the future, which is possible if the clock was set back. Every state is verified
 * before its time is used.
 */
export function* hastenRuns(now: EpochMs): Steps<void> {
  for (const { user_id, kind } of yield* many(LATER_RUNS, [now])) {
    const [userId, queryId] = [user_id as UserId, kind.slice(FIRST_KIND.length)]
    const last = (yield* findState(userId, queryId))?.last_run_at ?? null
    if (last !== null && last > now) yield* moveQueryJob(userId, queryId, now)
  }
}

export function* findState(userId: UserId, queryId: string): Steps<StateRow | undefined> {
  return yield* one(FIND_STATE, [userId, queryId])
}

export function* putState(userId: UserId, queryId: string, row: StateRow): Steps<void> {
  yield* CONTINUOUS_STATES.put({ ...row, user_id: userId, query_id: queryId })
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

/** Records that a time range was touched, and makes a run due either immediately or when the gap after the last run is over. */
export function* touchState(watched: Watched, range: TimeRange, at: EpochMs): Steps<void> {
  const { userId, queryId, minimumGapMs } = watched
  const state = (yield* findState(userId, queryId)) ?? UNTOUCHED
  const { last_run_at: last } = state
  // if the last run is in the future, the clock was set back, so there is no gap to wait for
  const dueAt = last === null || last > at ? at : Math.max(at, last + minimumGapMs)
  const touched = union({ from: state.touched_from, to: state.touched_to }, range)
  const isNew = state.scheduled_task === null
  const task = isNew ? state.last_task + 1 : (state.scheduled_task as number)
  yield* putState(userId, queryId, {
    ...state,
    touched_from: touched.from,
    touched_to: touched.to,
    last_task: Math.max(state.last_task, task),
    scheduled_task: task,
  })
  if (isNew) yield* addTask(userId, queryId, task, dueAt)
  yield* requestQueryJob(userId, queryId, dueAt)
}

interface OpenRange {
  readonly from: EpochMs | null
  readonly to: EpochMs | null
}

/** Returns a range that covers both ranges, or null if both are null. */
export function union(a: OpenRange, b: OpenRange): OpenRange {
  if (a.from === null || a.to === null) return b
  if (b.from === null || b.to === null) return a
  return { from: Math.min(a.from, b.from), to: Math.max(a.to, b.to) }
}

/** Adds a task with the status `scheduled`. */
export function* addTask(userId: UserId, queryId: string, number: number, scheduledAt: EpochMs): Steps<void> {
  yield* CONTINUOUS_TASKS.insert({
    user_id: userId,
    query_id: queryId,
    number,
    status: 'scheduled',
    scheduled_at: scheduledAt,
    started_at: null,
    ended_at: null,
    error_details: null,
  })
  yield* run(REMOVE_TASKS_TO, [userId, queryId, number - MOST_TASKS])
}

export function* startTask(userId: UserId, queryId: string, number: number, at: EpochMs): Steps<void> {
  yield* changeTask(userId, queryId, number, { status: 'started', started_at: at })
}

export function* endTask(
  userId: UserId,
  queryId: string,
  number: number,
  end: { readonly status: TaskStatus; readonly at: EpochMs; readonly details: string | null },
): Steps<void> {
  yield* changeTask(userId, queryId, number, {
    status: end.status,
    ended_at: end.at,
    error_details: end.details,
  })
}

function* changeTask(userId: UserId, queryId: string, number: number, change: Partial<ContinuousTaskRow>): Steps<void> {
  const task = yield* one(FIND_TASK, [userId, queryId, number])
  if (task) yield* CONTINUOUS_TASKS.update({ ...task, ...change })
}

/** Returns tasks with a number below `before`, newest first. */
export function* listRuns(userId: UserId, queryId: string, before: number, limit: number): Steps<QueryRun[]> {
  return (yield* many(TASKS_BEFORE, [userId, queryId, before, limit])).map(row => {
    const { userId: _, queryId: __, ...task } = CONTINUOUS_TASKS.record(row)
    return { ...task, status: task.status as TaskStatus }
  })
}
