/** Refreshes a user: pulls new data from the connected providers. See docs/interface/connections.md#connections-9. */
import { ServiceError } from '../../core/errors.ts'
import type { UserId } from '../../core/ids.ts'
import { SUMMARY_KINDS } from '../../core/sample.ts'
import { DAY_MS, type EpochMs, HOUR_MS, SECOND_MS } from '../../core/time.ts'
import type { ConnectionRecord } from '../../store/data-write.ts'
import type { UserRecord } from '../../store/user.ts'
import { type EngineContext, type Handler, ok } from '../context.ts'
import { withinBounds } from '../intake/ingestion.ts'
import type { RefreshOutcome } from '../live/pulling/refresh-live.ts'
import { activeUser } from '../users/users.ts'
import { listUserConnections, suppliedResources } from './connections.ts'
import { describePull, simulatedHistory } from './pulls.ts'

/** Maximum number of refreshes per user and hour, in real time. See docs/interface/limits.md#limits-8. */
export const REFRESHES_AN_HOUR = 8

export const refreshUser: Handler<'user.refresh'> = async (engine, { params, query }, call) => {
  const user = await activeUser(engine, call.team.teamId, params.user_id)
  const connections = await listUserConnections(engine, user.userId)
  const connected = connections.filter(each => each.status === 'connected')
  const unconnected = connections.filter(each => each.status !== 'connected')
  const failed = (await Promise.all(unconnected.map(each => connectionSources(engine, each)))).flat()
  if (connected.length === 0) {
    const error = 'user has no connected sources'
    throw new ServiceError('bad_request', error, {
      body: { success: false, user_id: user.userId, error, failed_sources: failed },
      suggestions: [
        connections.length === 0
          ? 'Link a provider first: svc link password PROVIDER --user USER'
          : `These connections have failed or are paused: ${connections.map(each => each.provider).join(', ')}. Link them again.`,
      ],
    })
  }
  await awaitRateSlot(engine, user.userId)
  const deadline = engine.time.now() + query.timeout * SECOND_MS
  const began = engine.wall.now()
  const refreshed: string[] = []
  const waiting: string[] = []
  const live = new Map<ConnectionRecord, Promise<RefreshOutcome>>()
  // start all of them at once, so that a slow provider does not delay the others
  for (const connection of connected.filter(each => isPulled(each) && each.isLive)) {
    const { refreshLive } = await import('../live/pulling/refresh-live.ts')
    const mostMs = began + query.timeout * SECOND_MS - engine.wall.now()
    const refreshing = refreshLive(engine, connection, { mostMs, signal: call.signal })
    // awaited later, in order
    refreshing.catch(() => {})
    live.set(connection, refreshing)
  }
  for (const connection of connected.filter(isPulled)) {
    const sources = await connectionSources(engine, connection)
    const outcome = await live.get(connection)
    if (outcome) {
      ;({ refreshed, waiting, failed })[outcome].push(...sources)
    } else if (engine.time.now() < deadline && !call.signal?.aborted) {
      const isBrought = await refreshConnection(engine, user, connection, call.now)
      ;(isBrought ? refreshed : failed).push(...sources)
    } else {
      await engine.store.connections.askRefresh(user.userId, connection.provider, call.now)
      waiting.push(...sources)
    }
  }
  return ok({
    success: true,
    user_id: user.userId,
    refreshed_sources: refreshed,
    in_progress_sources: waiting,
    failed_sources: failed,
  })
}

/** Runs a refresh that was requested but not done in time. Returns whether it was still due. Running it twice has the same result. */
export async function runRefresh(
  engine: EngineContext,
  userId: UserId,
  provider: string,
  now: EpochMs,
): Promise<boolean> {
  const user = await engine.store.users.byId(userId)
  const connections = user && user.deletedAt === null ? await listUserConnections(engine, userId) : []
  const connection = connections.find(each => each.provider === provider && each.status === 'connected')
  // a live connection has replaced the simulation, and is pulled separately
  if (user && connection && !connection.isLive) await refreshConnection(engine, user, connection, now)
  return engine.store.connections.settleRefresh(userId, provider, now)
}

/** Counts a refresh towards the user's limit. Throws a 429 that says when the next refresh is allowed. */
async function awaitRateSlot(engine: EngineContext, userId: UserId): Promise<void> {
  const limit = { now: engine.time.now(), most: REFRESHES_AN_HOUR, windowMs: HOUR_MS }
  const waitMs = await engine.store.users.takeRateSlot(userId, 'refresh', limit)
  if (waitMs === 0) return
  const seconds = Math.ceil(waitMs / SECOND_MS)
  throw new ServiceError('rate_limited', `A user can be refreshed ${REFRESHES_AN_HOUR} times an hour.`, {
    headers: { 'retry-after': String(seconds) },
    suggestions: [`This user can be refreshed again in ${seconds} s.`],
  })
}

/** Returns `provider/resource` for everything that the connection supplies. */
async function connectionSources(engine: EngineContext, connection: ConnectionRecord): Promise<string[]> {
  return (await suppliedBy(engine, connection)).map(resource => `${connection.provider}/${resource}`)
}

/** Returns whether data can be pulled. A connection that was created by a push or an import has no account to pull from. */
function isPulled({ externalUserId, isDemo }: ConnectionRecord): boolean {
  return externalUserId !== null || isDemo
}

/** Returns a connection's resources. A demo connection has only summaries. */
async function suppliedBy(engine: EngineContext, connection: ConnectionRecord): Promise<string[]> {
  const available = await suppliedResources(engine, connection)
  return connection.isDemo ? available.filter(each => (SUMMARY_KINDS as readonly string[]).includes(each)) : available
}

/**
 * Pulls everything since the last pull, as far back as the provider allows. Data that is already stored is not changed. Returns false if
 * the connection failed or was removed during the pull.
 */
async function refreshConnection(
  engine: EngineContext,
  user: UserRecord,
  connection: ConnectionRecord,
  now: EpochMs,
): Promise<boolean> {
  const { userId } = user
  const { provider } = connection
  const known = engine.providers.find(provider)
  if (!known) return true
  const last = (await engine.store.pulls.lastPulls(userId)).get(provider) ?? connection.createdOn
  const days = Math.min(known.historyDays, 1 + Math.max(0, Math.ceil((now - last) / DAY_MS)))
  const resources = await suppliedBy(engine, connection)
  const history = await simulatedHistory(engine, user, { provider: known, now, days, resources })
  const { data } = withinBounds(user, history)
  return engine.store.connections.bringRefreshed(userId, provider, {
    at: now,
    ...data,
    ...describePull(engine, { user, provider, kind: 'refresh', from: history.from, to: now, resources }),
    events: { kind: 'daily' },
  })
}
