/** Pulls as rows: what each pull of a provider was about and what it brought, and what introspection reads of it. */
import type { TeamId, UserId } from '../../../core/ids.ts'
import type { SampleBatch } from '../../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import type { NewPull } from '../../data-write.ts'
import type { IntrospectedUser, IntrospectionQuery, PullStore, ResourceRecord } from '../../pull.ts'
import type { Connection } from '../connection.ts'
import { eventResource } from '../events/outbox.ts'

/** Counts what a pull brings, by resource. */
export class PullTally {
  private readonly sent = new Map<string, number>()
  private readonly days = new Map<string, Set<number>>()

  samples({ series, start, n }: SampleBatch, changed: number): void {
    const resource = eventResource(series.resource)
    this.add(resource, changed)
    const days = this.daysOf(resource)
    let last = Number.NaN
    for (let row = 0; row < n; row++) {
      const day = Math.floor((start[row] as number) / DAY_MS)
      if (day === last) continue
      days.add(day)
      last = day
    }
  }

  document(resource: string, at: EpochMs, changed: boolean): void {
    this.add(resource, changed ? 1 : 0)
    this.daysOf(resource).add(Math.floor(at / DAY_MS))
  }

  settle(connection: Connection, userId: UserId, pull: NewPull, at: EpochMs): void {
    // a provider may bring what it was not asked for by name
    const resources = new Set([...pull.resources, ...this.days.keys()])
    for (const resource of resources) {
      const sent = this.sent.get(resource) ?? 0
      connection.run(
        `INSERT INTO pull (user_id, provider, resource, last_attempt_at, last_attempt_status, sent_count)
         VALUES (?,?,?,?,'success',?)
         ON CONFLICT (user_id, provider, resource) DO UPDATE SET last_attempt_at=excluded.last_attempt_at,
           last_attempt_status='success', sent_count=sent_count+excluded.sent_count`,
        userId,
        pull.provider,
        resource,
        at,
        sent,
      )
      if (pull.kind === 'refresh') continue
      connection.run(
        `UPDATE pull SET range_start=?, range_end=?, ended_at=?, days_with_data=?, trace_id=?
         WHERE user_id=? AND provider=? AND resource=?`,
        pull.from,
        pull.to,
        at,
        this.days.get(resource)?.size ?? 0,
        pull.traceId,
        userId,
        pull.provider,
        resource,
      )
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

/** Notes that the last attempt at every resource of the provider failed. */
export function failPulls(connection: Connection, userId: UserId, provider: string, at: EpochMs): void {
  connection.run(
    `UPDATE pull SET last_attempt_at=?, last_attempt_status='failure' WHERE user_id=? AND provider=?`,
    at,
    userId,
    provider,
  )
}

interface ResourceRow {
  readonly provider: string
  readonly resource: string
  readonly range_start: number | null
  readonly range_end: number | null
  readonly ended_at: number | null
  readonly days_with_data: number | null
  readonly trace_id: string | null
  readonly last_attempt_at: number | null
  readonly last_attempt_status: 'success' | 'failure' | null
  readonly sent_count: number
}

interface ExtentRow {
  readonly provider: string
  readonly resource: string
  readonly oldest: number
  readonly newest: number
}

const EXTENTS = [
  `SELECT provider, resource, min(first) AS oldest, max(last) AS newest FROM series JOIN chunk USING (user_id, series_id)
   WHERE user_id=? AND (? IS NULL OR provider=?) GROUP BY provider, resource`,
  `SELECT provider, kind AS resource, min(at) AS oldest, max(at) AS newest FROM summary
   WHERE user_id=? AND (? IS NULL OR provider=?) GROUP BY provider, kind`,
] as const

export class SqlitePulls implements PullStore {
  private readonly db: Connection

  constructor(db: Connection) {
    this.db = db
  }

  introspect(teamId: TeamId, { userId, provider, after, limit }: IntrospectionQuery) {
    // a condition that is not always there: one user is found by the key
    const [ofUser, named] = userId === null ? ['', []] : ['AND user_id=?', [userId]]
    return this.db.read(() =>
      this.db
        .all<{ user_id: string }>(
          `SELECT user_id FROM user WHERE user_id>? ${ofUser} AND team_id=? AND deleted_at IS NULL
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
    const rows = await this.db.read(() =>
      this.db.all<{ provider: string; at: number }>(
        `SELECT provider, max(last_attempt_at) AS at FROM pull WHERE user_id=? AND last_attempt_status='success'
         GROUP BY provider`,
        userId,
      ),
    )
    return new Map(rows.map(row => [row.provider, row.at]))
  }

  private introspected(userId: UserId, provider: string | null): IntrospectedUser {
    const connected = this.db.all<{ provider: string }>(
      'SELECT provider FROM connection WHERE user_id=? AND (? IS NULL OR provider=?) ORDER BY provider',
      userId,
      provider,
      provider,
    )
    const records = new Map<string, ResourceRecord>()
    for (const row of this.db.all<ResourceRow>(
      'SELECT * FROM pull WHERE user_id=? AND (? IS NULL OR provider=?)',
      userId,
      provider,
      provider,
    )) {
      records.set(`${row.provider}/${row.resource}`, recordOf(row))
    }
    for (const sql of EXTENTS) {
      for (const row of this.db.all<ExtentRow>(sql, userId, provider, provider)) {
        const resource = eventResource(row.resource)
        const key = `${row.provider}/${resource}`
        const { oldest, newest } = row
        records.set(key, { ...(records.get(key) ?? unpulled(row.provider, resource)), oldest, newest })
      }
    }
    const resources = [...records].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, record]) => record)
    return { userId, connected: connected.map(row => row.provider), resources }
  }
}

function recordOf(row: ResourceRow): ResourceRecord {
  const { provider, resource, range_start: from, range_end: to, ended_at: at } = row
  return {
    ...unpulled(provider, resource),
    historical:
      from === null || to === null || at === null
        ? null
        : { from, to, at, daysWithData: row.days_with_data ?? 0, traceId: row.trace_id ?? '' },
    lastAttempt:
      row.last_attempt_at === null ? null : { at: row.last_attempt_at, status: row.last_attempt_status ?? 'success' },
    sent: row.sent_count,
  }
}

function unpulled(provider: string, resource: string): ResourceRecord {
  return { provider, resource, historical: null, lastAttempt: null, oldest: null, newest: null, sent: 0 }
}
