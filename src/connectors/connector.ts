/**
 * The contract of a connector, through which the service reads a provider's data about a person. Simulated and live providers implement it;
 * a live one is a folder under `live/` (see CONTRIBUTING.md). A connector keeps no state: the engine stores token sets, progress and data,
 * handles rate limits and retries, and gives the connector a session for sending requests.
 */
import type { ProviderScope } from '../catalogue/provider.ts'
import type { UserId } from '../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../core/sample.ts'
import type { StreamRecord } from '../core/stream.ts'
import type { EpochMs } from '../core/time.ts'
import type { NotificationReader } from './notifications.ts'
import type { AppSession, ProviderApp, TokenSession } from './provider-session.ts'
import type { PullWindow } from './pull-window.ts'
import type { TokenSet } from './token-set.ts'

export interface Connector {
  /** Slug of the provider in the catalogue. */
  readonly provider: string
  readonly mode: 'live' | 'simulated'
  /** The scopes to request, and which of them a connection or a resource requires. */
  readonly scopes: readonly ProviderScope[]
  /** The resources that the connector supplies, named as in the catalogue. */
  readonly resources: readonly string[]
  /** The collections, which are pulled separately, each with its own progress. */
  readonly collections: readonly Collection[]
  /** Reads notifications about new data; null if the provider sends none. */
  readonly notifications: NotificationReader | null

  /** Returns the URL of the consent page. */
  authorizationUrl(app: ProviderApp, asked: AuthorizationRequest): URL
  /** Exchanges the code that the provider returned for a token set. Throws ProviderError. */
  exchange(session: AppSession, granted: CodeExchange): Promise<TokenSet>
  /**
   * Refreshes a token set and returns the next one. The engine calls it from one process at a time and stores the result before its first
   * use. Throws ProviderError: `grant_lost` if only the person can restore the access.
   */
  refresh(session: AppSession, tokenSet: TokenSet): Promise<TokenSet>
  /**
   * Revokes the access at the provider. Does nothing if the access has already ended or the provider has no such call. Throws
   * ProviderError.
   */
  revoke(session: TokenSession): Promise<void>
  /** Returns the owner of the account. Called once, right after the exchange. Throws ProviderError. */
  profile(session: TokenSession): Promise<AccountProfile>
  /** Yields the provider's data of one collection in a window of time, page by page. Throws ProviderError. */
  pull(session: TokenSession, asked: PullRequest): AsyncIterable<PulledPage>
}

/** One kind of records at a provider. */
export interface Collection {
  /** The provider's own name, which is stored with the progress: `daily_sleep`. */
  readonly name: string
  /** Resources that are complete only when this collection is complete. */
  readonly resources: readonly string[]
  /** Scopes that the collection requires; empty if any token set will do. */
  readonly scopes: readonly string[]
  /** The longest window of one pull, in days. */
  readonly windowDays: number
  /** How far back a history pull reaches, in days; Infinity means until `emptyWindows` windows in a row are empty. */
  readonly historyDays: number
  /** Number of empty windows that end an unlimited history. */
  readonly emptyWindows?: number
  /** Interval between polls, in milliseconds. */
  readonly pollMs: number
  /** Overlap of a poll with the previous one, in days, for data that arrives late or is corrected. */
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
  /** All parameters returned with the code; for some providers, they include the granted scopes. */
  readonly parameters: URLSearchParams
}

export interface AccountProfile {
  /** The provider's own id for the person, which notifications contain. */
  readonly accountId: string
  /** IANA zone of the person, if the provider knows it. */
  readonly timeZone?: string
}

export interface PullRequest {
  /** The user, from whose id summary ids are derived (`ownedId`). */
  readonly userId: UserId
  readonly collection: string
  readonly window: PullWindow
  /** Set if only this record is to be read again, after a notification. The window then covers the record, if its time is known. */
  readonly recordId?: string
  /** Resources that may be supplied, because the person granted their scopes. Everything else is omitted. */
  readonly resources: readonly string[]
  /** The user's fallback time zone, for times without an offset; null if unknown. */
  readonly timeZone: string | null
  /** Real time. */
  readonly now: EpochMs
}

/** The content of one response from the provider. */
export interface PulledPage {
  /** Records with an id at the provider: a changed record replaces all its earlier data. */
  readonly records: readonly ProviderRecord[]
  /** Data without an id: a sample replaces the one of the same series at the same time. */
  readonly batches: readonly SampleBatch[]
  /** Number of unmapped values, by the provider's name for their kind (`daily_readiness.contributors`). */
  readonly unmapped: Readonly<Record<string, number>>
  /** The start of the page, if the provider uses the person's whole days; by default, the start of the window. */
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
  /** Whether the provider no longer has the record, so that everything that came from it is removed. The lists above are then empty. */
  readonly isDeleted?: boolean
}
