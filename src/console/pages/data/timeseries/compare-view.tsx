/** Two periods of the same length over one axis, with their totals or means and the difference. */
import { useState } from 'preact/hooks'
import { formatTitle } from '../../../../catalogue/wording.ts'
import { useLoader } from '../../../api/use-call.ts'
import { withUnit } from '../../../parts/chart/readout.ts'
import { firstAt, type View } from '../../../parts/chart/series.ts'
import { TimeChart } from '../../../parts/chart/time-chart.tsx'
import { Card } from '../../../parts/page.tsx'
import { PagedTable } from '../../../parts/paged-table.tsx'
import { knownIn, Period } from '../../../parts/period.tsx'
import { Empty, Loaded } from '../../../parts/states.tsx'
import { Table } from '../../../parts/table.tsx'
import { resourceHeading } from '../resources.ts'
import { type Compared, differenceText, type Figure, readCompared } from './compare.ts'
import type { SamplesRequest } from './raw.ts'

const PER_PAGE = 14

export function CompareView({ start, ...wanted }: SamplesRequest & { readonly start: number }) {
  const { userId, zone, resource, view } = wanted
  const key = `${userId} ${zone} ${resource.resource} ${view.from} ${view.to} ${start}`
  const load = useLoader(key, signal => readCompared(wanted, start, signal))
  const heading = resourceHeading(resource)
  return (
    <Loaded load={load} lines={12}>
      {compared =>
        compared.series.length > 0 ? (
          <Drawn key={key} {...{ ...compared, heading }} />
        ) : (
          <Card title={heading}>
            <Empty title="No samples in either period">Choose other periods.</Empty>
          </Card>
        )
      }
    </Loaded>
  )
}

function Drawn({ periods, names, bucket, series, figures, heading }: Compared & { readonly heading: string }) {
  const [whole, other] = periods as [View, View] // a comparison has two periods
  const [zoomed, setZoomed] = useState<View | null>(null)
  const title = `${formatTitle(bucket.unit)} by ${bucket.unit}`
  return (
    <>
      <Card title={`${heading}: ${names.join(', compared with ')}`}>
        <TimeChart
          label={heading}
          texts={series.map(({ label }) => label)}
          series={series}
          view={zoomed ?? whole}
          onView={setZoomed}
          onReset={zoomed ? () => setZoomed(null) : undefined}
        />
        <Table
          label="Comparison"
          columns={[
            { title: 'Number', cell: ({ name }: Figure) => name },
            ...names.map((name, i) => ({
              title: name,
              isNumber: true,
              cell: ({ values, unit }: Figure) =>
                typeof values[i] === 'number' ? withUnit(values[i], unit) : 'no data',
            })),
            { title: 'Difference', isNumber: true, cell: differenceText },
          ]}
          rows={figures}
          rowKey={({ name }) => name}
        />
      </Card>
      <Card title={title} isFlush>
        <PagedTable
          label={title}
          columns={[
            ...periods.map(({ from, to }, i) => ({
              title: i === 0 ? formatTitle(bucket.unit) : `Other ${bucket.unit}`,
              cell: (at: number) => (
                <Period at={at + i * (other.from - whole.from)} bucket={bucket} known={knownIn(from, to - 1)} />
              ),
            })),
            ...series.map(({ at, low, label, unit }) => ({
              title: label,
              isNumber: true,
              cell: (time: number) => {
                const i = firstAt(at, time)
                return at[i] === time ? withUnit(low[i] ?? 0, unit) : ''
              },
            })),
          ]}
          rows={[...new Set(series.flatMap(({ at }) => [...at]))].sort((a, b) => a - b)}
          rowKey={String}
          perPage={PER_PAGE}
          noun={`${bucket.unit}s`}
        />
      </Card>
    </>
  )
}
