/** Computes a workout's totals: the values stated in its file, or else values calculated from its points. */
import { type EpochMs, SECOND_MS } from '../../core/time.ts'
import type { ActivityPoints } from './points.ts'

/** The numeric fields of the workout summary; null if neither the file nor its points contain the value. */
export interface WorkoutTotals {
  readonly average_hr: number | null
  readonly max_hr: number | null
  /** m. */
  readonly distance: number | null
  /** kcal. */
  readonly calories: number | null
  /** Seconds in each of the six zones. */
  readonly hr_zones: readonly number[] | null
  /** s. */
  readonly moving_time: number | null
  readonly total_elevation_gain: number | null
  readonly elev_high: number | null
  readonly elev_low: number | null
  /** m/s. */
  readonly average_speed: number | null
  readonly max_speed: number | null
  readonly average_watts: number | null
  readonly device_watts: number | null
  readonly max_watts: number | null
  readonly weighted_average_watts: number | null
  readonly steps: number | null
}

/** Totals stated in a file; missing ones are absent, undefined or null. */
export type StatedTotals = { readonly [name in keyof WorkoutTotals]?: WorkoutTotals[name] | undefined }

const EARTH_RADIUS_M = 6_371_008.8
/** Minimum rise that is counted, in metres. Smaller changes are noise in satellite and barometer altitudes. */
const LEAST_RISE_M = 2

/** Returns all totals for a workout from `start` to `end`. */
export function computeTotals(
  points: ActivityPoints,
  stated: StatedTotals,
  start: EpochMs,
  end: EpochMs,
): WorkoutTotals {
  const heart = statistics(points.column('heartrate'))
  const altitude = statistics(points.column('altitude'))
  const power = statistics(points.column('power'))
  const distance = rounded(stated.distance ?? statistics(points.column('distance')).max, 2)
  const movingTime = Math.round(stated.moving_time ?? (end - start) / SECOND_MS)
  const averageSpeed = distance !== null && movingTime > 0 ? distance / movingTime : null
  const averageWatts = rounded(stated.average_watts ?? power.mean, 0)
  return {
    average_hr: rounded(stated.average_hr ?? heart.mean, 0),
    max_hr: rounded(stated.max_hr ?? heart.max, 0),
    distance,
    calories: rounded(stated.calories ?? null, 1),
    hr_zones: stated.hr_zones ?? null,
    moving_time: movingTime,
    total_elevation_gain: rounded(stated.total_elevation_gain ?? climbed(points.column('altitude')), 1),
    elev_high: rounded(stated.elev_high ?? altitude.max, 1),
    elev_low: rounded(stated.elev_low ?? altitude.min, 1),
    average_speed: rounded(stated.average_speed ?? averageSpeed, 3),
    max_speed: rounded(stated.max_speed ?? statistics(points.column('velocity_smooth')).max, 3),
    average_watts: averageWatts,
    // power in these files always comes from a device
    device_watts: averageWatts,
    max_watts: rounded(stated.max_watts ?? power.max, 0),
    weighted_average_watts: rounded(stated.weighted_average_watts ?? null, 0),
    steps: rounded(stated.steps ?? null, 0),
  }
}

/** Returns the distance between two positions in metres, along the surface of the Earth as a sphere. */
export function metresBetween(latA: number, lngA: number, latB: number, lngB: number): number {
  const rad = Math.PI / 180
  const across = Math.sin(((latB - latA) * rad) / 2)
  const along = Math.sin(((lngB - lngA) * rad) / 2)
  const share = across * across + Math.cos(latA * rad) * Math.cos(latB * rad) * along * along
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(share)))
}

/** Rounds to a number of decimals; null stays null. */
export function rounded(value: number | null, decimals: number): number | null {
  if (value === null) return null
  const factor = 10 ** decimals
  return Math.round(value * factor) / factor
}

interface Statistics {
  readonly mean: number | null
  readonly min: number | null
  readonly max: number | null
}

/** Returns statistics for a column, or null if it has no values. */
export function statistics(column: Float64Array | undefined): Statistics {
  let [n, sum, min, max] = [0, 0, Infinity, -Infinity]
  for (const value of column ?? []) {
    if (Number.isNaN(value)) continue
    n++
    sum += value
    if (value < min) min = value
    if (value > max) max = value
  }
  return n === 0 ? { mean: null, min: null, max: null } : { mean: sum / n, min, max }
}

/** Returns the sum of all rises of at least `LEAST_RISE_M`, each measured from the preceding lowest point. */
function climbed(altitudes: Float64Array | undefined): number | null {
  if (altitudes === undefined) return null
  let gain = 0
  let from = Number.NaN
  for (const altitude of altitudes) {
    if (Number.isNaN(altitude)) continue
    if (Number.isNaN(from) || altitude < from) from = altitude
    else if (altitude - from >= LEAST_RISE_M) {
      gain += altitude - from
      from = altitude
    }
  }
  return gain
}
