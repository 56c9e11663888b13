/** Queries the merged values of a resource in time buckets, with the source of each value. */
import { unitText } from '../../../../catalogue/wording.ts'
import { call } from '../../../api/call.ts'
import { colorNumber } from '../../../parts/chart/colors.ts'
import { numberText, withUnit } from '../../../parts/chart/readout.ts'
import { bucketShape, type ChartSeries, firstAt, type View } from '../../../parts/chart/series.ts'
import { DAY, floatingDate } from '../../../parts/floating.ts'
import { bucketOf, lengthText } from '../../../parts/period.tsx'
import {
  BY_SOURCE,
  kindColumn,
  kindText,
  listText,
  onlyKind,
  onlyOf,
  type Query,
  type Share,
  type Stored,
  sharesText,
  type Table,
  valueFields,
  wholeDays,
} from '../merging.ts'
import type { Question } from '../why/why-dialog.tsx'
import type { BucketSeries } from './buckets.ts'
import type { SamplesRequest } from './raw.ts'

/** Merged values of one kind. */
export interface MergedSeries extends BucketSeries {
  /** The sources of each bucket, with what they contribute: an amount, or a number of samples. */
  readonly parts: readonly ReadonlyMap<string, number>[]
  /** The column and the function that summarize a bucket in one number, and the condition that its rows meet. */
  readonly question: Omit<Question, 'period'>
}

export interface MergedBuckets {
  readonly series: readonly MergedSeries[]
  /** Length of a bucket, in seconds. */
  readonly width: number
  /** Whether shorter buckets would lose values, because there are totals of days. */
  readonly isFinest: boolean
  /** Names of all sources that have data. */
  readonly sources: readonly string[]
}

const STEPS = [
  { unit: 'minute', value: 1, seconds: 60 },
  { unit: 'minute', value: 5, seconds: 300 },
  { unit: 'minute', value: 15, seconds: 900 },
  { unit: 'hour', value: 1, seconds: 3_600 },
  // not longer, because the source of a level is chosen by day
  { unit: 'day', value: 1, seconds: DAY },
] as const
export const HOURLY = STEPS[3]
export const DAILY = STEPS[4]
/** Maximum number of buckets in a view: ten days of hours. */
const MOST_BUCKETS = 240

/** Returns the bucket for a view. */
export function mergedStep({ from, to }: View): (typeof STEPS)[number] {
  return STEPS.find(({ seconds }) => to - from <= seconds * MOST_BUCKETS) ?? DAILY
}

/** Reads the buckets of a time range. By default, it is twice as long as the view, and `first` is the bucket for the view. Throws Problem. */
export async function readMerged(
  wanted: SamplesRequest,
  stored: Stored,
  signal: AbortSignal,
  first = mergedStep({ from: 0, to: (wanted.view.to - wanted.view.from) / 2 }),
): Promise<MergedBuckets> {
  const { view, userId } = wanted
  const kinds = stored.kinds.length === 0 ? [undefined] : stored.kinds
  const read = async (step: (typeof STEPS)[number], isFinest = false): Promise<MergedBuckets> => {
    const queries = kinds.map(kind => buildQuery(wanted, step, kind))
    const { results } = await call(
      'aggregate.query',
      { params: { user_id: userId }, body: { timeframe: wholeDays(view), queries } },
      { signal },
    )
    // the total of a day has no value in an hour, so hours would hide it
    const hasTotals = results.some(({ warnings = [] }) => warnings.some(({ code }) => code === 'totals_without_value'))
    if (hasTotals && step !== DAILY) return read(DAILY, true)
    const series = results.flatMap(({ table }) => buildSeries(wanted, table, stored, step.seconds))
    return {
      series: series.map((each, i) => ({ ...each, color: colorNumber(i) })),
      width: step.seconds,
      isFinest,
      sources: stored.sources,
    }
  }
  return read(first)
}

const FUNCTIONS = ['count', 'min', 'max', 'mean', 'oldest', 'newest', 'sum'] as const

function buildQuery({ resource }: SamplesRequest, { unit, value }: (typeof STEPS)[number], kind?: string): Query {
  const field = (name: string) => ({ timeseries: resource.event_name, field: name })
  return {
    select: [
      { group_key: '*' },
      ...valueFields(resource).flatMap(name => FUNCTIONS.map(func => ({ func, arg: field(name) }))),
    ],
    group_by: [
      { date_trunc: { unit, value }, arg: { index: 'timeseries' } },
      ...BY_SOURCE,
      ...(resource.has_type_in_key ? [field('type')] : []),
    ],
    ...onlyKind(resource, kind),
  }
}

/** Values of a bucket. An amount may have several sources; a level has one. */
interface Bucket {
  readonly at: number
  readonly row: readonly number[]
  readonly parts: Map<string, number>
}

