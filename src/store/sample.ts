/** Samples, summaries and workout streams in the form in which they are read. Part of the port (port.ts). */
import type { SampleColumns, SamplePacking, SeriesKey, SummaryKind, SummaryRecord } from '../core/sample.ts'
import type { StreamPoints } from '../core/stream.ts'
import type { EpochMs, IsoDate } from '../core/time.ts'

/** Selects one resource's samples whose start is in [from, to]. */
export interface SampleQuery {
  readonly resource: string
  /** Provider slug, or null for every provider. */
  readonly provider: string | null
  readonly from: EpochMs
  readonly to: EpochMs
}

/**
 * A position in the time order that all series of a resource share: directly after the sample (start, series). If starts are equal, the
 * lower series ID comes first.
 */
export interface SamplePosition {
  readonly start: EpochMs
  readonly seriesId: number
}

export interface SeriesSlice {
  readonly series: SeriesKey
  /** The columns, which are built when they are accessed. Read each one only once. */
  readonly columns: SampleColumns
  /** The samples' packed form. Present only in a scan, and only for a whole chunk. */
  readonly packing?: SamplePacking | undefined
  /** Size in bytes of the chunk that was read for the slice. */
  readonly bytes?: number | undefined
}

export interface SamplePage {
  /** One slice for each series that has samples on this page. Together, they cover a contiguous time range. */
  readonly slices: readonly SeriesSlice[]
  /** Start of the next page, or null if this is the last page. */
  readonly next: SamplePosition | null
}

export interface SummaryQuery {
  readonly kind: SummaryKind
  readonly provider: string | null
  /** Inclusive bounds for `date`. */
  readonly fromDate: IsoDate
  readonly toDate: IsoDate
}

export interface StoredSummary extends SummaryRecord {
  readonly createdAt: EpochMs
  readonly updatedAt: EpochMs
}

/** A workout stream as stored. */
export interface StoredStream extends StreamPoints {
  readonly workoutId: string
  readonly provider: string
  readonly sourceType: string
}
