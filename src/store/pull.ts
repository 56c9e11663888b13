/** Pulls, and the time range of the stored data, for introspection. Part of the port (port.ts). */
import type { UserId } from '../core/ids.ts'
import type { EpochMs } from '../core/time.ts'

/** The result of a resource's historical pull. */
export interface HistoricalPull {
  readonly from: EpochMs
  readonly to: EpochMs
  readonly at: EpochMs
  /** Number of UTC days with data for the resource. */
  readonly daysWithData: number
  readonly traceId: string
}

/** The state of one of a provider's resources: its pulls, and the data that is stored, wherever it came from. */
export interface ResourceRecord {
  readonly provider: string
  /**
   * The resource, with the same name as in `resource_availability` (`weight`, `sleep`, …). See docs/interface/connections.md#connections-4.
   */
  readonly resource: string
  /** Null if no link has pulled the resource. */
  readonly historical: HistoricalPull | null
  readonly lastAttempt: { readonly at: EpochMs; readonly status: 'success' | 'failure' } | null
  readonly oldest: EpochMs | null
  readonly newest: EpochMs | null
  /** Number of new or changed samples and summaries from pulls. */
  readonly sent: number
}

/** A user with the connections and resources that introspection shows. */
export interface IntrospectedUser {
  readonly userId: UserId
  /** Slugs of the providers that are currently connected. */
  readonly connected: readonly string[]
  readonly resources: readonly ResourceRecord[]
}

export interface IntrospectionQuery {
  /** Null for every active user of the team. */
  readonly userId: UserId | null
  readonly provider: string | null
  /** The last user on the previous page. */
  readonly after: UserId | null
  readonly limit: number
}
