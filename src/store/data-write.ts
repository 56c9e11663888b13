/** What a write of a user's data is, and what becomes of it: samples, summaries and streams, pushed, linked or imported. */
import type { TeamId, UserId } from '../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../core/sample.ts'
import type { StreamRecord } from '../core/stream.ts'
import type { EpochMs } from '../core/time.ts'

/** Scopes of a provider by whether it needs them (interface.md 2.2). */
export interface ScopeSets {
  readonly required: readonly string[]
  readonly optional: readonly string[]
}

/** What a user granted at the provider's consent page, and what not. */
export interface ConnectionScopes {
  readonly granted: ScopeSets
  readonly denied: ScopeSets
}

/** What ended a connection (interface-gaps 2.2). The message is for developers. */
export interface ConnectionError {
  readonly type: string
  readonly message: string
  readonly at: EpochMs
}

export interface ConnectionRecord {
  readonly userId: UserId
  readonly provider: string
  readonly createdOn: EpochMs
  /** `error` after a pull failed for good, `paused` when ingestion has ended; a new link brings both back to `connected`. */
  readonly status: 'connected' | 'error' | 'paused'
  /** The account at the provider (a user name), or null. Sensitive. */
  readonly externalUserId: string | null
  readonly region: string | null
  /** Set exactly while the status is `error`. */
  readonly error: ConnectionError | null
  /** Null where the provider has no scopes. */
  readonly scopes: ConnectionScopes | null
  /** A demo connection: it and its user end after 7 days. */
  readonly isDemo: boolean
}

/** A connection that a write makes. */
export interface NewConnection
  extends Pick<ConnectionRecord, 'userId' | 'provider' | 'createdOn' | 'externalUserId' | 'region'> {
  /**
   * Given by a link alone: it brings an existing connection back to `connected`, whatever it was, and replaces its scopes. Data that
   * came in another way make a connection where there is none, and leave the state of an existing one as it is.
   */
  readonly link?: Pick<ConnectionRecord, 'scopes' | 'isDemo'>
}

/** A pull of a provider: what introspection tells of it (interface-gaps 4.12). */
export interface NewPull {
  readonly provider: string
  /** `historical`: of everything, by a link. `refresh`: of what is new. */
  readonly kind: 'historical' | 'refresh'
  /** What was asked for: keys of interface-gaps 2.2 (`weight`, `sleep` …). */
  readonly resources: readonly string[]
  readonly from: EpochMs
  readonly to: EpochMs
  /** Names the pull in support requests. */
  readonly traceId: string
}

/** A device that a link tells of. Data name further ones by their id alone. */
export interface NewDevice {
  readonly deviceId: string
  readonly provider: string
  readonly sourceType: string
  readonly appId: string | null
  readonly manufacturer: string | null
  readonly model: string | null
  readonly version: string | null
}

/** Which events a write causes: `daily` carries the data; `historical` announces a finished pull, one event a resource. */
export type EventMode =
  | { readonly kind: 'daily' }
  | { readonly kind: 'historical'; readonly provider: string; readonly from: EpochMs; readonly to: EpochMs }

/** One atomic write of a user's data, with everything it brings about. */
export interface DataWrite {
  readonly at: EpochMs
  readonly teamId: TeamId
  readonly batches: readonly SampleBatch[]
  readonly summaries: readonly SummaryRecord[]
  readonly streams: readonly StreamRecord[]
  readonly events: EventMode
  /** Set for an import: it is kept with what it replaced, so that it can be undone. */
  readonly importing: NewImport | null
  /** With a `provider.connection.created` event for each one that is new or back. */
  readonly connections: readonly NewConnection[]
  /** Kept for introspection, with what of the data it brought; absent where nothing was pulled. */
  readonly pull?: NewPull
  /** With a `provider.device.created` event for each new one, `updated` for one that is told of differently. */
  readonly devices?: readonly NewDevice[]
  /** Hash of the link token that this write consumes. The write is refused (`token_consumed`) when it was consumed before. */
  readonly consumeToken: string | null
}

export interface SampleCounts {
  /** Records accepted, doubles included. */
  samples: number
  /** Those whose key was there with another value. */
  replaced: number
  /** Those whose key was there with the same value. */
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

/** What the store is told of an import beside its data. */
export interface NewImport {
  readonly importId: string
  readonly format: string
  /** Records of the file, skipped included. */
  readonly records: number
  readonly skipped: readonly SkippedRecords[]
}
export interface SkippedRecords {
  readonly reason: string
  readonly count: number
  /** Where the first three were: `line 12`, `byte 4711`. */
  readonly places: readonly string[]
}

/** An import as it is kept. */
export interface ImportRecord extends NewImport {
  readonly userId: UserId
  readonly at: EpochMs
  readonly report: WriteReport
  readonly undoneAt: EpochMs | null
}

/** What undoing an import did, by resource and kind of summary. */
export interface UndoReport {
  /** Samples and summaries that the import had brought and that are gone now. */
  readonly removed: Readonly<Record<string, number>>
  /** Those that it had replaced and that are back. */
  readonly restored: Readonly<Record<string, number>>
  /** Those that were changed again since, and stay. */
  readonly kept: Readonly<Record<string, number>>
}
export type UndoOutcome =
  | { readonly kind: 'undone'; readonly report: UndoReport }
  | { readonly kind: 'undone_before'; readonly at: EpochMs }
  | { readonly kind: 'unknown' }

export type WriteOutcome =
  | { readonly kind: 'written'; readonly report: WriteReport }
  | { readonly kind: 'token_consumed' }

/** Data on their way into the store. */
export interface SpooledData {
  readonly batches: readonly SampleBatch[]
  readonly summaries: readonly SummaryRecord[]
  readonly streams: readonly StreamRecord[]
}

/** A large import on its way in: a private scratch file, merged in one short transaction. */
export interface Spool {
  add(data: SpooledData): Promise<void>
  /** Slugs of the providers that something was added of, in order. */
  providers(): Promise<readonly string[]>
  /** What merging would report, with nothing written: for a dry run. Removes the scratch file. */
  preview(userId: UserId): Promise<WriteReport>
  /** Merges everything that was added into the user's data and removes the scratch file. */
  merge(userId: UserId, write: Omit<DataWrite, keyof SpooledData | 'consumeToken'>): Promise<WriteReport>
  discard(): Promise<void>
}
