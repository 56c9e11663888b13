/** What the engine asks of the store about pulls and the data there are: introspection. Part of the port (port.ts). */
import type { TeamId, UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/** The historical pull of a resource, as it ended. */
export interface HistoricalPull {
  readonly from: EpochMs
  readonly to: EpochMs
  readonly at: EpochMs
  /** Days in UTC that had data of the resource. */
  readonly daysWithData: number
  readonly traceId: string
}

/** What is known of a resource of a provider: of its pulls, and of the data that are there, however they came. */
export interface ResourceRecord {
  readonly provider: string
  /** A key of interface-gaps 2.2: `weight`, `sleep` … */
  readonly resource: string
  /** Null where no link pulled it. */
  readonly historical: HistoricalPull | null
  readonly lastAttempt: { readonly at: EpochMs; readonly status: 'success' | 'failure' } | null
  readonly oldest: EpochMs | null
  readonly newest: EpochMs | null
  /** Samples and summaries that pulls brought, new or changed. */
  readonly sent: number
}

/** A user with the connections and resources that introspection shows. */
export interface IntrospectedUser {
  readonly userId: UserId
  /** Slugs of the providers connected now. */
  readonly connected: readonly string[]
  readonly resources: readonly ResourceRecord[]
}

export interface IntrospectionQuery {
  /** Null: every active user of the team. */
  readonly userId: UserId | null
  readonly provider: string | null
  /** The last user of the page before. */
  readonly after: UserId | null
  readonly limit: number
}

export interface PullStore {
  /** Active users, ascending by user_id, each with what is known of its resources, by provider and resource. */
  introspect(teamId: TeamId, query: IntrospectionQuery): Promise<readonly IntrospectedUser[]>
  /** When each provider of the user was last pulled. */
  lastPulls(userId: UserId): Promise<ReadonlyMap<string, EpochMs>>
}
