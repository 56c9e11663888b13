/** The target range of a resource: how many of the values in a time range are below it, in it and above it. */
import { call } from '../../../api/call.ts'
import { useLoader } from '../../../api/use-call.ts'
import { firstAt } from '../../../parts/chart/series.ts'
import { DAY } from '../../../parts/floating.ts'
import { Loaded } from '../../../parts/states.tsx'
import { count } from '../../../parts/table.tsx'
import { BY_SOURCE, percent, type Query, wholeDays } from '../merging.ts'
import type { TimeseriesResource } from '../resources.ts'
import type { SamplesRequest, SourceSeries } from './raw.ts'
import type { Samples } from './use-samples.ts'

/** The lowest and the highest value of a range. */
type Limits = readonly [number, number]

/** Glucose: the range that the consensus on continuous monitoring recommends for most people, by unit. */
const GLUCOSE: Readonly<Record<string, Limits>> = { 'mg/dL': [70, 180], 'mmol/L': [3.9, 10] }

/** Returns the target range of a resource in its unit; undefined if it has none. */
export function targetOf({ resource, unit }: TimeseriesResource): Limits | undefined {
  return resource === 'glucose' ? GLUCOSE[unit] : undefined
}

interface TargetRangeProps extends Omit<SamplesRequest, 'zone'> {
  readonly target: Limits
  readonly samples: Samples
  /** The series that are not hidden. */
  readonly shown: readonly SourceSeries[]
}

export function TargetRange(props: TargetRangeProps) {
  const { userId, resource, view, target, samples, shown } = props
  const isRaw = samples.level === 'samples'
  const key = `${userId} ${resource.resource} ${view.from} ${view.to} ${samples.level} ${shown.map(each => each.key)}`
  // a bucket has only its lowest, highest and mean value
  const load = useLoader(isRaw ? null : key, signal => readCounts(props, signal))
  const draw = (counts: readonly number[]) => (
    <Shares counts={counts} text={`${target.join(' to ')} ${resource.unit}`} />
  )
  if (!isRaw) return <Loaded load={load}>{draw}</Loaded>
  const values = shown.flatMap(({ at, low }) => [...low.subarray(firstAt(at, view.from), firstAt(at, view.to))])
  const once = values.map(value => [value, 1] as const)
  return draw(countSides(once, target))
}

const NAMES = ['Below', 'In the target range', 'Above']

function Shares({ counts, text }: { readonly counts: readonly number[]; readonly text: string }) {
  const total = counts.reduce((sum, each) => sum + each, 0)
  const before = counts.map((_, i) => counts.slice(0, i).reduce((sum, each) => sum + each, 0))
  if (total === 0) return null
  return (
    <figure class="data-shares">
      <svg viewBox={`0 0 ${total} 1`} preserveAspectRatio="none" aria-hidden="true">
        {counts.map((each, i) => (
          <rect key={NAMES[i]} class={`data-share-${i}`} x={before[i]} width={each} height="1" />
        ))}
      </svg>
      <figcaption class="data-signs">
        {counts.map((each, i) => (
          <span key={NAMES[i]} class="data-keyed">
            <span class={`chart-key data-share-${i}`} />
            {`${NAMES[i]}: ${percent(each / total)}`}
          </span>
        ))}
        <span class="soft">{`of ${count(total)} values; the target range is ${text}`}</span>
      </figcaption>
    </figure>
  )
}

/** Returns how many of the values, each with the number of times it occurs, are below a range, in it and above it. */
function countSides(values: readonly (readonly [number, number])[], [low, high]: Limits): readonly number[] {
  const counts = [0, 0, 0] as [number, number, number]
  for (const [value, times] of values) counts[value < low ? 0 : value <= high ? 1 : 2] += times
  return counts
}

/** Queries how often each value occurs in every hour of a week, or on every day of a longer time range. Throws Problem. */
async function readCounts({ userId, resource, view, target, samples, shown }: TargetRangeProps, signal: AbortSignal) {
  const isMerged = samples.level === 'merged'
  const arg = { timeseries: resource.event_name, field: 'value' }
  const unit = view.to - view.from <= 7 * DAY ? 'hour' : 'day'
  const query: Query = {
    select: [{ group_key: '*' }, { func: 'count', arg }],
    group_by: [{ date_trunc: { unit, value: 1 }, arg: { index: 'timeseries' } }, arg, ...BY_SOURCE],
    merge: isMerged,
  }
  const body = { timeframe: wholeDays(view), queries: [query] }
  const { results } = await call('aggregate.query', { params: { user_id: userId }, body }, { signal })
  const [starts = [], values = [], providers = [], types = [], , counts = []] = Object.values(results[0]?.table ?? {})
  const isShown = (row: number): boolean => {
    const at = Date.parse(`${starts[row]}Z`) / 1_000
    const isOf = (each: SourceSeries) => each.provider === providers[row] && each.sourceType === types[row]
    return at >= view.from && at < view.to && (isMerged || shown.some(isOf))
  }
  const rows = values.map((value, row) => [Number(value), isShown(row) ? Number(counts[row]) : 0] as const)
  return countSides(rows, target)
}
