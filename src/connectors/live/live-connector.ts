/** A live connector's additional properties: defaults, limits, and the mapping as data for the docs. */
import type { AmountKind } from '../../catalogue/supplied-kinds.ts'
import type { Connector } from '../connector.ts'
import type { ProviderApp, ProviderError, ProviderResponse, ServiceAccount } from '../provider-session.ts'

/** A provider's limit on requests: the maximum number in any window. */
export interface RequestLimit {
  /** `app`: for all of the OAuth app's people together; `person`: for each connection. */
  readonly scope: 'app' | 'person'
  readonly most: number
  readonly windowMs: number
  /** Number to add to `most` for each of the OAuth app's live connections (Polar). */
  readonly mostForEachPerson?: number
}

/** A setting that an operator can change with `svc provider setup --setting NAME=VALUE`. */
export interface ConnectorSetting {
  readonly name: string
  readonly description: string
  readonly default: string
  /** Allowed values; if absent, any text is allowed. */
  readonly values?: readonly string[]
}

/** A row of the mapping table in docs/live-providers.md. */
export interface MappingRow {
  /** The provider's name for the value: `daily_activity.steps`. */
  readonly from: string
  /** Resources or summary fields. */
  readonly to: string
  /** How the value is converted: a factor, a unit, omitted values; '' if it is stored unchanged. */
  readonly rule: string
  /** What shows the samples' kind. */
  readonly signs?: RowSigns
}

/** What shows the kind of the samples of a mapping row. */
export interface RowSigns {
  /** Each `type` that the samples can have; absent if none of them shows a kind. */
  readonly types?: readonly string[]
  /** `day_total` if each sample is the total of a day. */
  readonly covers?: AmountKind
}

export interface LiveConnector extends Connector {
  readonly mode: 'live'
  readonly defaults: { readonly authorizeUrl: string; readonly tokenUrl: string; readonly apiUrl: string }
  readonly settings: readonly ConnectorSetting[]
  readonly limits: readonly RequestLimit[]
  /**
   * Reads a service account's key file, for a provider whose subscriptions require one. Throws ProviderError `credentials`, with a message
   * that completes a sentence about the file and does not repeat its content.
   */
  readServiceAccount?(text: string, app: Pick<ProviderApp, 'clientId' | 'settings'>): ServiceAccount
  /** Response timeout in milliseconds. */
  readonly responseTimeoutMs: number
  readonly mapping: readonly MappingRow[]
  /** Facts for the docs that have no first-hand source and cannot be checked without a real account. */
  readonly unchecked: readonly string[]
  /**
   * Detects a failure that the status does not show: an error inside a 200, or the reason for a 400. Returns null if only the status
   * counts: 400 and 422 `bad_request`, 401 `access_refused`, 403 `scope_missing`, 404 `not_found`, 429 `rate_limited`, 5xx `unavailable`.
   */
  failureIn(response: ProviderResponse, purpose: 'token' | 'data'): ProviderError | null
  /**
   * Returns how long to wait according to a 429's headers, in milliseconds. Returns null to use `Retry-After` if present, otherwise growing
   * pauses.
   */
  retryAfterMs(response: ProviderResponse): number | null
}
