/** Shows which data was pulled for a team's users, and which data is available. See docs/interface/users.md#users-25. */
import type { HandlerInput, ReplyBody } from '../../contract/kernel/operation.ts'
import type { Operations } from '../../contract/operations.ts'
import { type UserId, uuidBytes, uuidText } from '../../core/ids.ts'
import { type EpochMs, formatInstant } from '../../core/time.ts'
import type { HistoricalPull, IntrospectedUser, ResourceRecord } from '../../store/pull.ts'
import { findSupply } from '../connections/connections.ts'
import { knownProvider } from '../connections/providers.ts'
import { type EngineContext, type Handler, ok, type TeamCall } from '../context.ts'
import { seal, unseal } from '../sealed-cursor.ts'
import { activeUser } from './users.ts'

type Resources = ReplyBody<Operations['introspect.resources']>['data'][number]
type Pulls = ReplyBody<Operations['introspect.historical_pulls']>['data'][number]

const UUID_BYTES = 16
/** Version of the simulation, and of the live connectors, that pulled the data. */
const RELEASE = 'synthetic-1'
const LIVE_RELEASE = 'live-1'

export const introspectResources: Handler<'introspect.resources'> = async (engine, { query }, call) =>
  ok(await readPage(engine, query, call, async user => groupResources(user)))

export const introspectHistoricalPulls: Handler<'introspect.historical_pulls'> = async (engine, { query }, call) => {
  // without an OAuth app, no connection can be live
  const oauthApps = await engine.store.live.oauthApps.list(call.team.teamId)
  const unmappedOf = (userId: UserId) => (oauthApps.length === 0 ? new Map() : unmappedBy(engine, userId))
  return ok(await readPage(engine, query, call, async user => readPulls(engine, user, await unmappedOf(user.userId))))
}

/** Number of values that were not mapped, by the provider's name for their kind. */
type Unmapped = Readonly<Record<string, number>>

/** Returns the unmapped values from a user's live connections, by provider. */
async function unmappedBy(engine: EngineContext, userId: UserId): Promise<ReadonlyMap<string, Unmapped>> {
  const records = await engine.store.live.pulls.ofUser(userId)
  return new Map(
    records.map(({ provider, progress }) => {
      const sum: Record<string, number> = {}
      for (const { unmapped } of Object.values(progress)) {
        for (const [kind, count] of Object.entries(unmapped)) sum[kind] = (sum[kind] ?? 0) + count
      }
      return [provider, sum]
    }),
  )
}

type PageQuery = HandlerInput<Operations['introspect.resources']>['query']

async function readPage<T>(
  engine: EngineContext,
  query: PageQuery,
  call: TeamCall,
  view: (user: IntrospectedUser) => Promise<T>,
): Promise<{ data: T[]; next_cursor: string | null; next: string | null }> {
  const { teamId } = call.team
  if (query.provider) knownProvider(engine, query.provider, ['query', 'provider'])
  if (query.user_id) await activeUser(engine, teamId, query.user_id)
  const provider = query.provider || null
  const pagination = ['introspection', teamId, query.user_id ?? null, provider]
  const cursor = query.next_cursor || query.cursor
  const what = 'team, user and provider filter'
  const after = cursor ? (uuidText(unseal(engine.masterKey(), pagination, cursor, UUID_BYTES, what)) as UserId) : null
  const limit = query.user_limit
  const users = await engine.store.pulls.introspect(teamId, {
    userId: query.user_id ?? null,
    provider,
    after,
    limit: limit + 1,
  })
  const shown = users.slice(0, limit)
  const last = shown.at(-1)
  const next =
    last && users.length > limit ? seal(engine.masterKey(), pagination, Buffer.from(uuidBytes(last.userId))) : null
  return { data: await Promise.all(shown.map(view)), next_cursor: next, next }
}

function groupResources({ userId, resources }: IntrospectedUser): Resources {
  const provider: Resources['provider'] = {}
  for (const each of resources) {
    const ofProvider = provider[each.provider] ?? {}
    provider[each.provider] = ofProvider
    ofProvider[each.resource] = {
      last_attempt: each.lastAttempt && {
        timestamp: formatInstant(each.lastAttempt.at),
        status: each.lastAttempt.status,
      },
      oldest_data: instantOrNull(each.oldest),
      newest_data: instantOrNull(each.newest),
      sent_count: each.sent,
    }
  }
  return { user_id: userId, provider }
}

async function readPulls(
  engine: EngineContext,
  { userId, connected, resources }: IntrospectedUser,
  unmapped: ReadonlyMap<string, Unmapped>,
): Promise<Pulls> {
  const slugs = [...new Set([...connected, ...resources.filter(isPulled).map(each => each.provider)])].sort()
  const provider: Pulls['provider'] = {}
  for (const slug of slugs) {
    const pulled = resources.filter(isPulled).filter(each => each.provider === slug)
    const names = new Set(pulled.map(each => each.resource))
    const live = unmapped.get(slug)
    const supply = await findSupply(engine, { provider: slug, isLive: live !== undefined })
    const release = live ? LIVE_RELEASE : RELEASE
    provider[slug] = {
      pulled: Object.fromEntries(pulled.map(each => [each.resource, pullView(each.historical, release)])),
      not_pulled: (supply?.supportedResources ?? []).filter(each => !names.has(each)),
      ...(live ? { unmapped: live } : {}),
    }
  }
  return { user_id: userId, provider }
}

type Pulled = ResourceRecord & { readonly historical: HistoricalPull }

function isPulled(record: ResourceRecord): record is Pulled {
  return record.historical !== null
}

/** Returns the view of a pull. A pull is complete before the call that caused it returns, so pulls are never in progress here. */
function pullView(
  { from, to, at, daysWithData, traceId }: HistoricalPull,
  release: string,
): Pulls['provider'][string]['pulled'][string] {
  const time = formatInstant(at)
  return {
    status: 'success',
    range_start: formatInstant(from),
    range_end: formatInstant(to),
    timeline: { scheduled_at: time, started_at: time, ended_at: time },
    days_with_data: daysWithData,
    release,
    trace_id: traceId,
    error_details: null,
  }
}

function instantOrNull(at: EpochMs | null): string | null {
  return at === null ? null : formatInstant(at)
}
