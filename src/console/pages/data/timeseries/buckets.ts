/** Queries the number of samples in a time range, and the lowest and highest sample in each time bucket. */
import { unitText } from '../../../../catalogue/wording.ts'
import { call } from '../../../api/call.ts'
import { colorNumber } from '../../../parts/chart/colors.ts'
import type { Summary } from '../../../parts/chart/readout.ts'
import { bucketShape, type View } from '../../../parts/chart/series.ts'
import { bucketOf } from '../../../parts/period.tsx'
import {
  type Batch,
  kindColumn,
  readStored,
  type Stored,
  storedQuery,
  type Table,
  valueFields,
  wholeDays,
} from '../merging.ts'
import { sourceText } from '../resources.ts'
import { type SamplesRequest, type SourceSeries, seriesLabel } from './raw.ts'

/** A series whose entries stand for buckets of samples. */
export interface BucketSeries extends SourceSeries {
  readonly count: Float64Array
  readonly mean: Float64Array
  readonly first: Float64Array
  readonly last: Float64Array
}

export interface Buckets {
  readonly series: readonly BucketSeries[]
  /** Length of a bucket, in seconds. */
  readonly width: number
  /** Number of samples in the time range. */
  readonly total: number
  /** The source that queries prefer if several have samples, such as `garmin · watch`; null if there is none. */
  readonly preferred: string | null
  readonly stored: Stored
}

/** Twice the width of a wide chart in pixels, because a chart shows half of the loaded time range. */
const MOST_BUCKETS = 3_200
const MINUTE_STEPS = [1, 2, 3, 5, 10, 15, 20, 30, 60, 120, 180, 240, 360, 720, 1440, 2880, 10_080]
const FUNCTIONS = ['count', 'min', 'max', 'mean', 'oldest', 'newest'] as const

/** Returns the bucket length for a time range, in minutes. */
export function bucketMinutes({ from, to }: View): number {
  const needed = (to - from) / 60 / MOST_BUCKETS
  return MINUTE_STEPS.find(each => each >= needed) ?? 43_200
}

/** Reads the buckets in a time range. Throws Problem. */
export async function readBuckets(wanted: SamplesRequest, signal: AbortSignal): Promise<Buckets> {
  const { view, userId } = wanted
  const minutes = bucketMinutes(view)
  const { results } = await call(
    'aggregate.query',
    { params: { user_id: userId }, body: buildQuery(wanted, minutes) },
    { signal },
  )
  const [buckets, winner, stored] = results
  const series = buildSeries(wanted, buckets?.table ?? {}, minutes * 60)
  const best = Object.values(winner?.table ?? {}).map(column => column[0])
  const isNumberless = typeof best[0] !== 'string' || typeof best[1] !== 'string'
  const isFirstPart = (each: BucketSeries, i: number) =>
    series.findIndex(other => other.provider === each.provider && other.sourceType === each.sourceType) === i
  return {
    series,
    width: minutes * 60,
    total:
      series.reduce((sum, { count }) => sum + count.reduce((a, b) => a + b, 0), 0) /
      valueFields(wanted.resource).length,
    preferred:
      isNumberless || series.filter(isFirstPart).length < 2
        ? null
        : sourceText({ provider: String(best[0]), type: String(best[1]) }),
    stored: readStored(stored?.table),
  }
}

function buildQuery(wanted: SamplesRequest, minutes: number): Batch {
  const { view, resource } = wanted
  const name = resource.event_name
  const index = { index: 'timeseries' }
  const parts = valueFields(resource)
  const field = (of: string) => ({ timeseries: name, field: of })
  return {
    timeframe: wholeDays(view),
    queries: [
      {
        select: [{ group_key: '*' }, ...parts.flatMap(part => FUNCTIONS.map(func => ({ func, arg: field(part) })))],
        // when grouped by both source columns, every source has rows, not only the preferred one
        group_by: [
          { date_trunc: { unit: 'minute', value: minutes }, arg: index },
          { source: 'source_provider' },
          { source: 'source_type' },
          ...(resource.has_type_in_key ? [field('type')] : []),
        ],
        mixed_kinds: 'split',
      },
      {
        // in a single group, only rows of the preferred source count
        select: ['source_provider', 'source_type'].map(column => ({ func: 'newest', arg: field(column) })),
        group_by: [{ date_trunc: { unit: 'year', value: 100 }, arg: index }],
      },
      storedQuery(resource),
    ],
  }
}

