/** Stores pulls as rows: the request and result of each pull, and the data that introspection shows about it. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import { type SampleBatch, startAt } from '../../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import type { DataWrite, NewPull } from '../../data-write.ts'
import type { IntrospectedUser, IntrospectionQuery, ResourceRecord } from '../../pull.ts'
import { eventResource } from '../events/outbox.ts'
import { part, read } from '../part.ts'
import { CHUNK_HEADS, CONNECTIONS, PULLS, type PullRow, SUMMARIES } from '../rows/tables.ts'
import { everySeries } from '../samples/series.ts'
import { many, one, query, type Steps } from '../steps.ts'

const FIND_PULL = PULLS.query('WHERE user_id=? AND provider=? AND resource=?')
const PULLS_OF_PROVIDER = PULLS.query('WHERE user_id=? AND provider=?')
const PULLS_OF_USER = PULLS.query('WHERE user_id=?')
const CONNECTIONS_OF_USER = CONNECTIONS.query('WHERE user_id=? ORDER BY provider')
const SUMMARIES_OF_USER = SUMMARIES.query('WHERE user_id=?')
const FIRST_CHUNK = CHUNK_HEADS.query('WHERE user_id=? AND series_id=? ORDER BY chunk_start ASC LIMIT 1')
const LAST_CHUNK = CHUNK_HEADS.query('WHERE user_id=? AND series_id=? ORDER BY chunk_start DESC LIMIT 1')

const IS_IT = 'AND user_id=?'
const IS_CONNECTED = 'AND EXISTS (SELECT 1 FROM connection WHERE connection.user_id=user.user_id AND provider=?)'
/** Queries for pages of active users. Conditions that are not needed are omitted. For example, a single user is found by the key. */
const USER_PAGES = {
  everyone: { connected: userPage('', IS_CONNECTED), any: userPage('', '') },
  one: { connected: userPage(IS_IT, IS_CONNECTED), any: userPage(IS_IT, '') },
}

function userPage(isIt: string, isConnected: string) {
  return query<{ readonly user_id: UserId }>(
    dialect => `SELECT user_id FROM user ${dialect.index('user_by_id')}
      WHERE user_id>? ${isIt} AND team_id=? AND deleted_at IS NULL ${isConnected} ORDER BY user_id LIMIT ?`,
  )
}

const NEVER_PULLED = {
  range_start: null,
  range_end: null,
  ended_at: null,
  days_with_data: null,
  trace_id: null,
  last_attempt_at: null,
  last_attempt_status: null,
  sent_count: 0,
} as const

/** Counts a pull's records, by resource. */
export class PullTally {
  private readonly sent = new Map<string, number>()
  private readonly days = new Map<string, Set<number>>()

  samples(batch: SampleBatch, changed: number): void {
    const resource = eventResource(batch.series.resource)
    this.add(resource, changed)
    const days = this.resourceDays(resource)
    let last = Number.NaN
    for (let row = 0; row < batch.n; row++) {
      const day = Math.floor(startAt(batch, row) / DAY_MS)
      if (day === last) continue
      days.add(day)
      last = day
    }
  }

  document(resource: string, at: EpochMs, changed: boolean): void {
    this.add(resource, changed ? 1 : 0)
    this.resourceDays(resource).add(Math.floor(at / DAY_MS))
  }

  /** Stores the pull. `completed` is present for a page of a live pull, whose history consists of many pages. */
  *settle(userId: UserId, pull: NewPull, at: EpochMs, completed?: DataWrite['completed']): Steps<void> {
    // a provider may return resources that were not requested by name
    const resources = new Set([...pull.resources, ...this.days.keys()])
    for (const resource of resources) {
      const sent = this.sent.get(resource) ?? 0
      const { provider } = pull
      const known = yield* one(FIND_PULL, [userId, provider, resource])
      const attempted: PullRow = {
        ...(known ?? { ...NEVER_PULLED, user_id: userId, provider, resource }),
        last_attempt_at: at,
        last_attempt_status: 'success',
        sent_count: (known?.sent_count ?? 0) + sent,
      }
      const days = this.days.get(resource)?.size ?? 0
      const told = completed
        ? {
            range_start: Math.min(pull.from, known?.range_start ?? pull.from),
            range_end: Math.max(pull.to, known?.range_end ?? pull.to),
            ended_at: completed.some(each => each.resource === resource) ? at : (known?.ended_at ?? null),
            days_with_data: (known?.days_with_data ?? 0) + days,
            trace_id: pull.traceId,
          }
        : { range_start: pull.from, range_end: pull.to, ended_at: at, days_with_data: days, trace_id: pull.traceId }
      yield* PULLS.put(pull.kind === 'refresh' ? attempted : { ...attempted, ...told })
    }
  }

  private add(resource: string, changed: number): void {
    this.sent.set(resource, (this.sent.get(resource) ?? 0) + changed)
  }

