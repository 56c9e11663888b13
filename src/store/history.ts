/** What is kept about how a user's data came into the store. Part of the port (port.ts). */
import type { SampleColumns, SeriesKey, SummaryKind } from '../core/sample.ts'
import type { EpochMs } from '../core/time.ts'
import type { StoredSummary } from './sample.ts'

/** Samples as one event reported them, in ascending order of start. */
export interface SampleArrival {
  readonly sequence: number
  readonly eventId: string
  readonly at: EpochMs
  /** Whether the samples were new; otherwise, they replaced others. */
  readonly isNew: boolean
  /** The import that the event belongs to, or null. */
  readonly importId: string | null
  readonly series: SeriesKey
  readonly columns: SampleColumns
}

/** A part of the arrivals, in the order in which they were written. */
export interface SampleArrivals {
  readonly arrivals: readonly SampleArrival[]
  /** The event after which the next part begins, or null at the end. */
  readonly next: number | null
}

/** An import, undone or not. */
export interface PastImport {
  readonly importId: string
  readonly at: EpochMs
  readonly format: string
  readonly undoneAt: EpochMs | null
  /** SHA-256 of the file, in hex; null for imports from before schema 12 and for remaps. */
  readonly sha256: string | null
  /** The resources and summary kinds of which it brought data. */
  readonly names: readonly string[]
  /** Whether all of its events are still kept. */
  readonly hasEvents: boolean
}

/** A version of a summary that an import wrote. */
export interface ImportedSummary {
  readonly importId: string
  readonly id: string
  /** `updated_at` of the version. */
  readonly version: EpochMs
}

/** A record of a live provider, with the data that came from it. */
export interface PulledRecord {
  readonly provider: string
  readonly collection: string
  readonly recordId: string
  readonly samples: readonly { readonly series: SeriesKey; readonly starts: readonly EpochMs[] }[]
  readonly summaries: readonly (readonly [kind: SummaryKind, id: string])[]
}

/** What was pulled from a provider. */
export interface PastPulls {
  readonly provider: string
  /** Name of the resource in event types. */
  readonly resource: string
  readonly lastAttemptAt: EpochMs | null
}

/** Samples that an import replaced, in ascending order of start. */
export interface ReplacedSamples {
  readonly importId: string
  readonly series: SeriesKey
  readonly columns: SampleColumns
}

/** A version of a summary, as an event reported it or as an import replaced it. */
export interface SummaryVersion {
  readonly summary: StoredSummary
  /** The version that replaced it, if that was written by an import; otherwise null. */
  readonly replacedBy: EpochMs | null
}

/** An event that announced data but did not contain it. */
export interface Announcement {
  /** Name of the resource or summary. */
  readonly name: string
  readonly provider: string
  readonly at: EpochMs
}

/** Which of the user's events are kept, and what they announced. */
export interface KeptEvents {
  /** Time of the oldest event that is kept; null if all events are. */
  readonly since: EpochMs | null
  readonly announcements: readonly Announcement[]
}
