/** Writes of a user's data and their results. The data is samples, summaries and streams that were pulled, pushed or imported. */
import type { TeamId, UserId } from '../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../core/sample.ts'
import type { StreamRecord } from '../core/stream.ts'
import type { EpochMs } from '../core/time.ts'
import type { CompletedHistory, NewLiveConnection } from './live/connections.ts'

/** A provider's scopes, grouped by whether the provider requires them. See docs/interface/connections.md#connections-5. */
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
  /** `error` after a pull has failed permanently, `paused` after ingestion has ended. A new link changes both back to `connected`. */
  readonly status: 'connected' | 'error' | 'paused'
  /** The account at the provider (a user name), or null. Sensitive data. */
  readonly externalUserId: string | null
  readonly region: string | null
  /** Present if and only if the status is `error`. */
  readonly error: ConnectionError | null
  /** Null if the provider has no scopes. */
  readonly scopes: ConnectionScopes | null
  /** Whether this is a demo connection, which ends after 7 days together with its user. */
  readonly isDemo: boolean
  /** Whether the data comes from the provider itself, with a token set (live.ts). Otherwise, the provider is simulated. */
  readonly isLive: boolean
}

/** A connection that a write creates or updates. */
export interface NewConnection
  extends Pick<ConnectionRecord, 'userId' | 'provider' | 'createdOn' | 'externalUserId' | 'region'> {
  /**
   * Present only for a link. A link sets an existing connection to `connected`, whatever its status, and replaces its scopes. Data from any
   * other origin creates a connection if there is none, and does not change the status of an existing one.
   */
  readonly link?: Pick<ConnectionRecord, 'scopes' | 'isDemo'> & {
    /** The resources that a live connection supplies, for the event. Defaults to the catalogue's resources. */
    readonly availability?: Readonly<Record<string, unknown>>
  }
}

/** A pull from a provider, as shown by introspection. See docs/interface/users.md#users-25. */
export interface NewPull {
  readonly provider: string
  /** `historical`: a pull of everything, caused by a link. `refresh`: a pull of new data. */
  readonly kind: 'historical' | 'refresh'
  /**
   * The requested resources, with the same names as in `resource_availability` (`weight`, `sleep`, …). See
   * docs/interface/connections.md#connections-4.
   */
  readonly resources: readonly string[]
  readonly from: EpochMs
  readonly to: EpochMs
  /** Identifies the pull in support requests. */
  readonly traceId: string
}

/** A device that a link reports. Data can refer to further devices by ID alone. */
export interface NewDevice {
  readonly deviceId: string
  readonly provider: string
  readonly sourceType: string
  readonly appId: string | null
  readonly manufacturer: string | null
  readonly model: string | null
  readonly version: string | null
}

/** A user's device as stored. Manufacturer, model and version are null if the device is only known from data. */
export type DeviceRecord = NewDevice

/**
 * The events that a write causes. `daily` events contain the data. `historical` events announce a finished pull, with one event per
 * resource. `none` means that the end of the pull will be announced later.
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
  /** Present for an import. The import is stored with the data that it replaced, so that it can be undone. */
  readonly importing: NewImport | null
  /** Connections to create or update. Each new or restored connection causes a `provider.connection.created` event. */
  readonly connections: readonly NewConnection[]
  /** The pull that fetched the data, stored for introspection with the amount of data. Absent if nothing was pulled. */
  readonly pull?: NewPull
  /** Each new device causes a `provider.device.created` event, and each changed device a `provider.device.updated` event. */
  readonly devices?: readonly NewDevice[]
  /**
   * Present for a page of a live pull: the resources whose history is complete with this page. Each one causes a `historical` event.
   * Introspection adds up the data of such pages.
   */
  readonly completed?: readonly CompletedHistory[]
  /** Data that a link to a live provider stores with its connection. */
  readonly live?: NewLiveConnection
  /**
   * Hash of the link token that this write consumes, or null. The write is refused (`token_consumed`) if the token has already been
   * consumed.
   */
  readonly consumeToken: string | null
}

export interface SampleCounts {
  /** Number of accepted records, including duplicates. */
  samples: number
  /** Number of records whose key existed with another value. */
  replaced: number
  /** Number of records whose key existed with the same value. */
  unchanged: number
}
export interface SummaryCounts {
  created: number
  updated: number
  unchanged: number
}
export interface WriteReport {
  /** Counts by resource (REST path name). */
  readonly stored: Readonly<Record<string, SampleCounts>>
  readonly summaries: Readonly<Record<string, SummaryCounts>>
  readonly streams: SummaryCounts
}

/** Facts about an import that the store needs in addition to its data. */
export interface NewImport {
  readonly importId: string
  readonly format: string
  /** Number of records in the file, including skipped ones. */
  readonly records: number
  readonly skipped: readonly SkippedRecords[]
  /** The imported file. Absent for imports from before schema 12 and for remaps. */
  readonly file?: ImportedFile
  /** How the file was read, in the form of the request, so that it can be read again. */
  readonly options?: Readonly<Record<string, unknown>>
  /** Present for a remap: what was read again. */
  readonly remap?: RemapSource
}

export interface ImportedFile {
  /** SHA-256 of the content as it was received, in hex. */
  readonly sha256: string
  readonly bytes: number
}

/** What a remap read again: kept files of imports, or raw responses of a live provider. */
export type RemapSource =
  | { readonly kind: 'imports'; readonly importIds: readonly string[] }
  | { readonly kind: 'provider'; readonly provider: string }

/** A sealed part of a kept file. Parts are numbered from 0. */
export interface ImportFilePart {
  readonly importId: string
  readonly part: number
  /** Real time. */
  readonly at: EpochMs
  readonly sealed: Uint8Array
}

/** A kept file, and when its first part was stored. */
export interface KeptImportFile {
  readonly userId: UserId
  readonly importId: string
  readonly at: EpochMs
}

export interface SkippedRecords {
  readonly reason: string
  readonly count: number
  /** Positions of the first three records, such as `line 12` or `byte 4711`. */
  readonly places: readonly string[]
}

/** An import as stored. */
export interface ImportRecord extends NewImport {
  readonly userId: UserId
  /** The user's current client_user_id. */
  readonly clientUserId: string
  readonly at: EpochMs
  readonly report: WriteReport
  readonly undoneAt: EpochMs | null
  /** Number of the user's last event before the import, so that imports of the same millisecond have an order. */
  readonly afterSequence: number
  /** Whether the content of the file is still kept. */
  readonly isKept: boolean
}

/** An import's position in the list of imports. */
export type ImportPosition = Pick<ImportRecord, 'at' | 'importId'>

/** A page in the list of imports, newest first. */
export interface ImportPage {
  readonly limit: number
  /** The last import on the previous page, or null for the first page. */
  readonly after: ImportPosition | null
}

/** The result of undoing an import. Counts are by resource, summary kind or `workout_stream`. */
export interface UndoReport {
  /** Number of samples, summaries and streams that the import had added and that have now been removed. */
  readonly removed: Readonly<Record<string, number>>
  /** Number of samples that the import had replaced and that have now been restored. */
  readonly restored: Readonly<Record<string, number>>
  /** Number of samples that were changed after the import and have been kept. */
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