  private resourceDays(resource: string): Set<number> {
    let days = this.days.get(resource)
    if (days === undefined) {
      days = new Set()
      this.days.set(resource, days)
    }
    return days
  }
}

/** Records for every resource of the provider that the last attempt failed. */
export function* failPulls(userId: UserId, provider: string, at: EpochMs): Steps<void> {
  for (const row of yield* many(PULLS_OF_PROVIDER, [userId, provider])) {
    yield* PULLS.update({ ...row, last_attempt_at: at, last_attempt_status: 'failure' })
  }
}

/** The first and last times for which a resource has data. */
interface Extent {
  readonly provider: string
  readonly resource: string
  readonly oldest: EpochMs
  readonly newest: EpochMs
}

export class PullStore extends part({
  introspect: read(introspect),
  lastPulls: read(lastPulls),
}) {}

/** Returns when the user's data was last pulled successfully from each provider. */
function* lastPulls(userId: UserId): Steps<Map<string, EpochMs>> {
  const last = new Map<string, EpochMs>()
  for (const row of yield* many(PULLS_OF_USER, [userId])) {
    const { provider, last_attempt_status: status, last_attempt_at: at } = row
    if (status === 'success' && at !== null && at >= (last.get(provider) ?? at)) last.set(provider, at)
  }
  return last
}

/** Returns active users in ascending order of user_id, each with the state of their resources, by provider and resource. */
function* introspect(teamId: TeamId, wanted: IntrospectionQuery): Steps<IntrospectedUser[]> {
  const { userId, provider, after, limit } = wanted
  const pages = userId === null ? USER_PAGES.everyone : USER_PAGES.one
  const page = provider === null ? pages.any : pages.connected
  const isIt = userId === null ? [] : [userId]
  const isConnected = provider === null ? [] : [provider]
  const users: IntrospectedUser[] = []
  for (const { user_id } of yield* many(page, [after ?? '', ...isIt, teamId, ...isConnected, limit])) {
    users.push(yield* introspected(user_id, provider))
  }
  return users
}

function* introspected(userId: UserId, provider: string | null): Steps<IntrospectedUser> {
  const isAsked = (row: { readonly provider: string }): boolean => provider === null || row.provider === provider
  const connected = (yield* many(CONNECTIONS_OF_USER, [userId])).filter(isAsked)
  const records = new Map<string, ResourceRecord>()
  for (const row of (yield* many(PULLS_OF_USER, [userId])).filter(isAsked)) {
    records.set(`${row.provider}/${row.resource}`, toRecord(row))
  }
  const extents = [...(yield* extentsOfSamples(userId)), ...(yield* extentsOfSummaries(userId))]
  for (const extent of extents.filter(isAsked)) {
    const resource = eventResource(extent.resource)
    const key = `${extent.provider}/${resource}`
    const record = records.get(key) ?? unpulled(extent.provider, resource)
    const oldest = Math.min(extent.oldest, record.oldest ?? extent.oldest)
    const newest = Math.max(extent.newest, record.newest ?? extent.newest)
    records.set(key, { ...record, oldest, newest })
  }
  const resources = [...records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record)
  return { userId, connected: connected.map(row => row.provider), resources }
}

/** Returns the time ranges that have samples. The chunks of a series are in order, so reading the first and last ones is enough. */
function* extentsOfSamples(userId: UserId): Steps<Extent[]> {
  const extents: Extent[] = []
  for (const { id, key } of yield* everySeries(userId)) {
    const first = yield* one(FIRST_CHUNK, [userId, id])
    const last = yield* one(LAST_CHUNK, [userId, id])
    const { provider, resource } = key
    if (first && last) extents.push({ provider, resource, oldest: first.first, newest: last.last })
  }
  return extents
}

function* extentsOfSummaries(userId: UserId): Steps<Extent[]> {
  const kinds = new Map<string, Extent>()
  for (const { provider, kind, at } of yield* many(SUMMARIES_OF_USER, [userId])) {
    const known = kinds.get(`${provider}/${kind}`)
    kinds.set(`${provider}/${kind}`, {
      provider,
      resource: kind,
      oldest: Math.min(at, known?.oldest ?? at),
      newest: Math.max(at, known?.newest ?? at),
    })
  }
  return [...kinds.values()]
}

function toRecord(row: PullRow): ResourceRecord {
  const { provider, resource, range_start: from, range_end: to, ended_at: at } = row
  return {
    ...unpulled(provider, resource),
    historical:
      from === null || to === null || at === null
        ? null
        : { from, to, at, daysWithData: row.days_with_data ?? 0, traceId: row.trace_id ?? '' },
    lastAttempt:
      row.last_attempt_at === null
        ? null
        : { at: row.last_attempt_at, status: row.last_attempt_status === 'failure' ? 'failure' : 'success' },
    sent: row.sent_count,
  }
}

function unpulled(provider: string, resource: string): ResourceRecord {
  return { provider, resource, historical: null, lastAttempt: null, oldest: null, newest: null, sent: 0 }
}
