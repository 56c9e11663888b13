/** A timeseries resource, with a chart and its summary in words, a table of points, and downloads. */

import { useId, useMemo } from 'preact/hooks'
import { formatTitle, unitText } from '../../../../catalogue/wording.ts'
import { summarizeValues, summaryText } from '../../../parts/chart/readout.ts'
import type { View } from '../../../parts/chart/series.ts'
import { TimeChart } from '../../../parts/chart/time-chart.tsx'
import { Card } from '../../../parts/page.tsx'
import { Empty, ProblemNote, Skeleton } from '../../../parts/states.tsx'
import { count } from '../../../parts/table.tsx'
import type { OwnResource, TimeseriesResource } from '../resources.ts'
import { bucketSummary, lengthText } from './buckets.ts'
import { Legend } from './legend.tsx'
import { MarkerTable, useMarkers } from './markers.tsx'
import { amountSummary, mergedTexts } from './merged.ts'
import { NotesTable } from './notes-table.tsx'
import { PointsTable } from './points-table.tsx'
import { TakeAway } from './take-away.tsx'
import { type Samples, useSamples } from './use-samples.ts'

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
  const { resource, samples, view, onView, onReset, hidden, onHide, markers, isLoading } = props
  const described = useId()
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
        <TimeChart
          label={resourceHeading(resource)}
          describedBy={described}
          series={shown}
          markers={markers}
          view={view}
          onView={onView}
          {...(onReset ? { onReset } : {})}
        />
        <ul class="data-summary" id={described}>
          {summaryTexts(samples, view, resource.is_amount).map(text => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        <p class="soft data-note">{describeSamples(props)}</p>
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

const TABLE_TITLES = { samples: 'Samples', buckets: 'Buckets', merged: 'Merged values' }

function summaryTexts(samples: Samples, view: View, isAmount: boolean): readonly string[] {
  if (samples.level === 'samples')
    return samples.series.map(each => summaryText(each.label, each.unit, summarizeValues(each, view)))
  if (samples.level === 'merged' && isAmount)
    return samples.series.map(each => amountSummary(each, samples.width, view))
  return samples.series.map(each => summaryText(each.label, each.unit, bucketSummary(each, samples.width, view)))
}

function describeSamples({ samples, view, isLoading, isMerged, resource }: DrawnProps): string {
  if (samples.level === 'merged') {
    const length = lengthText(samples.width)
    return resource.is_amount
      ? `The chart shows the amount of every ${length}. Each time counts once, for the best source that covers it.`
      : `The chart shows the lowest and highest value of every ${length}. On each day, the values of one source count.`
  }
  if (samples.level === 'buckets' && isLoading) return 'Single samples are loading.'
  if (samples.level === 'buckets')
    return `The chart shows the lowest and highest value of every ${lengthText(samples.width)}. Zoom in to see single samples.`
  if (!samples.isComplete) return 'Only the first samples of this period are drawn. Zoom in to see all.'
  const drawn = samples.series.reduce((sum, each) => sum + (summarizeValues(each, view)?.count ?? 0), 0)
  const text = `${count(drawn)} ${drawn === 1 ? 'sample' : 'samples'} in this period`
  // without access to queries, nothing can be merged
  if (!isMerged) return `${text}, as stored by each source and not merged`
  return samples.only === null ? text : `${text}, all from ${samples.only}`
}

function resourceHeading({ resource, unit }: TimeseriesResource): string {
  return [formatTitle(resource), unitText(unit)].filter(Boolean).join(', ')
}
