/** Computes readiness with this service's own formulas, in which NaN is null. The formulas and constants are in docs/aggregate.md. */

import type { ReadinessValue } from '../../../catalogue/query/column.ts'

/** Number of days before a date that form its baseline, and how many of them must have a value. */
export const BASELINE_DAYS = 21
const BASELINE_LEAST = 7
/** Minimum spread as a fraction of the mean, for a person whose values hardly vary. */
const HRV_LEAST_SPREAD = 0.05
const RHR_LEAST_SPREAD = 0.03
/** Maximum deviation of each quantity, in standard deviations. */
const MOST_DEVIATIONS = 3
/** Recovery is a logistic function of both deviations. A person at the baseline scores 62. */
const RECOVERY = { intercept: 0.5, hrv: 0.9, rhr: -0.6 } as const
/** Weight of a minute at each intensity. The strain approaches its maximum exponentially as the load increases. */
const STRAIN = { low: 1, medium: 3, high: 6, top: 21, load: 300 } as const

/** The mean and spread of a quantity on the preceding days. */
export interface Baseline {
  readonly mean: number
  /** Sample standard deviation. */
  readonly spread: number
}

/** Returns the baseline of these values, or null if there are too few. */
export function computeBaseline(values: readonly number[]): Baseline | null {
  if (values.length < BASELINE_LEAST) return null
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, spread: Math.sqrt(squares / (values.length - 1)) }
}

/** Returns the deviation from the baseline, from -3 to 3 standard deviations. */
function deviation(value: number, { mean, spread }: Baseline, leastShare: number): number {
  if (value === mean) return 0
  const deviations = (value - mean) / Math.max(spread, leastShare * mean)
  return Math.min(MOST_DEVIATIONS, Math.max(-MOST_DEVIATIONS, deviations))
}

/**
 * Returns 0 to 100. The score is higher for a higher heart rate variability and for a lower resting heart rate, and null if any input is
 * null.
 */
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

/**
 * Returns 0 to 21, computed from the minutes at low, medium and high intensity. A missing value counts as 0. If all are missing, the score
 * is null.
 */
export function strainScore(low: number, medium: number, high: number): number {
  if ([low, medium, high].every(Number.isNaN)) return Number.NaN
  const minutes = (value: number): number => (Number.isNaN(value) ? 0 : value)
  const load = STRAIN.low * minutes(low) + STRAIN.medium * minutes(medium) + STRAIN.high * minutes(high)
  return Math.round(STRAIN.top * (1 - Math.exp(-load / STRAIN.load)))
}

/** Returns how a value is computed, with the constants above. Texts and sources have no formula. */
export function readinessFormula(value: ReadinessValue): string | null {
  const { intercept, hrv, rhr } = RECOVERY
  const deviation = (of: string, share: number) => `(${of} − mean) / max(deviation, ${share * 100} % of the mean)`
  const recovery =
    `round(100 / (1 + exp(−(${intercept} + ${hrv} × a − ${-rhr} × b)))), where a is ${deviation('hrv', HRV_LEAST_SPREAD)}, ` +
    `b is ${deviation('resting_heart_rate', RHR_LEAST_SPREAD)}, both limited to ±${MOST_DEVIATIONS}, and mean and deviation are ` +
    `those of the ${BASELINE_DAYS} days before`
  const { low, medium, high, top, load } = STRAIN
  const strain = `round(${top} × (1 − exp(−(${low} × low + ${medium} × medium + ${high} × high) / ${load}))), with minutes of each intensity`
  switch (value) {
    case 'recovery_score':
      return recovery
    case 'stress_score':
      return `100 − the recovery score, which is ${recovery}`
    case 'strain_score':
      return strain
    default:
      return null
  }
}

/** A score's zones, each with its highest score, in ascending order. */
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
  return scoreZone(score, RECOVERY_ZONES)
}

export function strainZone(score: number): string | null {
  return scoreZone(score, STRAIN_ZONES)
}

function scoreZone(score: number, zones: Zones): string | null {
  return zones.find(([upTo]) => score <= upTo)?.[1] ?? null
}
