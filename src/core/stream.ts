/**
 * A workout stream in columns: the form in which an importer passes it to the store, and the store passes it to a reader. See
 * docs/interface/timeseries.md#timeseries-11.
 */
import type { EpochMs } from './time.ts'

/** The columns that a stream may have besides its times. Their positions are stored, so new ones must be added at the end. */
export const STREAM_COLUMNS = [
  'cadence',
  'altitude',
  'velocity_smooth',
  'heartrate',
  'lat',
  'lng',
  'distance',
  'power',
  'resistance',
  'temperature',
] as const
export type StreamColumn = (typeof STREAM_COLUMNS)[number]

/**
 * n points, ascending by time. A column has n values, with NaN for points without a value; a column without any values is omitted. Units:
 * cadence rev/min (running: steps/min), altitude m, velocity_smooth m/s, heartrate bpm, lat and lng degrees (WGS 84), distance m since the
 * start, power W, resistance unitless, temperature °C.
 */
export interface StreamPoints {
  readonly n: number
  /** Epoch milliseconds, whole numbers. */
  readonly time: Float64Array
  readonly columns: ReadonlyMap<StreamColumn, Float64Array>
}

/** The stream of one workout as passed to the store. A later stream with the same workout ID replaces it as a whole. */
export interface StreamRecord extends StreamPoints {
  /** ID of the workouts summary that the stream belongs to. */
  readonly workoutId: string
  /** Provider slug. */
  readonly provider: string
  readonly sourceType: string
  /** Start of the workout. The ingestion bounds apply to this time. */
  readonly at: EpochMs
  /** Offset at `at`, in seconds east of UTC; null if unknown. */
  readonly offset: number | null
  /** The stream's ID in its event. See docs/interface/events.md#events-5. */
  readonly providerId: string
  readonly sport: { readonly id: number; readonly name: string; readonly slug: string } | null
}
