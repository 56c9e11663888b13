/** Rules shared by the charts in the terminal and the console: which values are bars, and where a line breaks. It imports nothing. */

/** Samples are at the times when their source measured; buckets follow each other, except where there is no data. */
export type ChartPoints = 'samples' | 'buckets'

/** Approximate number of steps to inspect to find the usual one. */
const STEPS_LOOKED_AT = 4096
/** A pause of more than this many usual steps is a gap, at any interval between values. */
const MOST_STEPS = 3
/** A pause of more than this many steps skips a bucket. */
const ONE_STEP = 1.5

/** Returns the steps between neighbours in ascending order, or a sample of them if there are many. */
export function stepsBetween(times: ArrayLike<number>): readonly number[] {
  const every = Math.max(1, Math.floor((times.length - 1) / STEPS_LOOKED_AT))
  const steps: number[] = []
  // the loop stays within the list
  for (let i = 1; i < times.length; i += every) steps.push((times[i] as number) - (times[i - 1] as number))
  return steps.sort((a, b) => a - b)
}

/** Returns the median of steps in ascending order; 0 for none. */
export function usualStep(steps: readonly number[]): number {
  return steps[steps.length >> 1] ?? 0
}

/**
 * Returns the longest pause across which a line is drawn. For samples, no line crosses a day without data, unless they are usually further
 * apart; for buckets, no line crosses a missing bucket. `day` is the length of a day in the unit of the times.
 */
export function longestPause(times: ArrayLike<number>, points: ChartPoints, day: number): number {
  const steps = stepsBetween(times)
  if (points === 'buckets') return ONE_STEP * (steps.find(step => step > 0) ?? 0)
  const step = usualStep(steps)
  return Math.min(MOST_STEPS * step, Math.max(ONE_STEP * step, day))
}

/** Returns whether the values of a result column add up over a bucket, so that they are drawn as bars from zero. */
export function isSumColumn(name: string): boolean {
  return /^(sum|count)(\.|$)/.test(name)
}
