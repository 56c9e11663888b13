/** Reads two periods of the same length in the same buckets, merged. */
import { call } from '../../../api/call.ts'
import { colorNumber } from '../../../parts/chart/colors.ts'
import { numberText, withUnit } from '../../../parts/chart/readout.ts'
import { bucketShape, type ChartSeries, type View } from '../../../parts/chart/series.ts'
import { DAY } from '../../../parts/floating.ts'
import { type Bucket, bucketText, knownIn, ONE_DAY } from '../../../parts/period.tsx'
import { percent, readStored, storedQuery, wholeDays } from '../merging.ts'
import { DAILY, HOURLY, type MergedSeries, readMerged } from './merged.ts'
import type { SamplesRequest } from './raw.ts'

/** A number of both periods; null for a period without data. */
export interface Figure {
  readonly name: string
  readonly values: readonly (number | null)[]
  readonly unit: string
}

/** The shown period and the other one. */
export interface Compared {
  readonly periods: readonly View[]
  readonly names: readonly string[]
  readonly bucket: Bucket
  /** Both periods of every kind of value, on the axis of the shown period. */
  readonly series: readonly ChartSeries[]
  readonly figures: readonly Figure[]
}

/** Shorter periods are compared by the hour. */
const LEAST_DAYS = 3

/** Reads the period of a view and the one that begins at `start`, as whole days or hours. Throws Problem. */
export async function readCompared(wanted: SamplesRequest, start: number, signal: AbortSignal): Promise<Compared> {
  const { userId, resource, view } = wanted
  const step = view.to - view.from < LEAST_DAYS * DAY ? HOURLY : DAILY
  const floor = (at: number): number => Math.floor(at / step.seconds) * step.seconds
  const [from, other] = [floor(view.from), floor(start)]
  const length = floor(view.to - 1) + step.seconds - from
  const periods = [from, other].map(first => ({ from: first, to: first + length }))
  const read = async (period: View) => {
    const body = { timeframe: wholeDays(period), queries: [storedQuery(resource)] }
    const { results } = await call('aggregate.query', { params: { user_id: userId }, body }, { signal })
    return readMerged({ ...wanted, view: period }, readStored(results[0]?.table), signal, step)
  }
  const found = await Promise.all(periods.map(read))
  const bucket = { unit: step.unit, value: 1 }
  const known = knownIn(Math.min(from, other), Math.max(from, other) + length - 1)
  const dayOf = (at: number): string => bucketText(at, ONE_DAY, known)
  const names = periods.map(({ from: first, to }) => [...new Set([dayOf(first), dayOf(to - 1)])].join(' to '))
  const labels = [...new Set(found.flatMap(({ series }) => series.map(({ label }) => label)))]
  const pairs = labels.map(label => ({
    kind: label.replace(/^Merged/, ''),
    both: found.map(({ series }) => series.find(each => each.label === label) ?? null),
  }))
  const { is_amount: isAmount } = resource
  return {
    ...{ periods, names, bucket },
    series: pairs.flatMap(({ kind, both }, n) =>
      both.map((each, i): ChartSeries => {
        const at = Float64Array.from(each?.at ?? [], time => time + i * (from - other))
        const low = (isAmount ? each?.low : each?.mean) ?? at
        const label = `${names[i]}${kind}`
        return {
          ...bucketShape(isAmount, bucket, false),
          ...{ key: label, label, unit: unitOf(both), color: colorNumber(2 * n + i), lane: [i, 2] },
          ...{ at, until: isAmount ? at.map(time => time + step.seconds) : at, low, high: low },
        }
      }),
    ),
    figures: pairs.flatMap(({ kind, both }) =>
      figuresOf(isAmount, bucket.unit, unitOf(both)).map(([name, unit, of]) => ({
        ...{ name: `${name}${kind}`, unit },
        values: both.map(each => (each && each.at.length > 0 ? of(each) : null)),
      })),
    ),
  }
}

type Pair = readonly (MergedSeries | null)[]

const unitOf = (both: Pair): string => both.find(each => each !== null)?.unit ?? ''
const sum = (list: Float64Array): number => list.reduce((total, each) => total + each, 0)

type Reduction = (series: MergedSeries) => number

/** Returns the numbers of a period: name, unit and how to compute each. */
function figuresOf(isAmount: boolean, noun: string, unit: string): readonly (readonly [string, string, Reduction])[] {
  const meanOf: Reduction = ({ mean, count }) => sum(mean.map((each, i) => each * (count[i] ?? 0))) / sum(count)
  const total: Reduction = ({ low }) => sum(low)
  const meanTotal: Reduction = each => total(each) / each.at.length
  const length = [`Number of ${noun}s with data`, '', ({ at }: MergedSeries) => at.length] as const
  if (!isAmount) return [['Mean', unit, meanOf], length]
  return [['Total', unit, total], [`Mean of the ${noun}s with data`, unit, meanTotal], length]
}

/** Returns how much more the first period has, such as `+1,000 (+20 %)`; empty if a period has no data. */
export function differenceText({ values: [first, second], unit }: Figure): string {
  if (typeof first !== 'number' || typeof second !== 'number') return ''
  const by = Math.abs(first - second)
  if (numberText(by) === '0') return 'none'
  const sign = first < second ? '\u2212' : '+'
  return `${sign}${withUnit(by, unit)}${second === 0 ? '' : ` (${sign}${percent(by / Math.abs(second))})`}`
}
