/** Charts of other resources below the chart of a resource, with the same time range, buttons and cursor. */
import { formatTitle } from '../../../../catalogue/wording.ts'
import { Button } from '../../../parts/button.tsx'
import { Chart } from '../../../parts/chart/time-chart.tsx'
import { Field } from '../../../parts/field.tsx'
import { ProblemNote, Skeleton } from '../../../parts/states.tsx'
import { type OwnResource, resourceHeading, type TimeseriesResource } from '../resources.ts'
import { MarkerLegend, useMarkers } from './markers.tsx'
import type { SamplesRequest } from './raw.ts'
import { TargetRange, targetOf } from './target-range.tsx'
import { summaryTexts, useSamples } from './use-samples.ts'

const HEIGHT = 180

interface BesideChartProps extends SamplesRequest {
  readonly own: readonly OwnResource[]
  readonly isMerged: boolean
  /** Absent for a chart that cannot be removed. */
  readonly onRemove?: (() => void) | undefined
}

export function BesideChart(props: BesideChartProps) {
  const { userId, zone, resource, view, isMerged, onRemove } = props
  const { data, problem, reload } = useSamples({ userId, zone, resource }, view, isMerged)
  const markers = useMarkers(props, view)
  const target = targetOf(resource)
  const title = resourceHeading(resource)
  return (
    <section class="data-beside" aria-label={title}>
      <div class="chart-tools">
        <h3>{title}</h3>
        {onRemove && (
          <Button
            kind="quiet"
            isSmall
            label={`Remove the chart of ${formatTitle(resource.resource)}`}
            onClick={onRemove}
          >
            Remove
          </Button>
        )}
      </div>
      <ProblemNote problem={problem} onRetry={reload} />
      {data === undefined && problem === null && <Skeleton lines={4} />}
      {data && (
        <>
          <Chart
            label={title}
            texts={summaryTexts(data, view, resource.is_amount)}
            series={data.series}
            markers={markers.list}
            band={target}
            name={formatTitle(resource.resource)}
            height={HEIGHT}
          />
          <MarkerLegend markers={markers.list} view={view} />
          {target && <TargetRange {...props} {...{ target, samples: data, shown: data.series }} />}
        </>
      )}
    </section>
  )
}

interface AddChartProps {
  readonly resources: readonly TimeseriesResource[]
  readonly onAdd: (name: string) => void
}

export function AddChart({ resources, onAdd }: AddChartProps) {
  if (resources.length === 0) return null
  const options = resources.map(({ resource }) => ({ value: resource, label: formatTitle(resource) }))
  return (
    <div class="row">
      <Field
        label="Add a chart of"
        value=""
        options={[{ value: '', label: 'Choose a resource' }, ...options]}
        onChange={name => name !== '' && onAdd(name)}
      />
    </div>
  )
}
