/** Shows the state of live providers: the statistics, limits and subscriptions of each OAuth app, and the pulls of each connection. */
import { liveConnector } from '../../connectors/live/live-connectors.ts'
import type { HandlerInput, ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { type TeamId, type UserId, uuidBytes, uuidText } from '../../core/ids.ts'
import { type EpochMs, formatInstant, SECOND_MS } from '../../core/time.ts'
import type { ConnectionRecord } from '../../store/data-write.ts'
import type { LiveConnectionRecord, LiveKey, SubscriptionState } from '../../store/live/connections.ts'
import type { OAuthAppRecord } from '../../store/live/oauth-apps.ts'
import type { TokenSetRecord } from '../../store/live/token-sets.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from '../context.ts'
import { seal, unseal } from '../sealed-cursor.ts'
import { activeUser } from '../users/users.ts'
import { settableConnector } from './oauth-apps/app-checks.ts'
import { sharedPermits } from './permits.ts'
import { isNotified } from './subscriptions.ts'

type Status = ReplyBody<Operations['provider.status']>
type ProviderStatus = Status['providers'][number]
type ConnectionStatus = Status['connections'][number]
type Query = HandlerInput<Operations['provider.status']>['query']

const UUID_BYTES = 16
/** Length to which slugs are padded, because cursors have a fixed size. All slugs are shorter than this. */
const SLUG_BYTES = 64

export const liveStatus: Handler<'provider.status'> = async (engine, { query }, call) => {
  const { teamId } = call.team
  const provider = query.provider ?? null
  if (provider !== null) await settableConnector(engine, provider, ['query', 'provider'])
  const oauthApps = (await engine.store.live.oauthApps.list(teamId)).filter(
    each => provider === null || each.provider === provider,
  )
  const { records, next } = await readPage(engine, query, call)
  return ok({
    providers: await Promise.all(oauthApps.map(oauthApp => providerStatus(engine, oauthApp))),
    connections: await connectionStatuses(engine, records),
    next_cursor: next,
  })
}

interface Page {
  readonly records: readonly LiveConnectionRecord[]
  readonly next: string | null
}

async function readPage(engine: EngineContext, query: Query, call: TeamCall): Promise<Page> {
  const { teamId } = call.team
  const provider = query.provider ?? null
  if (query.user_id !== undefined) {
    const { userId } = await activeUser(engine, teamId, query.user_id)
    const all = await engine.store.live.pulls.ofUser(userId)
    return { records: all.filter(each => provider === null || each.provider === provider), next: null }
  }
  const pagination = ['live status', teamId, provider]
  const after = query.cursor === undefined ? null : keyIn(engine, pagination, query.cursor)
  const found = await engine.store.live.pulls.list(teamId, provider, after, query.limit + 1)
  const records = found.slice(0, query.limit)
  const last = records.at(-1)
  return { records, next: last && found.length > query.limit ? sealCursor(engine, pagination, last) : null }
}

function sealCursor(engine: EngineContext, pagination: readonly unknown[], { userId, provider }: LiveKey): string {
  const slug = Buffer.alloc(SLUG_BYTES)
  slug.write(provider)
  return seal(engine.masterKey(), pagination, Buffer.concat([uuidBytes(userId), slug]))
}

function keyIn(engine: EngineContext, pagination: readonly unknown[], cursor: string): LiveKey {
  const bytes = unseal(engine.masterKey(), pagination, cursor, UUID_BYTES + SLUG_BYTES, 'team and provider filter')
  const provider = bytes.subarray(UUID_BYTES).toString().replace(/\0+$/, '')
  return { userId: uuidText(bytes.subarray(0, UUID_BYTES)) as UserId, provider }
}

async function providerStatus(engine: EngineContext, oauthApp: OAuthAppRecord): Promise<ProviderStatus> {
  const { teamId, provider } = oauthApp
  const now = engine.wall.now()
  const connector = await liveConnector(provider)
  const { live } = engine.store
  const owner = { teamId, provider, limits: connector?.limits ?? [] }
  const limits = await sharedPermits(engine).readLimits(engine, owner, null)
  const { used, blockedUntil } = await live.budgets.state(teamId, provider, { limits, now })
  const ofApp = owner.limits.filter(({ scope }) => scope === 'app')
  const figures = await readFigures(engine, teamId, provider, now)
  const subscriptions = await live.subscriptions.list(teamId, provider)
  return {
    provider,
    connections: figures?.connections ?? 0,
    in_error: figures?.inError ?? 0,
    in_history: figures?.inHistory ?? 0,
    last_pull_at: instant(figures?.lastPullAt ?? null),
    next_pull_at: instant(figures?.nextPullAt ?? null),
    delivery: connector && isNotified(engine, oauthApp, connector) ? 'notifications' : 'polling',
    waiting_notifications: figures?.waitingNotifications ?? 0,
    limits: used.map(({ most, count }, i) => {
      // the budget counts requests for slightly longer than the provider does
      return { most, window_seconds: (ofApp[i]?.windowMs ?? 0) / SECOND_MS, used: count }
    }),
    blocked_until: instant(blockedUntil),
    subscriptions: subscriptions.map(each => subscriptionView(each.name, each)),
  }
}

async function readFigures(engine: EngineContext, teamId: TeamId, provider: string, now: EpochMs) {
  const figures = await engine.store.live.pulls.figures(teamId, now)
  return figures.find(each => each.provider === provider)
}

async function connectionStatuses(
  engine: EngineContext,
  records: readonly LiveConnectionRecord[],
): Promise<ConnectionStatus[]> {
  const connections = await engine.store.connections.ofUsers([...new Set(records.map(({ userId }) => userId))])
  return Promise.all(
    records.map(async record => {
      const connection = connections.get(record.userId)?.find(each => each.provider === record.provider)
      return connectionStatus(
        record,
        connection,
        await engine.store.live.tokenSets.find(record.userId, record.provider),
      )
    }),
  )
}

function connectionStatus(
  record: LiveConnectionRecord,
  connection: ConnectionRecord | undefined,
  tokenSet: TokenSetRecord | null,
): ConnectionStatus {
  const collections = Object.entries(record.progress)
  const pulls = collections.flatMap(([, { lastPullAt }]) => lastPullAt ?? [])
  return {
    user_id: record.userId,
    provider: record.provider,
    status: connection?.status ?? 'error',
    error_type: connection?.error?.type ?? null,
    error_message: connection?.error?.message ?? null,
    grant: {
      state: tokenSet === null ? 'missing' : tokenSet.state === 'moved' ? 'moved' : 'active',
      expires_at: instant(tokenSet?.expiresAt ?? null),
      renewals: tokenSet?.rev ?? 0,
    },
    last_pull_at: instant(pulls.length === 0 ? null : Math.max(...pulls)),
    next_pull_at: instant(record.dueAt),
    collections: collections.map(([name, progress]) => ({
      name,
      state: progress.isComplete ? 'polling' : 'history',
      reached: formatInstant(progress.reached),
      until: formatInstant(progress.until),
      goal: instant(progress.goal),
      due_at: formatInstant(progress.dueAt),
      last_pull_at: instant(progress.lastPullAt),
      failures: progress.failures,
      last_error: progress.lastError && { ...progress.lastError, at: formatInstant(progress.lastError.at) },
      received: progress.received,
      unmapped: { ...progress.unmapped },
    })),
    subscriptions: Object.entries(record.subscriptions).map(([name, each]) => subscriptionView(name, each)),
  }
}

function subscriptionView(name: string, { expiresAt, failures, lastError }: SubscriptionState) {
  return { name, expires_at: instant(expiresAt), failures, last_error: lastError }
}

function instant(at: EpochMs | null): string | null {
  return at === null ? null : formatInstant(at)
}
