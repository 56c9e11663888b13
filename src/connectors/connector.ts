/**
 * The contract of a connector, through which the service reads a provider's data about a person. The simulated providers and the live ones
 * implement it; a live one is a folder under `live/` (see CONTRIBUTING.md). A connector keeps no state: the engine stores token sets,
 * progress and data, handles rate limits and retries, and gives the connector a session for sending requests.
 */
import type { ProviderScope } from '../catalogue/provider.ts'
import type { UserId } from '../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../core/sample.ts'
import type { StreamRecord } from '../core/stream.ts'
import type { EpochMs } from '../core/time.ts'
import type { Grant } from './grant.ts'
import type { NotificationReader } from './notifications.ts'
import type { AppSession, GrantSession, ProviderApp } from './provider-session.ts'
import type { PullWindow } from './pull-window.ts'

export interface Connector {
  /** Slug of the provider in the catalogue. */
  readonly provider: string
  readonly mode: 'live' | 'simulated'
  /** The scopes that are requested, and which of them a connection or a resource requires. */
  readonly scopes: readonly ProviderScope[]
  /** The resources that it supplies, named as in the catalogue. */
  readonly resources: readonly string[]
  /** Data that is pulled separately, with its own progress. */
  readonly collections: readonly Collection[]
  /** Reads notifications about new data; null: the provider sends none. */
  readonly notifications: NotificationReader | null

  /** Returns the URL of the consent page. */
  authorizationUrl(app: ProviderApp, asked: AuthorizationRequest): URL
  /** Exchanges the code that the provider returned for a token set. Throws ProviderError. */
  exchange(session: AppSession, granted: CodeExchange): Promise<Grant>
  /**
   * Refreshes a token set and returns the next one. The engine calls it from one process at a time and stores the result before its first
   * use. Throws ProviderError: `grant_lost` if only the person can restore the access.
   */
  refresh(session: AppSession, grant: Grant): Promise<Grant>
  /** Revokes the access at the provider. Does nothing if it has already ended or the provider has no such call. Throws ProviderError. */
  revoke(session: GrantSession): Promise<void>
  /** Returns the owner of the account. Called once, right after the exchange. Throws ProviderError. */
  profile(session: GrantSession): Promise<AccountProfile>
  /** Yields the provider's data of one collection in a window of time, page by page. Throws ProviderError. */
  pull(session: GrantSession, asked: PullRequest): AsyncIterable<PulledPage>
}

/** One kind of records at a provider. */
export interface Collection {
  /** The provider's own name, which is stored with the progress: `daily_sleep`. */
  readonly name: string
  /** Resources that are complete only when this collection is. */
  readonly resources: readonly string[]
  /** Granted scopes without which it is left out; empty: any token set will do. */
  readonly scopes: readonly string[]
  /** The longest window of one pull, in days. */
  readonly windowDays: number
  /** How far back a history pull reaches, in days; Infinity: until `emptyWindows` windows in a row had nothing. */
  readonly historyDays: number
  /** Only with an unlimited history. */
  readonly emptyWindows?: number
  /** How long after the last pull it is pulled again, in milliseconds. */
  readonly pollMs: number
  /** How far back a poll reaches behind the last one, for data that arrives late or is corrected, in days. */
  readonly overlapDays: number
}

export interface AuthorizationRequest {
  readonly state: string
  /** S256 challenge for providers that support PKCE. */
  readonly codeChallenge: string
  readonly redirectUrl: string
}

export interface CodeExchange {
  readonly code: string
  readonly redirectUrl: string
  readonly codeVerifier: string
  /** Every parameter that came back with the code: some providers return the granted scopes here. */
  readonly parameters: URLSearchParams
}

export interface AccountProfile {
  /** The provider's own id of the person, which notifications contain. */
  readonly accountId: string
  /** IANA zone of the person, if the provider knows it. */
  readonly timeZone?: string
}

export interface PullRequest {
  /** Ids of summaries are derived from it (`ownedId`). */
  readonly userId: UserId
  readonly collection: string
  readonly window: PullWindow
  /** Set if only this record is read again, after a notification. The window then covers the record, as far as its time is known. */
  readonly recordId?: string
  /** Resources that may be supplied: the person granted their scopes. Everything else is left out. */
  readonly resources: readonly string[]
  /** The user's fallback time zone, for times without an offset; null: unknown. */
  readonly timeZone: string | null
  /** Real time. */
  readonly now: EpochMs
}

/** The content of one response of the provider. */
export interface PulledPage {
  /** Records with an id at the provider: a changed record replaces all its earlier data. */
  readonly records: readonly ProviderRecord[]
  /** Data without an id: a sample replaces the one at the same time of the same series. */
  readonly batches: readonly SampleBatch[]
  /** Number of unmapped values, by the provider's name of their kind (`daily_readiness.contributors`). */
  readonly unmapped: Readonly<Record<string, number>>
  /** The start of the page, if the provider uses whole days of the person; absent: the start of the window. */
  readonly from?: EpochMs
}

/** One record of a provider, and the data derived from it. */
export interface ProviderRecord {
  /** Unique within the collection. */
  readonly id: string
  /** Changes if and only if the record does: a hash of the provider's data. */
  readonly version: string
  readonly batches: readonly SampleBatch[]
  readonly summaries: readonly SummaryRecord[]
  readonly streams: readonly StreamRecord[]
  /** The provider no longer has the record, so everything that came from it is removed. The lists above are empty. */
  readonly isDeleted?: boolean
}
