/** A timeseries resource, with a chart and its summary in words, a table of points, and downloads. */

import { useMemo } from 'preact/hooks'
import { formatTitle } from '../../../../catalogue/wording.ts'
import { ChartGroup } from '../../../parts/chart/chart-group.tsx'
import { summarizeValues } from '../../../parts/chart/readout.ts'
import type { View } from '../../../parts/chart/series.ts'
import { Chart } from '../../../parts/chart/time-chart.tsx'
import { DAY } from '../../../parts/floating.ts'
import { Card } from '../../../parts/page.tsx'
import { bucketOf, lengthText } from '../../../parts/period.tsx'
import { Empty, ProblemNote, Skeleton } from '../../../parts/states.tsx'
import { count } from '../../../parts/table.tsx'
import { isQueried } from '../merging.ts'
import { type OwnResource, resourceHeading, type TimeseriesResource } from '../resources.ts'
import { useWhy } from '../why/why-button.tsx'
import type { Question } from '../why/why-dialog.tsx'
import { AddChart, BesideChart } from './beside.tsx'
import { Legend } from './legend.tsx'
import { MarkerLegend, MarkerTable, useMarkers } from './markers.tsx'
import { mergedTexts, questionOf } from './merged.ts'
import { NotesTable } from './notes-table.tsx'
import { PointsTable } from './points-table.tsx'
import { TakeAway } from './take-away.tsx'
import { TargetRange, targetOf } from './target-range.tsx'
import { type Samples, summaryTexts, useSamples } from './use-samples.ts'

interface TimeseriesViewProps {
  readonly userId: string
  readonly zone: string | null
  readonly resource: TimeseriesResource
  readonly own: readonly OwnResource[]
  readonly view: View
  readonly onView: (view: View) => void
  readonly onReset: (() => void) | undefined
  /** Keys of hidden series. */
  readonly hidden: readonly string[]
  readonly onHide: (hidden: readonly string[]) => void
  /** Names of the resources below. */
  readonly beside: readonly string[]
  readonly onBeside: (beside: readonly string[]) => void
  readonly isMerged: boolean
}

export function TimeseriesView(props: TimeseriesViewProps) {
  const { userId, zone, resource, own, view, onView, onReset, isMerged } = props
  const load = useSamples({ userId, zone, resource }, view, isMerged)
  const markers = useMarkers({ userId, zone, resource, own }, view)
  const samples = load.data
  return (
    <>
      <ProblemNote problem={load.problem} onRetry={load.reload} />
      {samples === undefined ? (
        !load.problem && (
          <Card title={resourceHeading(resource)}>
            <Skeleton lines={10} />
          </Card>
        )
      ) : resource.shape === 'text' ? (
        <NotesTable samples={samples} view={view} />
      ) : (
        <Drawn
          {...{ ...props, samples, view, onView, onReset, markers: markers.list }}
          isLoading={load.isLoading || markers.isLoading}
        />
      )}
      {markers.list.length > 0 && <MarkerTable markers={markers.list} view={view} />}
      <TakeAway {...props} />
    </>
  )
}

interface DrawnProps extends TimeseriesViewProps {
  readonly samples: Samples
  readonly markers: ReturnType<typeof useMarkers>['list']
  readonly isLoading: boolean
}

