/** The additional properties of a live connector: defaults, limits, and its mapping as data for the docs. */
import type { Connector } from '../connector.ts'
import type { ProviderApp, ProviderError, ProviderResponse, ServiceAccount } from '../provider-session.ts'

/** A provider's limit on requests: at most this many in any window. */
export interface RequestLimit {
  /** `app` for all people of the OAuth app together, `person` for each connection. */
  readonly scope: 'app' | 'person'
  readonly most: number
  readonly windowMs: number
  /** Number to add to `most` for each live connection of the OAuth app (Polar). */
  readonly mostForEachPerson?: number
}

/** A setting that an operator can change with `svc provider setup --setting NAME=VALUE`. */
export interface ConnectorSetting {
  readonly name: string
  readonly description: string
  readonly default: string
  /** Allowed values; absent for any text. */
  readonly values?: readonly string[]
}

/** One line of the mapping table in docs/live-providers.md. */
export interface MappingRow {
  /** The provider's name: `daily_activity.steps`. */
  readonly from: string
  /** Resources or fields of summaries. */
  readonly to: string
  /** The conversion of the value: a factor, a unit, omitted values; '' if it is stored unchanged. */
  readonly rule: string
}

export interface LiveConnector extends Connector {
  readonly mode: 'live'
  readonly defaults: { readonly authorizeUrl: string; readonly tokenUrl: string; readonly apiUrl: string }
  readonly settings: readonly ConnectorSetting[]
  readonly limits: readonly RequestLimit[]
  /**
   * Reads the key file of a service account, for a provider whose subscriptions need one. Throws ProviderError `credentials` with a message
   * for the end of a sentence about the file, which repeats nothing from it.
   */
  readServiceAccount?(text: string, app: Pick<ProviderApp, 'clientId' | 'settings'>): ServiceAccount
  /** Response timeout in milliseconds. */
  readonly responseTimeoutMs: number
  readonly mapping: readonly MappingRow[]
  /** Facts for the docs that have no first-hand source, and could not be checked without a real account. */
  readonly unchecked: readonly string[]
  /**
   * Detects a failure that the status does not show: an error inside a 200, or the reason for a 400. Returns null if only the status
   * decides: 400 and 422 `bad_request`, 401 `access_refused`, 403 `scope_missing`, 404 `not_found`, 429 `rate_limited`, 5xx `unavailable`.
   */
  failureIn(response: ProviderResponse, purpose: 'token' | 'data'): ProviderError | null
  /** Reads how long to wait from the headers of a 429, in milliseconds; null for `Retry-After` if present, otherwise growing pauses. */
  retryAfterMs(response: ProviderResponse): number | null
}
