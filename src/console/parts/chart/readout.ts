/** Texts that describe a chart at one time and over a time range. Times are floating. */
import { formatDate, toShown } from '../floating.ts'
import { type Bucket, bucketSeconds, bucketText, whenText } from '../period.tsx'
import { type ChartSeries, firstAt, type Marker, nearestTo, type View } from './series.ts'

/** Maximum distance of a value from the pointer, as a fraction of the view, to count as under the pointer. */
const REACH = 0.01
const NUMBERS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 })

/**
 * Returns the values under the pointer, such as `14 Nov 2026, 08:05 · garmin watch 85 bpm`. The time is that of the values if all have the
 * same one, or else that of the pointer.
 */
export function readoutAt(
  { series, markers }: { readonly series: readonly ChartSeries[]; readonly markers: readonly Marker[] },
  time: number,
  view: View,
): string {
  const length = view.to - view.from
  const reach = length * REACH
  const times = new Set<string>()
  const found = series.flatMap(each => {
    const i = valueAt(each, time, view)
    if (i < 0) return []
    const at = each.at[i] ?? time
    // a stage lasts, so its start says nothing about the pointer
    if (!each.rows) times.add(each.bucket ? bucketText(at, each.bucket) : momentText(at, length < 7_200))
    return [`${each.label} ${valueText(each, i)}`]
  })
  const signs = markers.filter(marker => Math.abs(marker.at - time) <= reach).map(marker => marker.label)
  const [only = ''] = times
  return [times.size === 1 ? only : momentText(time, length < 7_200), ...found, ...signs].join(' · ')
}

/** Returns the index of the value under the pointer, or -1 if there is none. */
export function valueAt(series: ChartSeries, time: number, { from, to }: View): number {
  const reach = (to - from) * REACH
  return nearestTo(series, time, series.bucket ? Math.max(reach, bucketSeconds(series.bucket) / 2) : reach)
}

function valueText({ low, high, mean, rows, unit }: ChartSeries, i: number): string {
  const [least = 0, most = 0, middle] = [low[i], high[i], mean?.[i]]
  if (rows) return rows[least]?.title ?? ''
  if (least === most) return withUnit(least, unit)
  const span = `${numberText(least)} to ${withUnit(most, unit)}`
  return middle === undefined ? span : `mean ${numberText(middle)}, ${span}`
}

/** Returns a time as text, such as `14 Nov 2026, 08:05`. */
export function momentText(time: number, withSeconds = false): string {
  return formatDate(toShown(time) * 1000, {
    timeZone: 'UTC',
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(withSeconds ? { second: '2-digit' } : {}),
  })
}

/** Returns a number with as many digits as a reader needs. */
export function numberText(value: number): string {
  const rounded = Math.abs(value) < 1 ? Number(value.toPrecision(3)) : Math.round(value * 100) / 100
  return NUMBERS.format(rounded)
}

/** Returns a value with its unit, such as `85 bpm`, or the number alone if there is no unit. */
export function withUnit(value: number, unit: string): string {
  return unit === '' ? numberText(value) : `${numberText(value)} ${unit}`
}

/** Summary of a series in a time range. */
export interface Summary {
  readonly count: number
  readonly min: number
  readonly max: number
  readonly mean: number
  readonly first: number
  readonly last: number
  readonly firstAt: number
  readonly lastAt: number
  /** Bucket length if the times are bucket starts; absent if they are the times of samples. */
  readonly bucket?: Bucket
}

/** Returns the summary of single values in a time range, or null if there are no values. */
export function summarizeValues({ at, low }: ChartSeries, { from, to }: View): Summary | null {
  const [begin, end] = [firstAt(at, from), firstAt(at, to)]
  if (end <= begin) return null
  let [min, max, sum] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]
  for (let i = begin; i < end; i++) {
    const value = low[i] ?? 0
    if (value < min) min = value
    if (value > max) max = value
    sum += value
  }
  const [first, last] = [low[begin] ?? 0, low[end - 1] ?? 0]
  const count = end - begin
  return { count, min, max, mean: sum / count, first, last, firstAt: at[begin] ?? 0, lastAt: at[end - 1] ?? 0 }
}

/**
 * Returns the summary as one sentence, such as `garmin · watch: 288 samples, 45 to 152, mean 71 bpm; first 60 at …, last 66 at …`. With
 * `period`, each value is of a period of this length and not a sample.
 */
export function summaryText(label: string, unit: string, summary: Summary | null, period?: Bucket): string {
  const noun = period ? 'value' : 'sample'
  if (summary === null) return `${label}: no ${noun}s in this period.`
  const { count, min, max, mean, first, last, firstAt: begin, lastAt: end, bucket = period } = summary
  const momentOf = (at: number) => (bucket ? whenText(at, bucket) : `at ${momentText(at)}`)
  const range = min === max ? numberText(min) : `${numberText(min)} to ${numberText(max)}`
  return (
    `${label}: ${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}, ${range}, mean ${withUnit(mean, unit)}; ` +
    `first ${numberText(first)} ${momentOf(begin)}, last ${numberText(last)} ${momentOf(end)}.`
  )
}