function Drawn(props: DrawnProps) {
  const { resource, samples, view, onView, onReset, hidden, onHide, markers, isLoading, own, beside, onBeside } = props
  const possible = own.flatMap(({ timeseries: of }) =>
    of && isQueried(of) && of.resource !== resource.resource ? [of] : [],
  )
  const below = beside.flatMap(name => possible.find(each => each.resource === name) ?? [])
  const others = possible.filter(each => !beside.includes(each.resource))
  const target = targetOf(resource)
  const why = useWhy(props.userId)
  const shown = useMemo(
    () => samples.series.filter(({ key }) => !hidden.includes(key)),
    [samples.series, hidden.join()],
  )
  const hide = (key: string, isHidden: boolean): void =>
    onHide(isHidden ? [...hidden, key] : hidden.filter(each => each !== key))
  if (samples.series.length === 0 && !isLoading) {
    return (
      <Card title={resourceHeading(resource)}>
        <Empty title="No samples in this period">Choose a longer period, or zoom out.</Empty>
      </Card>
    )
  }
  return (
    <>
      <Card title={resourceHeading(resource)} actions={isLoading ? <span class="soft">Loading more</span> : undefined}>
        {samples.level === 'merged' && (
          <div>
            {mergedTexts(samples, view, resource.is_amount).map(text => (
              <p key={text}>{text}</p>
            ))}
          </div>
        )}
        <Legend series={samples.series} hidden={hidden} onHide={hide} preferred={samples.preferred} />
        <ChartGroup label={resourceHeading(resource)} {...{ view, onView, onReset }}>
          <Chart
            label={resourceHeading(resource)}
            texts={summaryTexts(samples, view, resource.is_amount)}
            series={shown}
            markers={markers}
            band={target}
            onPick={isDaily(samples) ? at => why.open(at.flatMap((i, n) => questionAt(shown[n], i))) : undefined}
            name={below.length > 0 ? formatTitle(resource.resource) : undefined}
          />
          <MarkerLegend markers={markers} view={view} />
          {target && <TargetRange {...{ ...props, target, shown }} />}
          <p class="soft data-note">{describeSamples(props)}</p>
          {below.map(each => (
            <BesideChart
              key={each.resource}
              {...{ ...props, resource: each }}
              onRemove={() => onBeside(beside.filter(name => name !== each.resource))}
            />
          ))}
        </ChartGroup>
        {why.dialog}
        <AddChart resources={others} onAdd={name => onBeside([...beside, name])} />
      </Card>
      <Card title={TABLE_TITLES[samples.level]} isFlush>
        <PointsTable
          userId={props.userId}
          label={`${resourceHeading(resource)}, as a table`}
          series={shown}
          view={view}
          {...(samples.level === 'samples' ? {} : { width: samples.width })}
        />
      </Card>
    </>
  )
}

/** Whether each number is of a day, so that it can be explained. */
const isDaily = (samples: Samples): boolean => samples.level === 'merged' && samples.width === DAY

const questionAt = (series: Samples['series'][number] | undefined, i: number): Question | [] =>
  (series && i >= 0 && questionOf(series, i)) || []

const TABLE_TITLES = { samples: 'Samples', buckets: 'Buckets', merged: 'Merged values' }

function describeSamples({ samples, view, isLoading, isMerged, resource }: DrawnProps): string {
  if (samples.level === 'merged') {
    const length = lengthText(bucketOf(samples.width))
    const what = resource.is_amount
      ? `The chart shows the amount of every ${length}. Each time counts once, for the best source that covers it.`
      : `The chart shows the lowest and highest value of every ${length}. The line is the mean. On each day, the values of one source count.`
    return `${what} ${isDaily(samples) ? 'Click a day to see where its number comes from.' : 'Numbers of days can be explained: zoom out.'}`
  }
  if (samples.level === 'buckets' && isLoading) return 'Single samples are loading.'
  if (samples.level === 'buckets')
    return `The chart shows the lowest and highest value of every ${lengthText(bucketOf(samples.width))}. The line is the mean. Zoom in to see single samples.`
  if (!samples.isComplete) return 'Only the first samples of this period are drawn. Zoom in to see all.'
  const drawn = samples.series.reduce((sum, each) => sum + (summarizeValues(each, view)?.count ?? 0), 0)
  const text = `${count(drawn)} ${drawn === 1 ? 'sample' : 'samples'} in this period`
  // without access to queries, nothing can be merged
  if (!isMerged) return `${text}, as stored by each source and not merged`
  return samples.only === null ? text : `${text}, all from ${samples.only}`
}
