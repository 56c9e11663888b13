/** What today's mapping makes of a provider's record, without the values, which are in the spool. Part of the port (port.ts). */
import type { SeriesKey } from '../../core/sample.ts'

export interface RemappedRecord {
  readonly collection: string
  readonly id: string
  /** The version of the record that was read again. */
  readonly version: string
  readonly samples: readonly RemappedStarts[]
  readonly summaries: readonly (readonly [kind: string, id: string])[]
  /** Workout IDs. */
  readonly streams: readonly string[]
}

/** Starts of the record's samples of one series, in any order. */
export interface RemappedStarts {
  readonly series: SeriesKey
  readonly origin: { readonly appId: string; readonly deviceId: string; readonly kind: string }
  readonly starts: Float64Array
}
