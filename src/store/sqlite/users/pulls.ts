/** Pulls as rows: what each pull from a provider was about and what it brought, and what introspection reads about it. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import { type SampleBatch, startAt } from '../../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import type { NewPull } from '../../data-write.ts'
import type { IntrospectedUser, IntrospectionQuery, PullStore, ResourceRecord } from '../../pull.ts'
import { PULLS, type PullRow } from '../checksums/more-tables.ts'
import { CHUNK_HEADS, CONNECTIONS, SUMMARIES } from '../checksums/tables.ts'
import type { Connection } from '../connection.ts'
import { eventResource } from '../events/outbox.ts'
import { Part } from '../part.ts'
import { everySeries } from '../samples/series.ts'

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

/** Counts what a pull brings, by resource. */
export class PullTally {
  private readonly sent = new Map<string, number>()
  private readonly days = new Map<string, Set<number>>()

  samples(batch: SampleBatch, changed: number): void {
    const resource = eventResource(batch.series.resource)
    this.add(resource, changed)
    const days = this.daysOf(resource)
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
    this.daysOf(resource).add(Math.floor(at / DAY_MS))
  }

  settle(db: Connection, userId: UserId, pull: NewPull, at: EpochMs): void {
    // a provider may bring resources that were not asked for by name
    const resources = new Set([...pull.resources, ...this.days.keys()])
    for (const resource of resources) {
      const sent = this.sent.get(resource) ?? 0
      const { provider } = pull
      const known = PULLS.get(db, 'WHERE user_id=? AND provider=? AND resource=?', userId, provider, resource)
      const attempted: PullRow = {
        ...(known ?? { ...NEVER_PULLED, user_id: userId, provider, resource }),
        last_attempt_at: at,
        last_attempt_status: 'success',
        sent_count: (known?.sent_count ?? 0) + sent,
      }
      const told = {
        range_start: pull.from,
        range_end: pull.to,
        ended_at: at,
        days_with_data: this.days.get(resource)?.size ?? 0,
        trace_id: pull.traceId,
      }
      PULLS.put(db, pull.kind === 'refresh' ? attempted : { ...attempted, ...told })
    }
  }

  private add(resource: string, changed: number): void {
    this.sent.set(resource, (this.sent.get(resource) ?? 0) + changed)
  }

  private daysOf(resource: string): Set<number> {
    let days = this.days.get(resource)
    if (days === undefined) {
      days = new Set()
      this.days.set(resource, days)
    }
    return days
  }
}

/** Records that the last attempt at every resource of the provider failed. */
export function failPulls(db: Connection, userId: UserId, provider: string, at: EpochMs): void {
  for (const row of PULLS.all(db, 'WHERE user_id=? AND provider=?', userId, provider)) {
    PULLS.update(db, { ...row, last_attempt_at: at, last_attempt_status: 'failure' })
  }
}

/** The first and the last time for which there is data of a resource. */
interface Extent {
  readonly provider: string
  readonly resource: string
  readonly oldest: EpochMs
  readonly newest: EpochMs
}

export class SqlitePulls extends Part implements PullStore {
  introspect(teamId: TeamId, { userId, provider, after, limit }: IntrospectionQuery) {
    // the condition is left out if it is not needed: one user is found by the key
    const [ofUser, named] = userId === null ? ['', []] : ['AND user_id=?', [userId]]
    return this.db.read(() =>
      this.db
        .all<{ user_id: string }>(
          `SELECT user_id FROM user INDEXED BY user_by_id WHERE user_id>? ${ofUser} AND team_id=? AND deleted_at IS NULL
             AND (? IS NULL OR EXISTS (SELECT 1 FROM connection WHERE connection.user_id=user.user_id AND provider=?))
           ORDER BY user_id LIMIT ?`,
          after ?? '',
          ...named,
          teamId,
          provider,
          provider,
          limit,
        )
        .map(row => this.introspected(row.user_id as UserId, provider)),
    )
  }

  async lastPulls(userId: UserId) {
    const rows = await this.db.read(() => PULLS.all(this.db, 'WHERE user_id=?', userId))
    const last = new Map<string, EpochMs>()
    for (const { provider, last_attempt_status: status, last_attempt_at: at } of rows) {
      if (status === 'success' && at !== null && at >= (last.get(provider) ?? at)) last.set(provider, at)
    }
    return last
  }

  private introspected(userId: UserId, provider: string | null): IntrospectedUser {
    const isAsked = (row: { readonly provider: string }): boolean => provider === null || row.provider === provider
    const connected = CONNECTIONS.all(this.db, 'WHERE user_id=? ORDER BY provider', userId).filter(isAsked)
    const records = new Map<string, ResourceRecord>()
    for (const row of PULLS.all(this.db, 'WHERE user_id=?', userId).filter(isAsked)) {
      records.set(`${row.provider}/${row.resource}`, recordOf(row))
    }
    for (const extent of [...this.extentsOfSamples(userId), ...this.extentsOfSummaries(userId)].filter(isAsked)) {
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

  /** The chunks of a series follow each other, so the first and the last one are enough. */
  private extentsOfSamples(userId: UserId): Extent[] {
    return everySeries(this.db, userId).flatMap(({ id, key: { provider, resource } }) => {
      const at = (direction: string) =>
        CHUNK_HEADS.get(
          this.db,
          `WHERE user_id=? AND series_id=? ORDER BY chunk_start ${direction} LIMIT 1`,
          userId,
          id,
        )
      const [first, last] = [at('ASC'), at('DESC')]
      return first && last ? [{ provider, resource, oldest: first.first, newest: last.last }] : []
    })
  }

  private extentsOfSummaries(userId: UserId): Extent[] {
    const kinds = new Map<string, Extent>()
    for (const { provider, kind, at } of SUMMARIES.all(this.db, 'WHERE user_id=?', userId)) {
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
}

function recordOf(row: PullRow): ResourceRecord {
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
