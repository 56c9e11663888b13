/** Reading data again with today's mapping, and the changes that result. Part of the port (port.ts). */
import type { SampleColumns, SeriesKey } from '../core/sample.ts'
import type { EpochMs } from '../core/time.ts'
import type { RemappedRecord } from './live/remapped-record.ts'

/** What is read again, and whose changes count as the mapping's. */
export type RemapPlan =
  | { readonly kind: 'imports'; readonly importIds: readonly string[] }
  | { readonly kind: 'provider'; readonly provider: string; readonly records: readonly RemappedRecord[] }

/** Counts of samples, summaries or streams. */
export interface RemapCounts {
  added: number
  changed: number
  removed: number
  /** Number of those that something else has changed since, so that they stay. */
  kept: number
}

/** The fields of a summary's version that a listener needs. The document is JSON text. */
export interface SummaryVersion {
  readonly id: string
  readonly provider: string
  readonly source_type: string
  readonly at: EpochMs
  readonly date: string
  readonly document: string
}

export interface StreamVersion {
  readonly workout_id: string
  readonly provider: string
  readonly source_type: string
  readonly n: number
}

/** Receives every change. Null stands for what is not there. */
export interface RemapListener {
  /** Called before the first change, and again if the transaction runs again. */
  begin(): void
  /** Samples of one series, in ascending order of start. If both are present, they have the same starts. */
  samples(series: SeriesKey, before: SampleColumns | null, after: SampleColumns | null): void
  summary(kind: string, before: SummaryVersion | null, after: SummaryVersion | null): void
  /** `at` is the start of the workout. */
  stream(before: StreamVersion | null, after: StreamVersion | null, at: EpochMs): void
}

export interface RemapOutcome {
  /** Counts by resource, summary kind or `workout_stream`. */
  readonly counts: Readonly<Record<string, Readonly<RemapCounts>>>
  /** Whether anything changed. Otherwise, nothing was stored. */
  readonly hasChanges: boolean
}
