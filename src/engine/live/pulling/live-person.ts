/** A live connection during a pull: leased, with its user, its connector, and a session with its token set. */
import type { Collection } from '../../../connectors/connector.ts'
import type { LiveConnector } from '../../../connectors/live/live-connector.ts'
import { PAGE_LIMITS } from '../../../connectors/live/response-limits.ts'
import type { TokenSession } from '../../../connectors/provider-session.ts'
import type { ConnectionRecord } from '../../../store/data-write.ts'
import type { LiveConnectionRecord, LiveKey } from '../../../store/live/connections.ts'
import type { UserRecord } from '../../../store/user.ts'
import { listUserConnections, suppliedResources } from '../../connections/connections.ts'
import type { EngineContext } from '../../context.ts'
import { firstProgress } from '../linking/first-progress.ts'
import { findLiveApp } from '../oauth-apps/live-app.ts'
import { openTokenSession } from '../person-session.ts'
import type { Pace } from '../session.ts'
import { acquireLease, type HeldLease } from './lease.ts'
import { isLeftOut, notTooFar } from './progress.ts'
import { RawResponses } from './raw-responses.ts'

export interface LivePerson {
  readonly lease: HeldLease
  readonly user: UserRecord
  readonly connector: LiveConnector
  /** Names of the granted scopes. */
  readonly scopes: readonly string[]
  /** The collections whose scopes the person has granted, in the connector's order. */
  readonly collections: readonly Collection[]
  /** The resources that the connection supplies. */
  readonly resources: readonly string[]
  /** The stored progress of each collection. Code that stores new progress replaces it here. */
  readonly progress: Map<string, LiveConnectionRecord['progress'][string]>
  /** Responses to store, or null. If they are stored, collections are pulled one at a time. */
  readonly raw: RawResponses | null
  /** Opens the session on first use. Throws ProviderError `grant_lost`. */
  session(): Promise<TokenSession>
}

/**
 * `none`: there is nothing to pull from, because the connection is not connected or no longer live. `busy`: another process has the lease.
 */
export type Leased = LivePerson | 'none' | 'busy'

export interface LeaseOptions {
  readonly holder: string
  readonly signal?: AbortSignal | undefined
  readonly pace?: Pace | undefined
  /** Called for each provider response. */
  readonly onActivity?: (() => void) | undefined
}

/** Leases a connection for pulls. The caller must release the lease. */
export async function leaseConnection(engine: EngineContext, key: LiveKey, options: LeaseOptions): Promise<Leased> {
  const { userId, provider } = key
  const user = await engine.store.users.byId(userId)
  const connection = user?.deletedAt === null ? await findLiveConnection(engine, key) : null
  if (!user || connection?.status !== 'connected') return 'none'
  const live = await findLiveApp(engine, user.teamId, provider)
  if (live === null) return 'none'
  const { holder, signal } = options
  const lease = await acquireLease(engine, key, { holder, signal })
  if (lease === null) return (await engine.store.live.pulls.find(key)) === null ? 'none' : 'busy'
  const { connector, app, oauthApp } = live
  const raw = oauthApp.keepsRaw ? new RawResponses(engine, userId) : null
  const granted = grantedScopes(connector, connection)
  const collections = connector.collections.filter(each => !isLeftOut(each, granted))
  // a newer connector may have collections that did not exist at the time of the link
  const progress = { ...firstProgress(connector, [...granted], lease.record.linkedAt), ...lease.record.progress }
  let opened: Promise<TokenSession> | undefined
  const person: LivePerson = {
    lease,
    user,
    connector,
    scopes: [...granted],
    collections,
    resources: await suppliedResources(engine, connection),
    progress: new Map(
      Object.entries(progress).flatMap(([name, state]) =>
        collections.some(each => each.name === name) ? [[name, notTooFar(state, engine.wall.now())]] : [],
      ),
    ),
    raw,
    session() {
      opened ??= openTokenSession(engine, {
        teamId: user.teamId,
        userId,
        connector,
        app,
        signal: lease.signal,
        pace: options.pace,
        limits: PAGE_LIMITS,
        onActivity: options.onActivity,
        ...(raw ? { onResponse: (request, response) => raw.add(request, response, engine.wall.now()) } : {}),
      })
      return opened
    },
  }
  return person
}

/** Returns a user's live connection to a provider, whatever its status, or null. */
async function findLiveConnection(
  engine: EngineContext,
  { userId, provider }: LiveKey,
): Promise<ConnectionRecord | null> {
  const connections = await listUserConnections(engine, userId)
  return connections.find(each => each.provider === provider && each.isLive) ?? null
}

function grantedScopes({ scopes }: LiveConnector, connection: ConnectionRecord): ReadonlySet<string> {
  const { granted } = connection.scopes ?? { granted: null }
  return new Set(granted ? [...granted.required, ...granted.optional] : scopes.map(({ name }) => name))
}
