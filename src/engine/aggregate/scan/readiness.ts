/**
 * Readiness by formulas of our own, in which NaN is null (interface-gaps 4.9, derived_readiness; the formulas and constants stand
 * in docs/aggregate.md).
 */

/** Days before a date that its baseline is made of, and how many of them must have a value. */
export const BASELINE_DAYS = 21
const BASELINE_LEAST = 7
/** A person whose values hardly vary is not judged by a smaller spread than this share of the mean. */
const HRV_LEAST_SPREAD = 0.05
const RHR_LEAST_SPREAD = 0.03
/** No quantity counts for more than so many standard deviations. */
const MOST_DEVIATIONS = 3
/** Recovery is a logistic curve of both deviations: a person at the baseline is at 62. */
const RECOVERY = { intercept: 0.5, hrv: 0.9, rhr: -0.6 } as const
/** Minutes of each intensity count so much; the load takes the strain to its top along an exponential. */
const STRAIN = { low: 1, medium: 3, high: 6, top: 21, load: 300 } as const

/** What a quantity was in the days before. */
export interface Baseline {
  readonly mean: number
  /** Sample standard deviation. */
  readonly spread: number
}

/** The baseline of the values that there are, or null when there are too few. */
export function baselineOf(values: readonly number[]): Baseline | null {
  if (values.length < BASELINE_LEAST) return null
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, spread: Math.sqrt(squares / (values.length - 1)) }
}

/** Deviations from the baseline, -3 to 3. */
function deviation(value: number, { mean, spread }: Baseline, leastShare: number): number {
  if (value === mean) return 0
  const deviations = (value - mean) / Math.max(spread, leastShare * mean)
  return Math.min(MOST_DEVIATIONS, Math.max(-MOST_DEVIATIONS, deviations))
}

/** 0 to 100, higher with a higher variability and a lower resting heart rate; null when any input is. */
export function recoveryScore(
  hrv: number,
  rhr: number,
  hrvBaseline: Baseline | null,
  rhrBaseline: Baseline | null,
): number {
  if (Number.isNaN(hrv) || Number.isNaN(rhr) || hrvBaseline === null || rhrBaseline === null) return Number.NaN
  const hrvDeviation = deviation(hrv, hrvBaseline, HRV_LEAST_SPREAD)
  const rhrDeviation = deviation(rhr, rhrBaseline, RHR_LEAST_SPREAD)
  const exponent = RECOVERY.intercept + RECOVERY.hrv * hrvDeviation + RECOVERY.rhr * rhrDeviation
  return Math.round(100 / (1 + Math.exp(-exponent)))
}

export function stressScore(recovery: number): number {
  return 100 - recovery
}

/** 0 to 21 by the minutes of low, medium and high intensity; one that is missing is 0, all of them missing is null. */
export function strainScore(low: number, medium: number, high: number): number {
  if ([low, medium, high].every(Number.isNaN)) return Number.NaN
  const minutes = (value: number): number => (Number.isNaN(value) ? 0 : value)
  const load = STRAIN.low * minutes(low) + STRAIN.medium * minutes(medium) + STRAIN.high * minutes(high)
  return Math.round(STRAIN.top * (1 - Math.exp(-load / STRAIN.load)))
}

/** The zones of a score by the highest score of each, lowest first. */
type Zones = readonly (readonly [upTo: number, name: string])[]

const RECOVERY_ZONES: Zones = [
  [33, 'Red'],
  [66, 'Amber'],
  [100, 'Green'],
]
const STRAIN_ZONES: Zones = [
  [6, 'Low'],
  [13, 'Moderate'],
  [17, 'High'],
  [21, 'Very High'],
]

export function recoveryZone(score: number): string | null {
  return zoneOf(score, RECOVERY_ZONES)
}

export function strainZone(score: number): string | null {
  return zoneOf(score, STRAIN_ZONES)
}

function zoneOf(score: number, zones: Zones): string | null {
  return zones.find(([upTo]) => score <= upTo)?.[1] ?? null
}
