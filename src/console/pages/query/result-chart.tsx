/** A chart of a result whose rows represent times. */
import { useMemo, useState } from 'preact/hooks'
import { summarizeValues, summaryText } from '../../parts/chart/readout.ts'
import type { ChartSeries, View } from '../../parts/chart/series.ts'
import { TimeChart } from '../../parts/chart/time-chart.tsx'
import { ONE_DAY } from '../../parts/period.tsx'

/** Margin at both ends, as a fraction of the time range, so that the first and last points are not cut off. */
const MARGIN = 0.02

interface ResultChartProps {
  /** At least one. */
  readonly series: readonly ChartSeries[]
  readonly label: string
  readonly onPick?: ((indexes: readonly number[]) => void) | undefined
}

export function ResultChart({ series, label, onPick }: ResultChartProps) {
  const whole = useMemo(() => wholeView(series), [series])
  const [view, setView] = useState<View | null>(null)
  const shown = view ?? whole
  return (
    <div class="result-chart">
      <TimeChart
        label={label}
        texts={series.map(each =>
          summaryText(each.label, each.unit, summarizeValues(each, shown), each.bucket ?? ONE_DAY),
        )}
        series={series}
        view={shown}
        onPick={onPick}
        onView={setView}
        {...(view === null ? {} : { onReset: () => setView(null) })}
        height={260}
      />
    </div>
  )
}

function wholeView(series: readonly ChartSeries[]): View {
  const from = Math.min(...series.map(({ at }) => at[0] ?? Number.POSITIVE_INFINITY))
  const to = Math.max(...series.map(({ until }) => until.at(-1) ?? Number.NEGATIVE_INFINITY))
  const room = (to - from) * MARGIN
  return { from: from - room, to: to + room }
}
