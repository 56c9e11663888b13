/** Writes of a user's data and their outcomes: samples, summaries and streams that were pulled, pushed or imported. */
import type { TeamId, UserId } from '../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../core/sample.ts'
import type { StreamRecord } from '../core/stream.ts'
import type { EpochMs } from '../core/time.ts'
import type { CompletedHistory, NewLiveConnection } from './live/connections.ts'

/** A provider's scopes, by whether the provider requires them. See docs/interface/connections.md#connections-5. */
export interface ScopeSets {
  readonly required: readonly string[]
  readonly optional: readonly string[]
}

/** The scopes that a user granted and denied on the provider's consent page. */
export interface ConnectionScopes {
  readonly granted: ScopeSets
  readonly denied: ScopeSets
}

/** Why a connection is in the status `error`. The message is for developers. See docs/interface/connections.md#connections-3. */
export interface ConnectionError {
  readonly type: string
  readonly message: string
  readonly at: EpochMs
}

export interface ConnectionRecord {
  readonly userId: UserId
  readonly provider: string
  readonly createdOn: EpochMs
  /** `error` after a pull failed permanently, `paused` after ingestion has ended. A new link changes both back to `connected`. */
  readonly status: 'connected' | 'error' | 'paused'
  /** The account at the provider (a user name), or null. Sensitive. */
  readonly externalUserId: string | null
  readonly region: string | null
  /** Set if and only if the status is `error`. */
  readonly error: ConnectionError | null
  /** Null if the provider has no scopes. */
  readonly scopes: ConnectionScopes | null
  /** Whether this is a demo connection, which ends after 7 days together with its user. */
  readonly isDemo: boolean
  /** Whether the data comes from the provider itself, with a token set (live.ts). Otherwise the provider is simulated. */
  readonly isLive: boolean
}

/** A connection that a write creates or updates. */
export interface NewConnection
  extends Pick<ConnectionRecord, 'userId' | 'provider' | 'createdOn' | 'externalUserId' | 'region'> {
  /**
   * Set only by a link. A link sets an existing connection to `connected`, regardless of its status, and replaces its scopes. Data that
   * arrives in another way creates a connection if there is none, and does not change an existing connection's status.
   */
  readonly link?: Pick<ConnectionRecord, 'scopes' | 'isDemo'> & {
    /** The resources that a live connection supplies, for the event; absent: the catalogue's. */
    readonly availability?: Readonly<Record<string, unknown>>
  }
}

/** A pull from a provider, as introspection shows it. See docs/interface/users.md#users-25. */
export interface NewPull {
  readonly provider: string
  /** `historical`: a pull of everything, caused by a link. `refresh`: a pull of new data. */
  readonly kind: 'historical' | 'refresh'
  /**
   * The requested resources, named as in `resource_availability` (`weight`, `sleep`, …). See docs/interface/connections.md#connections-4.
   */
  readonly resources: readonly string[]
  readonly from: EpochMs
  readonly to: EpochMs
  /** Identifies the pull in support requests. */
  readonly traceId: string
}

/** A device that a link reports. Data can refer to more devices, by ID alone. */
export interface NewDevice {
  readonly deviceId: string
  readonly provider: string
  readonly sourceType: string
  readonly appId: string | null
  readonly manufacturer: string | null
  readonly model: string | null
  readonly version: string | null
}

/** A user's device as it is stored. Manufacturer, model and version are null if only data refers to the device. */
export type DeviceRecord = NewDevice

/**
 * Which events a write causes: `daily` events carry the data; `historical` events announce a finished pull, one event for each resource;
 * `none` if the end of the pull will be announced.
 */
export type EventMode =
  | { readonly kind: 'daily' | 'none' }
  | { readonly kind: 'historical'; readonly provider: string; readonly from: EpochMs; readonly to: EpochMs }

/** One atomic write of a user's data, with all its effects. */
export interface DataWrite {
  readonly at: EpochMs
  readonly teamId: TeamId
  readonly batches: readonly SampleBatch[]
  readonly summaries: readonly SummaryRecord[]
  readonly streams: readonly StreamRecord[]
  readonly events: EventMode
  /** Set for an import. The import is stored with the data it replaced, so that it can be undone. */
  readonly importing: NewImport | null
  /** Connections to create or update. Each new or restored connection causes a `provider.connection.created` event. */
  readonly connections: readonly NewConnection[]
  /** The pull that fetched the data, stored for introspection with the amount of data; absent if nothing was pulled. */
  readonly pull?: NewPull
  /** Each new device causes a `provider.device.created` event, each changed device a `provider.device.updated` event. */
  readonly devices?: readonly NewDevice[]
  /**
   * Set for a page of a live pull: the resources whose history this page completes. Each causes one `historical` event. Introspection adds
   * up the data of such pages.
   */
  readonly completed?: readonly CompletedHistory[]
  /** Data that a link to a live provider stores with its connection. */
  readonly live?: NewLiveConnection
  /** Hash of the link token that this write consumes, or null. The write is refused (`token_consumed`) if the token is already consumed. */
  readonly consumeToken: string | null
}

export interface SampleCounts {
  /** Accepted records, including duplicates. */
  samples: number
  /** Records whose key existed with another value. */
  replaced: number
  /** Records whose key existed with the same value. */
  unchanged: number
}
export interface SummaryCounts {
  created: number
  updated: number
  unchanged: number
}
export interface WriteReport {
  /** By resource (REST path name). */
  readonly stored: Readonly<Record<string, SampleCounts>>
  readonly summaries: Readonly<Record<string, SummaryCounts>>
  readonly streams: SummaryCounts
}

/** Facts about an import that the store needs besides its data. */
export interface NewImport {
  readonly importId: string
  readonly format: string
  /** Records in the file, including skipped ones. */
  readonly records: number
  readonly skipped: readonly SkippedRecords[]
}
export interface SkippedRecords {
  readonly reason: string
  readonly count: number
  /** Positions of the first three, such as `line 12` or `byte 4711`. */
  readonly places: readonly string[]
}

/** An import as it is stored. */
export interface ImportRecord extends NewImport {
  readonly userId: UserId
  /** The user's current client_user_id. */
  readonly clientUserId: string
  readonly at: EpochMs
  readonly report: WriteReport
  readonly undoneAt: EpochMs | null
}

/** An import's position in the list of imports. */
export type ImportPosition = Pick<ImportRecord, 'at' | 'importId'>

/** A page of the list of imports, newest first. */
export interface ImportPage {
  readonly limit: number
  /** The previous page's last import, or null for the first page. */
  readonly after: ImportPosition | null
}

/** The result of undoing an import. Counts are by resource, kind of summary or `workout_stream`. */
export interface UndoReport {
  /** Samples, summaries and streams that the import had added and that are now removed. */
  readonly removed: Readonly<Record<string, number>>
  /** Samples that it had replaced and that are now restored. */
  readonly restored: Readonly<Record<string, number>>
  /** Samples that have been changed since, and were kept. */
  readonly kept: Readonly<Record<string, number>>
}
export type UndoOutcome =
  | { readonly kind: 'undone'; readonly report: UndoReport }
  | { readonly kind: 'undone_before'; readonly at: EpochMs }
  | { readonly kind: 'unknown' }

export type WriteOutcome =
  | { readonly kind: 'written'; readonly report: WriteReport }
  | { readonly kind: 'token_consumed' }

/** Data to be stored. */
export interface SpooledData {
  readonly batches: readonly SampleBatch[]
  readonly summaries: readonly SummaryRecord[]
  readonly streams: readonly StreamRecord[]
}
