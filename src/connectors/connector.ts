/**
 * The contract of a connector, through which the service reads a provider's data about a person. Both simulated and live providers
 * implement it; each live provider has a folder under `live/` (see CONTRIBUTING.md). A connector is stateless: the engine stores token
 * sets, progress and data, handles rate limits and retries, and gives the connector a session for sending requests.
 */
import type { ProviderScope } from '../catalogue/provider.ts'
import type { SuppliedKinds } from '../catalogue/supplied-kinds.ts'
import type { UserId } from '../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../core/sample.ts'
import type { StreamRecord } from '../core/stream.ts'
import type { EpochMs } from '../core/time.ts'
import type { NotificationReader } from './notifications.ts'
import type { AppSession, ProviderApp, TokenSession } from './provider-session.ts'
import type { PullWindow } from './pull-window.ts'
import type { TokenSet } from './token-set.ts'

export interface Connector {
  /** The provider's slug in the catalogue. */
  readonly provider: string
  readonly mode: 'live' | 'simulated'
  /** The scopes to request, and the scopes that a connection or a resource requires. */
  readonly scopes: readonly ProviderScope[]
  /** Resources that the connector supplies, named as in the catalogue. */
  readonly resources: readonly string[]
  /** The kinds of values that the connector supplies. */
  readonly kinds: SuppliedKinds
  /** Collections. Each one is pulled separately, with its own progress. */
  readonly collections: readonly Collection[]
  /** Reads notifications about new data; null if the provider sends none. */
  readonly notifications: NotificationReader | null

  /** Returns the URL of the consent page. */
  authorizationUrl(app: ProviderApp, asked: AuthorizationRequest): URL
  /** Exchanges the code that the provider returned for a token set. Throws ProviderError. */
  exchange(session: AppSession, granted: CodeExchange): Promise<TokenSet>
  /**
   * Refreshes a token set and returns the next one. The engine calls it from one process at a time and stores the result before its first
   * use. Throws ProviderError, with `grant_lost` if only the person can restore access.
   */
  refresh(session: AppSession, tokenSet: TokenSet): Promise<TokenSet>
  /** Revokes access at the provider. Does nothing if access has already ended or the provider has no such call. Throws ProviderError. */
  revoke(session: TokenSession): Promise<void>
  /** Returns the account's owner. Called once, right after the exchange. Throws ProviderError. */
  profile(session: TokenSession): Promise<AccountProfile>
  /** Yields one collection's data in a time window, page by page. Throws ProviderError. */
  pull(session: TokenSession, asked: PullRequest): AsyncIterable<PulledPage>
}

/** One kind of record at a provider. */
export interface Collection {
  /** The provider's name for the collection, which is stored with the progress: `daily_sleep`. */
  readonly name: string
  /** Resources that are complete only when this collection is complete. */
  readonly resources: readonly string[]
  /** Scopes that the collection requires; empty if any token set is sufficient. */
  readonly scopes: readonly string[]
  /** Maximum window of one pull, in days. */
  readonly windowDays: number
  /** How far back a historical pull reaches, in days. With Infinity, it ends when `emptyWindows` consecutive windows are empty. */
  readonly historyDays: number
  /** Number of empty windows that end an unlimited historical pull. */
  readonly emptyWindows?: number
  /** Interval between polls, in milliseconds. */
  readonly pollMs: number
  /** Overlap of a poll with the previous one, in days, for data that arrives late or is corrected. */
  readonly overlapDays: number
}

export interface AuthorizationRequest {
  readonly state: string
  /** S256 challenge, for providers that support PKCE. */
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
  /** The provider's ID for the person, which notifications contain. */
  readonly accountId: string
  /** The person's IANA time zone, if the provider knows it. */
  readonly timeZone?: string
}

export interface PullRequest {
  /** The user. Summary IDs are derived from the user's ID (`ownedId`). */
  readonly userId: UserId
  readonly collection: string
  readonly window: PullWindow
  /**
   * The record to read again after a notification, instead of the whole window. If the record's time is known, the window covers the
   * record.
   */
  readonly recordId?: string
  /** Resources that may be supplied, because the person granted their scopes. Everything else is omitted. */
  readonly resources: readonly string[]
  /** The user's fallback time zone, for times without an offset; null if unknown. */
  readonly timeZone: string | null
  /** Real time. */
  readonly now: EpochMs
}

/** The content of one provider response. */
export interface PulledPage {
  /** Records with an ID at the provider. A changed record replaces all of its earlier data. */
  readonly records: readonly ProviderRecord[]
  /** Data without an ID. A sample replaces the sample of the same series at the same time. */
  readonly batches: readonly SampleBatch[]
  /** Numbers of unmapped values, by the provider's name for their kind (`daily_readiness.contributors`). */
  readonly unmapped: Readonly<Record<string, number>>
  /** The page's start, if the provider uses the person's whole days. Defaults to the window's start. */
  readonly from?: EpochMs
}

/** One record from a provider, and the data derived from it. */
export interface ProviderRecord {
  /** The record's ID, unique within the collection. */
  readonly id: string
  /** A hash of the provider's data, which changes if and only if the record does. */
  readonly version: string
  readonly batches: readonly SampleBatch[]
  readonly summaries: readonly SummaryRecord[]
  readonly streams: readonly StreamRecord[]
  /** Whether the provider no longer has the record, so that all data that came from it is removed. The lists above are then empty. */
  readonly isDeleted?: boolean
}
