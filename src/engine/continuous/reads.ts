/**
 * Returns a continuous query's result for a user, and its runs. See docs/interface/aggregates.md#aggregates-13.
 */
import { PARQUET } from '../../contract/readings/download.ts'
import { formatInstant } from '../../core/time.ts'
import type { ContinuousQuery } from '../../store/continuous-query.ts'
import type { UserRecord } from '../../store/user.ts'
import { acceptedType } from '../accepted-type.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from '../context.ts'
import { activeUser } from '../users/users.ts'
import { openTaskCursor, sealTaskCursor } from './cursor.ts'
import { requireContinuousQuery } from './queries.ts'

const JSON_TYPE = 'application/json'
/** How often and for how long a read checks whether another process's run has ended, in real time. */
const LOOK_MS = 100
const MOST_LOOKS = 100

export const resultTable: Handler<'aggregate.result_table'> = async (engine, { params }, call) => {
  const mediaType = acceptedType(call.accept, [JSON_TYPE, PARQUET])
  const { user, query } = await found(engine, params, call)
  const { toResultTable } = await import('./rows.ts')
  const rows = await engine.store.continuous.resultRows(user.userId, query.queryId, -Infinity, Infinity)
  const table = await toResultTable(query.columns, rows)
  if (mediaType === JSON_TYPE) {
    const { toColumns } = await import('../../table/json.ts')
    return ok({ table: toColumns(table) })
  }
  const { toParquet } = await import('../../table/parquet.ts')
  return { kind: 'bytes', status: 200, headers: {}, mediaType: PARQUET, bytes: await toParquet(table) }
}

export const taskHistory: Handler<'aggregate.task_history'> = async (engine, { params, query: page }, call) => {
  const { user, query } = await found(engine, params, call)
  const { userId } = user
  const { queryId } = query
  const pagination = { teamId: call.team.teamId, userId, queryId }
  const before = page.next_cursor
    ? openTaskCursor(engine.masterKey(), pagination, page.next_cursor)
    : Number.MAX_SAFE_INTEGER
  const tasks = await engine.store.continuous.tasks(userId, queryId, before, page.limit + 1)
  const shown = tasks.slice(0, page.limit)
  const last = shown.at(-1)
  return ok({
    data: shown.map(task => ({
      query_id: queryId,
      user_id: userId,
      status: task.status,
      scheduled_at: formatInstant(task.scheduledAt),
      started_at: task.startedAt === null ? null : formatInstant(task.startedAt),
      ended_at: task.endedAt === null ? null : formatInstant(task.endedAt),
      error_details: task.errorDetails,
    })),
    next_cursor: last && tasks.length > page.limit ? sealTaskCursor(engine.masterKey(), pagination, last.number) : null,
  })
}

/** Returns the user and the query. Runs the query first if it is due, so that the result includes all stored data. */
async function found(
  engine: EngineContext,
  params: { readonly user_id: UserRecord['userId']; readonly query_id_or_slug: string },
  call: TeamCall,
): Promise<{ readonly user: UserRecord; readonly query: ContinuousQuery }> {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const query = await requireContinuousQuery(engine, call.team.teamId, params.query_id_or_slug)
  const isDue = async (): Promise<boolean> => {
    const due = await engine.store.jobs.due(call.now, [user.userId], Number.MAX_SAFE_INTEGER, 'continuous_query')
    return due.some(job => job.subject === query.queryId)
  }
  if (!(await isDue())) return { user, query }
  const { runContinuousQuery } = await import('./run.ts')
  if (await runContinuousQuery(engine, user.userId, query.queryId, { now: call.now, signal: call.signal })) {
    return { user, query }
  }
  // another process has taken over the run and will finish it soon
  for (let looks = 0; looks < MOST_LOOKS && (await isDue()); looks++) {
    await new Promise(resolve => setTimeout(resolve, LOOK_MS))
    call.signal?.throwIfAborted()
  }
  return { user, query }
}
