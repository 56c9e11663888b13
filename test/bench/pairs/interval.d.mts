/** The types of `interval.mjs`, for its test. */
export interface Interval {
  readonly low: number
  readonly high: number
}
export function medianWithInterval(ratios: readonly number[]): Interval & { readonly median: number }
export function verdictOf(interval: Interval, isLowerBetter: boolean): 'worse' | 'better' | 'ok' | 'not decided'
