/** The overview of a team: what needs attention, figures by day, and the latest activity. It reads counters and indexes, never data. */
import type { ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { type EpochMs, formatInstant, MINUTE_MS } from '../../core/time.ts'
import { freeBytes, LITTLE_BYTES } from '../../store/folder/disk-room.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from '../context.ts'
import { readDays } from './days.ts'

type Overview = ReplyBody<Operations['engine.overview']>
type Attention = Overview['attention'][number]

/** Number of entries in each list of the latest activity. */
const LATEST = 6
/** A queue of this length needs attention. */
const LONG_QUEUE = 1_000
const MOST_JOBS = 1_000
/** A job that has been due for this long needs attention, because servers run jobs within seconds. */
const OVERDUE_MS = 10 * MINUTE_MS

export const engineOverview: Handler<'engine.overview'> = async (engine, _input, call) => {
  const { teamId } = call.team
  const [{ users, connections }, { endpoints, deliveries }, { days, refusedNotifications }] = await Promise.all([
    engine.store.users.counts(teamId),
    lookAtEndpoints(engine, call),
    readDays(engine, teamId),
  ])
  const inError = connections.reduce((sum, each) => sum + each.inError, 0)
  return ok({
    attention: [
      ...some('connections_in_error', inError),
      ...endpoints,
      ...some('dead_deliveries', deliveries.dead),
      ...some('waiting_deliveries', deliveries.waiting >= LONG_QUEUE ? deliveries.waiting : 0),
      ...some('refused_notifications', refusedNotifications),
      ...(call.isOperator ? await lookAtStore(engine, call.now) : []),
    ],
    users,
    connections: connections.map(({ provider, count, inError }) => ({ provider, count, in_error: inError })),
    deliveries,
    days: [...days],
    ...(await latest(engine, call)),
  })
}

function some(kind: Attention['kind'], count: number, since: EpochMs | null = null): Attention[] {
  const item = {
    kind,
    count,
    since: since === null ? null : formatInstant(since),
    endpoint_id: null,
    is_minimum: false,
  }
  return count === 0 ? [] : [item]
}

/** Returns endpoints that fail or were disabled because they failed, and the number of deliveries to all endpoints. */
async function lookAtEndpoints({ store }: EngineContext, { team }: TeamCall) {
  const endpoints = await store.webhooks.list(team.teamId)
  const kept = [...(await store.webhooks.kept(endpoints)).values()]
  const failing = endpoints.flatMap(({ endpointId, disabledAt, disabledReason, failingSince }) => {
    if (disabledAt !== null && disabledReason !== 'manual') {
      return some('endpoint_disabled', 1, disabledAt).map(each => ({ ...each, endpoint_id: endpointId }))
    }
    if (disabledAt !== null || failingSince === null) return []
    return some('endpoint_failing', 1, failingSince).map(each => ({ ...each, endpoint_id: endpointId }))
  })
  const sum = (of: 'waiting' | 'dead'): number => kept.reduce((total, each) => total + each[of], 0)
  return { endpoints: failing, deliveries: { waiting: sum('waiting'), dead: sum('dead') } }
}

/** Returns problems of the store and its machine, which concern all teams. */
async function lookAtStore({ store, scratchDir }: EngineContext, now: EpochMs): Promise<Attention[]> {
  const due = await store.jobs.due(now - OVERDUE_MS, null, MOST_JOBS)
  // the store's own jobs have no due time
  const jobs = due.filter(({ userId }) => userId !== null)
  const free = freeBytes(scratchDir)
  const lost = Math.round((1 - store.upkeep.reachableShare()) * 100)
  return [
    ...some('overdue_jobs', jobs.length, jobs[0]?.dueAt).map(each => ({
      ...each,
      is_minimum: due.length === MOST_JOBS,
    })),
    ...(free < LITTLE_BYTES
      ? [{ kind: 'disk_low' as const, count: free, is_minimum: false, since: null, endpoint_id: null }]
      : []),
    ...some('store_unreachable', lost),
  ]
}

async function latest({ store }: EngineContext, call: TeamCall): Promise<Pick<Overview, 'events' | 'audit'>> {
  const { teamId } = call.team
  const none = { types: null, userId: null, since: null, until: null, state: null, endpointId: null, after: null }
  const events = await store.events.list({ teamId, ...none, order: 'desc', limit: LATEST })
  const audit = call.isOperator
    ? await store.audit.list({ teamId, operation: null, since: null, before: null, limit: LATEST })
    : null
  return {
    events: events.map(({ event }) => ({
      event_id: event.eventId,
      event_type: event.type,
      user_id: event.userId,
      at: formatInstant(event.at),
    })),
    audit:
      audit?.map(({ entryId, at, operation, outcome }) => ({
        entry_id: entryId,
        at: formatInstant(at),
        operation,
        outcome,
      })) ?? null,
  }
}
