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
}

export function TimeseriesView(props: TimeseriesViewProps) {
  const { userId, zone, resource, own, view, onView, onReset } = props
  const load = useSamples({ userId, zone, resource }, view)
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

function Drawn({ resource, samples, view, onView, onReset, hidden, onHide, markers, isLoading }: DrawnProps) {
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
  const texts =
    samples.level === 'buckets'
      ? samples.series.map(each => summaryText(each.label, each.unit, bucketSummary(each, samples.width, view)))
      : samples.series.map(each => summaryText(each.label, each.unit, summarizeValues(each, view)))
  return (
    <>
      <Card title={resourceHeading(resource)} actions={isLoading ? <span class="soft">Loading more</span> : undefined}>
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
          {texts.map(text => (
            <li key={text}>{text}</li>
          ))}
        </ul>
        <p class="soft data-note">{describeSamples(samples, view, isLoading)}</p>
      </Card>
      <Card title={samples.level === 'buckets' ? 'Buckets' : 'Samples'} isFlush>
        <PointsTable
          label={`${resourceHeading(resource)}, as a table`}
          series={shown}
          view={view}
          {...(samples.level === 'buckets' ? { width: samples.width } : {})}
        />
      </Card>
    </>
  )
}

function describeSamples(samples: Samples, view: View, isLoading: boolean): string {
  if (samples.level === 'buckets' && isLoading) return 'Single samples are loading.'
  if (samples.level === 'buckets')
    return `The chart shows the lowest and highest value of every ${lengthText(samples.width)}. Zoom in to see single samples.`
  if (!samples.isComplete) return 'Only the first samples of this period are drawn. Zoom in to see all.'
  const drawn = samples.series.reduce((sum, each) => sum + (summarizeValues(each, view)?.count ?? 0), 0)
  return `${count(drawn)} ${drawn === 1 ? 'sample' : 'samples'} in this period`
}

function resourceHeading({ resource, unit }: TimeseriesResource): string {
  return [formatTitle(resource), unitText(unit)].filter(Boolean).join(', ')
}
