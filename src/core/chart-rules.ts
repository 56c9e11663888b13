/**
 * Rules shared by the charts in the terminal and the console: which values are bars, and where a line breaks. This module imports nothing.
 */

/** Samples have the times at which their source measured; buckets are consecutive, except where there is no data. */
export type ChartPoints = 'samples' | 'buckets'

/** Approximate number of steps to inspect to find the usual step. */
const STEPS_LOOKED_AT = 4096
/** A pause longer than this many usual steps is a gap, whatever the interval between values. */
const MOST_STEPS = 3
/** A pause longer than this many steps skips a bucket. */
const ONE_STEP = 1.5

/** Returns the steps between neighbours in ascending order, or a selection of them if there are many. */
export function stepsBetween(times: ArrayLike<number>): readonly number[] {
  const every = Math.max(1, Math.floor((times.length - 1) / STEPS_LOOKED_AT))
  const steps: number[] = []
  // the index stays within the list
  for (let i = 1; i < times.length; i += every) steps.push((times[i] as number) - (times[i - 1] as number))
  return steps.sort((a, b) => a - b)
}

/** Returns the median of steps in ascending order; 0 if there are none. */
export function usualStep(steps: readonly number[]): number {
  return steps[steps.length >> 1] ?? 0
}

/**
 * Returns the longest pause across which a line is drawn. For samples, no line crosses a day without data, unless they are usually further
 * apart; for buckets, no line crosses a missing bucket. `day` is the length of a day in the times' unit.
 */
export function longestPause(times: ArrayLike<number>, points: ChartPoints, day: number): number {
  const steps = stepsBetween(times)
  if (points === 'buckets') return ONE_STEP * (steps.find(step => step > 0) ?? 0)
  const step = usualStep(steps)
  return Math.min(MOST_STEPS * step, Math.max(ONE_STEP * step, day))
}

/** Returns whether a result column's values add up over a bucket. Such values are drawn as bars from zero. */
export function isSumColumn(name: string): boolean {
  return /^(sum|count)(\.|$)/.test(name)
}

/** Returns whether a summary's field, such as `heart_rate.avg_bpm`, adds up over the day. Only activity summaries have such fields. */
export function isSumField(resource: string, path: string): boolean {
  return resource === 'activity' && !path.startsWith('heart_rate.')
}
