/** The stream of a workout in columns: the shape it has from an importer to the store and to a reader (interface-gaps 4.12). */
import type { EpochMs } from './time.ts'

/** What a stream may hold beside its times. The place of each is stored: new ones are added at the end. */
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
 * n points, ascending by time. A column has n values, NaN where a point has none; a column without any value is left out.
 * Units: cadence rev/min (runs: steps/min), altitude m, velocity_smooth m/s, heartrate bpm, lat and lng degrees (WGS 84), distance
 * m since the start, power W, resistance unitless, temperature °C.
 */
export interface StreamPoints {
  readonly n: number
  /** Epoch milliseconds, whole. */
  readonly time: Float64Array
  readonly columns: ReadonlyMap<StreamColumn, Float64Array>
}

/** The stream of one workout as it is handed to the store; replaced whole by its workout's id. */
export interface StreamRecord extends StreamPoints {
  /** Id of the workouts summary it belongs to. */
  readonly workoutId: string
  /** Provider slug. */
  readonly provider: string
  readonly sourceType: string
  /** When the workout began: what the ingestion bounds look at. */
  readonly at: EpochMs
  /** Seconds east of UTC at `at`, or null when unknown. */
  readonly offset: number | null
  /** What the shallow event says of it (interface.md 6.5). */
  readonly providerId: string
  readonly sport: { readonly id: number; readonly name: string; readonly slug: string } | null
}
