/** What a write of a user's data is, and what becomes of it: samples, summaries and streams, pushed, linked or imported. */
import type { TeamId, UserId } from '../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../core/sample.ts'
import type { StreamRecord } from '../core/stream.ts'
import type { EpochMs } from '../core/time.ts'

export interface ConnectionRecord {
  readonly userId: UserId
  readonly provider: string
  readonly createdOn: EpochMs
  readonly status: 'connected' | 'error' | 'paused'
  /** The account at the provider (a user name), or null. Sensitive. */
  readonly externalUserId: string | null
  readonly region: string | null
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
  /** Created when absent, with a `provider.connection.created` event; an existing one is brought back to `connected`. */
  readonly connections: readonly Omit<ConnectionRecord, 'status'>[]
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
