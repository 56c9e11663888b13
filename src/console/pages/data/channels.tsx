/** What was measured during a night or a workout, as charts under one another with one cursor. */
import { useMemo } from 'preact/hooks'
import { ChartGroup, type ChartGroupProps } from '../../parts/chart/chart-group.tsx'
import { summarizeValues, summaryText } from '../../parts/chart/readout.ts'
import type { ChartSeries, View } from '../../parts/chart/series.ts'
import { Chart } from '../../parts/chart/time-chart.tsx'

interface ChannelsProps extends Omit<ChartGroupProps, 'onReset'> {
  readonly channels: readonly ChartSeries[]
  /** The whole night or workout. */
  readonly whole: View
  /** Describes the stages, which have no numbers. */
  readonly stagesText?: string
}

const HEIGHT = 112
/** Height of a row of stages. */
export const ROW_HEIGHT = 28
/** Height of the labels of the time axis, which only the last chart has. */
const TIMES = 36

export function Channels({ label, channels, whole, view, onView, stagesText = '' }: ChannelsProps) {
  const lists = useMemo(() => channels.map(each => [each]), [channels])
  const isZoomed = view.from !== whole.from || view.to !== whole.to
  return (
    <ChartGroup {...{ label, view, onView }} onReset={isZoomed ? () => onView(whole) : undefined}>
      {lists.map(([each], i) => {
        if (!each) return null
        const { key, label: name, unit, rows } = each
        const isLast = i === lists.length - 1
        return (
          <Chart
            key={key}
            label={unit === '' ? name : `${name}, ${unit}`}
            texts={[rows ? stagesText : summaryText(name, unit, summarizeValues(each, view))]}
            series={lists[i] ?? []}
            height={(rows ? rows.length * ROW_HEIGHT : HEIGHT) + (isLast ? TIMES : 0)}
            hasTimes={isLast}
          />
        )
      })}
    </ChartGroup>
  )
}
