/** Creates, lists, shows, renames and deletes continuous queries. */
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { ServiceError } from '../../core/errors.ts'
import type { TeamId, UserId } from '../../core/ids.ts'
import { randomUuid } from '../../core/random.ts'
import { DAY_MS, formatDate, formatInstant, SECOND_MS } from '../../core/time.ts'
import type { ContinuousQuery } from '../../store/continuous-query.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'

type QueryView = ReplyBody<Operations['continuous_query.get']>

/** Maximum number of users whose rows of a deleted query are removed before other work can run. */
const USERS_AT_ONCE = 100

/** Returns a continuous query. Throws 404 if the team has no query with this ID or slug. */
export async function requireContinuousQuery(
  engine: EngineContext,
  teamId: TeamId,
  idOrSlug: string,
): Promise<ContinuousQuery> {
  const query = await engine.store.continuous.find(teamId, idOrSlug)
  if (!query) throw notFound()
  return query
}

export const createContinuousQuery: Handler<'continuous_query.create'> = async (engine, { body }, call) => {
  const [{ toBatch, planContinuous }, { checkOverrides }, { runQueryBatch }, { resultColumns }] = await Promise.all([
    import('./plan.ts'),
    import('../aggregate/functions/priority.ts'),
    import('../aggregate/run.ts'),
    import('./rows.ts'),
  ])
  const planned = planContinuous(body.query)
  const overrides = body.query_config?.provider_priority_overrides ?? null
  checkOverrides(engine.providers, overrides ?? [], ['body', 'query_config', 'provider_priority_overrides'])
  const queryId = randomUuid(engine.random)
  // run the query without data to find out which columns its results have
  const past = { unit: 'day' as const, value: 1 }
  const timeframe = { type: 'relative' as const, anchor: formatDate(call.now - DAY_MS), past }
  const nobody = { userId: queryId as UserId, fallbackTimeZone: null }
  const batch = toBatch(planned.query, overrides, timeframe)
  const [table] = await runQueryBatch(engine.store, nobody, batch, {
    now: call.now,
    providers: engine.providers,
    priorities: [],
  })
  if (!table) throw new Error('a query must have a result')
  const query: ContinuousQuery = {
    teamId: call.team.teamId,
    queryId,
    slug: body.slug,
    title: body.title,
    query: body.query as Readonly<Record<string, unknown>>,
    providerOverrides: overrides,
    minimumGapMs: body.scheduling_preferences.minimum_gap_duration_second * SECOND_MS,
    dataEvents: body.export_preferences.data_events.enabled,
    reads: planned.reads,
    columns: resultColumns(table, planned.plan.outputs),
    createdAt: call.now,
  }
  call.about('query_id', queryId)
  return call.settle(
    () => engine.store.continuous.create(query),
    outcome => {
      if (outcome !== 'taken') return ok(queryView(query))
      throw new ServiceError('conflict', 'This team already has a continuous query with this slug.', {
        suggestions: ['Choose another slug, or delete that query first.'],
      })
    },
  )
}

export const listContinuousQueries: Handler<'continuous_query.list'> = async (engine, _input, call) => {
  const queries = await engine.store.continuous.ofTeam(call.team.teamId)
  return ok({ continuous_queries: queries.map(queryView) })
}

export const getContinuousQuery: Handler<'continuous_query.get'> = async (engine, { params }, call) =>
  ok(queryView(await requireContinuousQuery(engine, call.team.teamId, params.query_id_or_slug)))

export const renameContinuousQuery: Handler<'continuous_query.rename'> = async (engine, { params, body }, call) => {
  const query = await requireContinuousQuery(engine, call.team.teamId, params.query_id_or_slug)
  call.about('query_id', query.queryId)
  return call.settle(
    () => engine.store.continuous.rename(call.team.teamId, query.queryId, body.title),
    isThere => {
      if (!isThere) throw notFound()
      return ok(queryView({ ...query, title: body.title }))
    },
  )
}

/**
 * Deletes a continuous query. The definition is removed immediately, and results can no longer be read. If the removal of rows is
 * interrupted, jobs remove the remaining rows.
 */
export const deleteContinuousQuery: Handler<'continuous_query.delete'> = async (engine, { params }, call) => {
  const { queryId } = await requireContinuousQuery(engine, call.team.teamId, params.query_id_or_slug)
  const deleted = await engine.store.continuous.remove(call.team.teamId, queryId, call.now)
  if (!deleted) throw notFound()
  const tried = new Set<UserId>()
  for (let left = true; left && !call.signal?.aborted; ) {
    const users = await engine.store.continuous.dueUsers(queryId, call.now, USERS_AT_ONCE)
    // the removal of rows stays due for a user who is being purged
    left = users.length === USERS_AT_ONCE && users.some(userId => !tried.has(userId))
    for (const userId of users) {
      tried.add(userId)
      await engine.store.continuous.beginRun(userId, queryId, call.now)
    }
  }
  return ok({ success: true })
}

function notFound(): ServiceError {
  return new ServiceError('not_found', 'Continuous query not found', {
    suggestions: ['`svc aggregate watch list` shows the continuous queries of the team.'],
  })
}

function queryView(query: ContinuousQuery): QueryView {
  return {
    query_id: query.queryId,
    team_id: query.teamId,
    slug: query.slug,
    title: query.title,
    query: { ...query.query },
    query_config: query.providerOverrides && { provider_priority_overrides: [...query.providerOverrides] },
    scheduling_preferences: { minimum_gap_duration_second: query.minimumGapMs / SECOND_MS },
    export_preferences: { data_events: { enabled: query.dataEvents }, fhir_observations: false },
    created_at: formatInstant(query.createdAt),
  }
}
