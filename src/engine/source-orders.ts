/** Reads and replaces the order of sources in merges, of a team or a user. See docs/interface/merging.md#merging-18. */
import { LABS } from '../catalogue/labs/labs.ts'
import type { MetricGroup } from '../catalogue/metric-groups.ts'
import type { ProviderRegistry } from '../catalogue/providers.ts'
import { SOURCE_TYPES } from '../catalogue/source-types.ts'
import type { HandlerInput } from '../contract/kernel/operation.ts'
import type { Operations } from '../contract/operations.ts'
import { invalid, type ValidationIssue } from '../core/errors.ts'
import type { UserId } from '../core/ids.ts'
import type { SourceOrder, SourceOrders, SourcePattern } from '../store/source-order.ts'
import { type EngineContext, type Handler, ok } from './context.ts'
import { unknownName } from './priorities.ts'
import { activeUser } from './users/users.ts'

type Source = HandlerInput<Operations['source_order.replace']>['body']['sources'][number]
type Call = Parameters<Handler<'source_order.list'>>[2]

export const listSourceOrders: Handler<'source_order.list'> = async (engine, { query }, call) => {
  if (query.user_id === undefined) return ok(view(await teamOrders(engine, call)))
  const { userId } = await activeUser(engine, call.team.teamId, query.user_id)
  return ok(view(await engine.store.sourceOrders.ofUser(call.team.teamId, userId)))
}

/** Replaces the order for one group of metrics. Returns all orders of the user, with those of the team, or those of the team. */
export const replaceSourceOrder: Handler<'source_order.replace'> = async (engine, { params, query, body }, call) => {
  const { store } = engine
  const { teamId } = call.team
  const user: UserId | null = query.user_id ? (await activeUser(engine, teamId, query.user_id)).userId : null
  const issues = body.sources.flatMap((source, i) => findIssues(source, i, engine.providers))
  if (issues.length > 0) throw invalid(issues)
  const order: SourceOrder = { metricGroup: params.metric_group as MetricGroup, sources: body.sources.map(toPattern) }
  if (user === null) await store.sourceOrders.replaceOfTeam(teamId, order)
  else await store.sourceOrders.replaceOfUser(user, order)
  return ok(view(user === null ? await teamOrders(engine, call) : await store.sourceOrders.ofUser(teamId, user)))
}

async function teamOrders({ store }: EngineContext, { team }: Call): Promise<SourceOrders> {
  return { user: [], team: await store.sourceOrders.ofTeam(team.teamId) }
}

function view({ user, team }: SourceOrders) {
  const viewOf = (of: 'user' | 'team') => (order: SourceOrder) => {
    const { metric_group, sources } = sourceOrderView(order)
    return { metric_group, of, sources }
  }
  return { source_orders: [...user.map(viewOf('user')), ...team.map(viewOf('team'))] }
}

/** Returns an order as in responses and exports. */
export function sourceOrderView({ metricGroup, sources }: SourceOrder) {
  return {
    metric_group: metricGroup,
    sources: sources.map(({ provider, sourceType, appId, deviceId }) => ({
      ...{ provider, source_type: sourceType, app_id: appId, device_id: deviceId },
    })),
  }
}

function toPattern({ provider, source_type, app_id, device_id }: Source): SourcePattern {
  return {
    provider: provider ?? null,
    sourceType: source_type ?? null,
    appId: app_id ?? null,
    deviceId: device_id ?? null,
  }
}

function findIssues(
  { provider, source_type: type }: Source,
  i: number,
  providers: ProviderRegistry,
): ValidationIssue[] {
  const issue = (field: string, what: string, name: string, known: readonly string[]): ValidationIssue => ({
    loc: ['body', 'sources', i, field],
    msg: unknownName(what, name, known),
    type: 'enum',
  })
  const slugs = [...providers.slugs, ...LABS.map(lab => lab.slug)]
  return [
    ...(provider && !slugs.includes(provider) ? [issue('provider', 'provider or lab', provider, slugs)] : []),
    ...(type && !(SOURCE_TYPES as readonly string[]).includes(type)
      ? [issue('source_type', 'source type', type, SOURCE_TYPES)]
      : []),
  ]
}
