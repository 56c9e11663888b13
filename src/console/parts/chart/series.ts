/** A chart's data, with one set of number columns for each source. Times are seconds of floating (local) time. */
import { stepsBetween, usualStep } from '../../../core/chart-rules.ts'
import { type Bucket, bucketSeconds } from '../period.tsx'

/** A range of floating time, in seconds; `to` is exclusive. */
export interface View {
  readonly from: number
  readonly to: number
}

export interface ChartSeries {
  readonly key: string
  /** Name in the legend, such as "garmin · watch". */
  readonly label: string
  readonly unit: string
  readonly mark: 'line' | 'bars' | 'dots'
  /** Color number, from 1. */
  readonly color: number
  /** Times in ascending order. */
  readonly at: Float64Array
  /** End times, for values over intervals; the same list as `at` if all values are instants. */
  readonly until: Float64Array
  readonly low: Float64Array
  /** The same list as `low`, unless each entry represents many samples. */
  readonly high: Float64Array
  /** The means of the samples that the entries represent, drawn as a line. */
  readonly mean?: Float64Array
  /** Maximum gap, in seconds, across which a line is drawn. */
  readonly gap: number
  /** For stages, whose values are numbers of rows: the rows from the bottom, each with its color number. */
  readonly rows?: readonly { readonly title: string; readonly color: number }[]
  /** For bars beside those of other series: the position of a bar in its bucket, and the number of positions. */
  readonly lane?: readonly [number, number]
  /** The length of a bucket, if the entries are buckets and not samples. */
  readonly bucket?: Bucket
}

/** An event at one time, drawn as a symbol at the bottom of the chart. */
export interface Marker {
  readonly at: number
  readonly label: string
  readonly kind: 'meal' | 'insulin' | 'carbohydrates'
}

/** Returns how values are drawn: sums as bars, levels as a line, and levels that nothing connects as dots. */
export function markOf(isSum: boolean, isConnected = true): ChartSeries['mark'] {
  if (isSum) return 'bars'
  return isConnected ? 'line' : 'dots'
}

/** Returns how buckets are drawn. No line crosses a missing bucket, whether the line ends with its last bucket (`lasts`) or at its start. */
export function bucketShape(
  isSum: boolean,
  bucket: Bucket,
  lasts: boolean,
): Pick<ChartSeries, 'mark' | 'gap' | 'bucket'> {
  return { mark: markOf(isSum), gap: (lasts ? 0.5 : 1.5) * bucketSeconds(bucket), bucket }
}

/** Returns whether most values are about equally spaced. */
export function isRegular(at: Float64Array): boolean {
  const steps = stepsBetween(at)
  const most = steps[Math.floor(steps.length * 0.75)] ?? 0
  return steps.length > 8 && most <= usualStep(steps) * 2
}

/** Returns the index of the first entry at or after a time. */
export function firstAt(at: Float64Array, time: number): number {
  let [low, high] = [0, at.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((at[middle] ?? 0) < time) low = middle + 1
    else high = middle
  }
  return low
}

/** Returns the entry nearest to a time, or -1 if none is within `reach` seconds. */
export function nearestTo({ at, until }: ChartSeries, time: number, reach: number): number {
  const after = firstAt(at, time)
  const before = after - 1
  if (before >= 0 && (until[before] ?? 0) > time) return before
  const back = before >= 0 ? time - (until[before] ?? 0) : Number.POSITIVE_INFINITY
  const ahead = after < at.length ? (at[after] ?? 0) - time : Number.POSITIVE_INFINITY
  if (Math.min(back, ahead) > reach) return -1
  return back <= ahead ? before : after
}

/** Returns the range of entries in a view, plus one entry on each side, so that lines cross the edges at the correct height. */
export function shownIn({ at }: ChartSeries, { from, to }: View): readonly [number, number] {
  return [Math.max(0, firstAt(at, from) - 1), Math.min(at.length, firstAt(at, to) + 1)]
}

/** Returns the smallest and the largest value in a view, or null if there are none. Bars start at zero. */
export function valuesIn(series: readonly ChartSeries[], view: View): readonly [number, number] | null {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const each of series) {
    const [first, end] = shownIn(each, view)
    for (let i = first; i < end; i++) {
      const low = each.low[i] ?? 0
      const high = each.high[i] ?? 0
      if (low < min) min = low
      if (high > max) max = high
    }
    if (each.mark === 'bars' && end > first) {
      if (min > 0) min = 0
      if (max < 0) max = 0
    }
  }
  return min <= max ? [min, max] : null
}
