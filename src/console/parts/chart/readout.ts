/** Texts that describe a chart at one time and over a time range. Times are floating. */
import { type ChartSeries, firstAt, type Marker, nearestTo, type View } from './series.ts'

/** Maximum distance of a value from the pointer, as a fraction of the view, to count as under the pointer. */
const REACH = 0.01

/** Returns the values under the pointer, such as `14 Nov 2026, 08:05 · garmin watch 85 bpm`. */
export function readoutAt(
  { series, markers }: { readonly series: readonly ChartSeries[]; readonly markers: readonly Marker[] },
  time: number,
  view: View,
): string {
  const reach = (view.to - view.from) * REACH
  let at: number | null = null
  const found = series.flatMap(each => {
    const i = nearestTo(each, time, reach)
    if (i < 0) return []
    at ??= each.at[i] ?? null
    const [low, high] = [each.low[i] ?? 0, each.high[i] ?? 0]
    const value = low === high ? numberText(low) : `${numberText(low)} to ${numberText(high)}`
    return [`${each.label} ${value} ${each.unit}`.trim()]
  })
  const signs = markers.filter(marker => Math.abs(marker.at - time) <= reach).map(marker => marker.label)
  return [momentText(at ?? time, view.to - view.from < 7_200), ...found, ...signs].join(' · ')
}

/** Returns a time as text, such as `14 Nov 2026, 08:05`. */
export function momentText(time: number, withSeconds = false): string {
  return new Date(time * 1000).toLocaleString('en-GB', {
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
  return rounded.toLocaleString('en-US', { maximumFractionDigits: 6 })
}

/** Returns a value with its unit, such as `85 bpm`, or the number alone if there is no unit. */
export function withUnit(value: number, unit: string): string {
  return unit === '' ? numberText(value) : `${numberText(value)} ${unit}`
}

function dayText(time: number): string {
  return new Date(time * 1000).toLocaleDateString('en-GB', { timeZone: 'UTC', dateStyle: 'medium' })
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
  /** Bucket length, such as "12 hours", if the times are bucket starts; absent if they are the times of samples. */
  readonly bucket?: string
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

/** Returns the summary as one sentence, such as `garmin · watch: 288 samples, 45 to 152, mean 71 bpm; first 60 at …, last 66 at …`. */
export function summaryText(label: string, unit: string, summary: Summary | null, isDaily = false): string {
  const noun = isDaily ? 'value' : 'sample'
  if (summary === null) return `${label}: no ${noun}s in this period.`
  const { count, min, max, mean, first, last, firstAt: begin, lastAt: end, bucket } = summary
  const from = bucket === undefined ? 'at' : `in the ${bucket} from`
  const momentOf = (at: number) => (isDaily ? `on ${dayText(at)}` : `${from} ${momentText(at)}`)
  const range = min === max ? numberText(min) : `${numberText(min)} to ${numberText(max)}`
  return (
    `${label}: ${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}, ${range}, mean ${withUnit(mean, unit)}; ` +
    `first ${numberText(first)} ${momentOf(begin)}, last ${numberText(last)} ${momentOf(end)}.`
  )
}