function buildSeries(wanted: SamplesRequest, table: Table, stored: Stored, width: number): readonly MergedSeries[] {
  const { resource, view } = wanted
  const columns = Object.values(table)
  const [times = [], providers = [], types = [], apps = [], ofKey = []] = columns
  const kinds = kindColumn(table)
  const firstValue = resource.has_type_in_key ? 5 : 4
  const fields = valueFields(resource)
  const found = new Map<string, { readonly list: Bucket[]; readonly question: MergedSeries['question'] }>()
  for (const [part, name] of fields.entries()) {
    const start = firstValue + part * FUNCTIONS.length
    for (const [row, time] of times.entries()) {
      const at = Date.parse(`${time}Z`) / 1000
      const values = FUNCTIONS.map((_, i) => Number(columns[start + i]?.[row] ?? 0))
      const [count = 0, , , , , , sum = 0] = values
      if (at + width <= view.from || at >= view.to || count === 0) continue
      const type = resource.has_type_in_key && ofKey[row] !== null ? kindText(ofKey[row]) : ''
      // a plain reading needs no name if there is nothing else
      const isPlain = kinds[row] === undefined || (kinds[row] === 'point' && stored.kinds.length === 1)
      const kind = isPlain ? '' : kindText(kinds[row])
      const label = ['Merged', kind, type, fields.length > 1 ? kindText(name) : ''].filter(Boolean).join(' · ')
      const column = fields.length > 1 ? `${resource.event_name}.${name}` : resource.event_name
      const ofType = resource.has_type_in_key ? ofKey[row] : undefined
      const where = onlyOf(resource, { kind: kinds[row], type: ofType })
      const known = found.get(label) ?? {
        list: [],
        question: { func: resource.is_amount ? 'sum' : 'mean', column, where, merge: true, of: label },
      }
      found.set(label, known)
      const { list } = known
      const source = stored.nameOf(providers[row], types[row], apps[row])
      const before = list.at(-1)
      const contributed = resource.is_amount ? sum : count
      // rows are in the order of their times
      if (before?.at === at) {
        before.parts.set(source, (before.parts.get(source) ?? 0) + contributed)
        list[list.length - 1] = { ...before, row: before.row.map((value, i) => value + (values[i] ?? 0)) }
      } else list.push({ at, row: values, parts: new Map([[source, contributed]]) })
    }
  }
  return [...found].map(([label, { list, question }]) => {
    const column = (index: number) => Float64Array.from(list, ({ row }) => row[index] ?? 0)
    const at = Float64Array.from(list, each => each.at)
    const low = column(resource.is_amount ? 6 : 1)
    // the same list tells that each bucket has one value
    const high = resource.is_amount ? low : column(2)
    return {
      ...{ key: label, label, unit: unitText(resource.unit), provider: '', sourceType: '', color: 1 },
      ...bucketShape(resource.is_amount, bucketOf(width), true),
      ...{ at, until: at.map(start => start + width), low, high, count: column(0), mean: column(3) },
      ...{ first: column(4), last: column(5), parts: list.map(({ parts }) => parts), question },
    }
  })
}

/** Returns what asks for the number of a day, if the series is merged by day. */
export function questionOf(series: ChartSeries | MergedSeries, i: number): Question | null {
  if (!('question' in series) || series.until[i] !== (series.at[i] ?? 0) + DAY) return null
  const period = floatingDate(series.at[i] ?? 0)
  return { ...series.question, period, of: `${series.label}, ${period}` }
}

/** Returns each source's share of the buckets in a view, largest first. */
function sharesIn({ at, parts }: MergedSeries, view: View): readonly Share[] {
  const sums = new Map<string, number>()
  for (const part of parts.slice(firstAt(at, view.from), firstAt(at, view.to)))
    for (const [source, value] of part) sums.set(source, (sums.get(source) ?? 0) + value)
  const total = [...sums.values()].reduce((sum, value) => sum + value, 0)
  return [...sums]
    .map(([source, value]) => ({ source, share: total === 0 ? 1 / sums.size : value / total }))
    .sort((a, b) => b.share - a.share)
}

/** Returns sentences that name the sources of the merged values in a view, and those that were not used. */
export function mergedTexts({ series, sources }: MergedBuckets, view: View, isAmount: boolean): readonly string[] {
  const shares = series.map(each => sharesIn(each, view))
  const used = new Set(shares.flatMap(each => each.map(({ source }) => source)))
  const unused = sources.filter(source => !used.has(source))
  return [
    ...shares.flatMap((each, i) => {
      if (each.length === 0) return []
      const verb = each.length > 1 ? 'Merged from' : 'All from'
      const label = series.length > 1 ? `${series[i]?.label}: ${verb.toLowerCase()}` : verb
      const unit = each.length > 1 ? `, as shares of the ${isAmount ? 'amount' : 'samples'}` : ''
      return [`${label} ${sharesText(each)}${unit}.`]
    }),
    ...(unused.length > 0 ? [`Not used in this period: ${listText(unused)}.`] : []),
  ]
}

/** Returns the summary of an amount, such as `Merged: 47,600 in total, 400 to 700 per hour.` */
export function amountSummary({ label, unit, at, low }: MergedSeries, width: number, view: View): string {
  const values = low.subarray(firstAt(at, view.from), firstAt(at, view.to))
  if (values.length === 0) return `${label}: no samples in this period.`
  const [min, max] = [Math.min(...values), Math.max(...values)]
  const range = min === max ? numberText(min) : `${numberText(min)} to ${numberText(max)}`
  const total = values.reduce((sum, value) => sum + value, 0)
  return `${label}: ${withUnit(total, unit)} in total, ${range} per ${lengthText(bucketOf(width))}.`
}