/** Returns one series for each source, and for each kind of a source that has several. The columns are in the order of the query. */
function buildSeries({ resource, view }: SamplesRequest, table: Table, width: number): readonly BucketSeries[] {
  const columns = Object.values(table)
  const kinds = kindColumn(table)
  const hasType = resource.has_type_in_key
  const [times = [], providers = [], types = [], ofKey = []] = columns
  const firstValue = hasType ? 4 : 3
  const found = new Map<string, { part: number; provider: string; sourceType: string; rows: number[] }>()
  const at = times.map(time => Date.parse(`${time}Z`) / 1000)
  const kindsOf = new Map<string, Set<unknown>>()
  for (const [row, kind] of kinds.entries()) {
    const source = `${providers[row]} ${types[row]}`
    kindsOf.set(source, (kindsOf.get(source) ?? new Set()).add(kind))
  }
  for (const [part, name] of valueFields(resource).entries()) {
    for (let row = 0; row < times.length; row++) {
      const time = at[row] ?? 0
      const count = columns[firstValue + part * FUNCTIONS.length]?.[row]
      if (time + width <= view.from || time >= view.to || typeof count !== 'number' || count === 0) continue
      const [provider, sourceType] = [String(providers[row]), String(types[row])]
      const isMixed = (kindsOf.get(`${provider} ${sourceType}`)?.size ?? 0) > 1
      const shown = isMixed ? kinds[row] : hasType ? ofKey[row] : null
      const type = typeof shown === 'string' ? shown : null
      const label = seriesLabel(provider, sourceType, type, name === 'value' ? null : name)
      const entry = found.get(label) ?? { part, provider, sourceType, rows: [] }
      found.set(label, entry)
      entry.rows.push(row)
    }
  }
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([label, { part, provider, sourceType, rows }], i) => {
      const column = (index: number) =>
        Float64Array.from(rows, row => Number(columns[firstValue + part * FUNCTIONS.length + index]?.[row] ?? 0))
      const starts = Float64Array.from(rows, row => at[row] ?? 0)
      return {
        ...{ key: label, label, unit: unitText(resource.unit), provider, sourceType, color: colorNumber(i) },
        ...bucketShape(resource.is_amount, bucketOf(width), true),
        ...{ at: starts, until: starts.map(start => start + width) },
        ...{ count: column(0), low: column(1), high: column(2) },
        ...{ mean: column(3), first: column(4), last: column(5) },
      }
    })
}

/** Returns a summary of the samples in the buckets of a time range, or null if there are none. */
export function bucketSummary(series: BucketSeries, width: number, { from, to }: View): Summary | null {
  let [count, sum, first, last] = [0, 0, -1, -1]
  let [min, max] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (let i = 0; i < series.at.length; i++) {
    const at = series.at[i] ?? 0
    if (at < from || at >= to) continue
    if (first < 0) first = i
    last = i
    const n = series.count[i] ?? 0
    count += n
    sum += n * (series.mean[i] ?? 0)
    min = Math.min(min, series.low[i] ?? 0)
    max = Math.max(max, series.high[i] ?? 0)
  }
  if (first < 0) return null
  return {
    ...{ count, min, max, mean: sum / count, first: series.first[first] ?? 0, last: series.last[last] ?? 0 },
    ...{ firstAt: series.at[first] ?? 0, lastAt: series.at[last] ?? 0, bucket: bucketOf(width) },
  }
}
