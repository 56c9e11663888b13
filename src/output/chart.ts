/**
 * A chart's data: the samples of each source, as points or as amounts over time, in columns that grow. Reads by index are unchecked (`as
 * number`), because the loops are hot and stay in range.
 */
import type { ChartPoints } from '../core/chart-rules.ts'
import { formatCount } from '../core/text.ts'
import { type EpochMs, formatFloating } from '../core/time.ts'

export interface Chart {
  /** The measured quantity. */
  readonly title: string
  readonly unit: string
  /** Amounts (steps, energy) are bars that start at zero; levels (heart rate, weight) are joined by a line, except across gaps. */
  readonly mark: 'bars' | 'line'
  /** Whether times are the user's floating wall-clock times rather than UTC. */
  readonly isFloating?: boolean
  readonly points: ChartPoints
  /** Series in drawing order; each has at least one sample. */
  readonly series: readonly ChartSeries[]
}

/** Samples in ascending order of start. */
export interface ChartSeries {
  readonly name: string
  readonly n: number
  readonly start: Float64Array
  /** End of the sample; equal to the start for a sample at one instant. */
  readonly end: Float64Array
  readonly value: Float64Array
}

/** The times and values that enclose all of a chart's series. */
export interface ChartRange {
  readonly from: EpochMs
  readonly to: EpochMs
  readonly min: number
  readonly max: number
}

/** Collects samples one at a time, by series name. */
export class ChartBuilder {
  private readonly columns = new Map<string, GrowingSeries>()

  add(name: string, start: EpochMs, end: EpochMs, value: number): void {
    let series = this.columns.get(name)
    if (!series) {
      series = new GrowingSeries(name)
      this.columns.set(name, series)
    }
    series.add(start, end, value)
  }

  build(what: Omit<Chart, 'series'>): Chart {
    const series = [...this.columns.values()].map(each => each.take())
    return { ...what, series: series.sort((a, b) => (a.name < b.name ? -1 : 1)) }
  }
}

class GrowingSeries {
  private n = 0
  private start = new Float64Array(256)
  private end = new Float64Array(256)
  private value = new Float64Array(256)
  private readonly name: string

  constructor(name: string) {
    this.name = name
  }

  add(start: EpochMs, end: EpochMs, value: number): void {
    if (this.n === this.start.length) {
      this.start = doubled(this.start)
      this.end = doubled(this.end)
      this.value = doubled(this.value)
    }
    this.start[this.n] = start
    this.end[this.n] = Math.max(start, end)
    this.value[this.n] = value
    this.n += 1
  }

  take(): ChartSeries {
    const { name, n } = this
    const cut = (column: Float64Array) => column.subarray(0, n)
    return { name, n, start: cut(this.start), end: cut(this.end), value: cut(this.value) }
  }
}

function doubled(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(column.length * 2)
  wider.set(column)
  return wider
}

/** Returns a chart's range, which includes zero for bars. A chart without samples has no range, so check `series.length` first. */
export function chartRange({ series, mark }: Chart): ChartRange {
  let from = Number.POSITIVE_INFINITY
  let to = Number.NEGATIVE_INFINITY
  let [min, max] = mark === 'bars' ? [0, 0] : [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { n, start, end, value } of series) {
    for (let i = 0; i < n; i++) {
      from = Math.min(from, start[i] as number)
      to = Math.max(to, end[i] as number)
      min = Math.min(min, value[i] as number)
      max = Math.max(max, value[i] as number)
    }
  }
  return { from, to, min, max }
}

const POINT: Readonly<Record<ChartPoints, string>> = { samples: 'sample', buckets: 'value' }

/** Returns text such as `2,016 samples, 45 to 152`. */
export function describeSeries({ n, value }: ChartSeries, points: ChartPoints): string {
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < n; i++) {
    min = Math.min(min, value[i] as number)
    max = Math.max(max, value[i] as number)
  }
  const range = min === max ? numberText(min) : `${numberText(min)} to ${numberText(max)}`
  return `${formatCount(n)} ${POINT[points]}${n === 1 ? '' : 's'}, ${range}`
}

/** Formats a number with as many digits as a reader needs. */
function numberText(value: number): string {
  return String(Number(Math.abs(value) < 1 ? value.toPrecision(3) : value.toFixed(2)))
}

/** Returns `heartrate in bpm`, or the title alone if there is no unit. */
export function chartTitle({ title, unit }: Chart): string {
  return unit === '' ? title : `${title} in ${unit}`
}

/** Returns `2026-11-20 00:00 to 2026-11-21 08:30 UTC`, without `UTC` for floating times. */
export function formatPeriod({ from, to }: ChartRange, isFloating = false): string {
  const moment = (ms: EpochMs) => formatFloating(ms).slice(0, 16).replace('T', ' ')
  return `${moment(from)} to ${moment(to)}${isFloating ? '' : ' UTC'}`
}
