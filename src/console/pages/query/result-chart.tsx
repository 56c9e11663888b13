/** A chart of a result whose rows represent times. */
import { useId, useMemo, useState } from 'preact/hooks'
import { summarizeValues, summaryText } from '../../parts/chart/readout.ts'
import type { ChartSeries, View } from '../../parts/chart/series.ts'
import { TimeChart } from '../../parts/chart/time-chart.tsx'
import { type ResultTable, resultSeries } from './result-series.ts'

/** Margin at both ends, as a fraction of the time range, so that the first and last points are not cut off. */
const MARGIN = 0.02

export function ResultChart({ table, label }: { readonly table: ResultTable; readonly label: string }) {
  const series = useMemo(() => resultSeries(table), [table])
  const whole = useMemo(() => wholeView(series), [series])
  const [view, setView] = useState<View | null>(null)
  const described = useId()
  if (series.length === 0) return null
  const shown = view ?? whole
  return (
    <div class="result-chart">
      <TimeChart
        label={label}
        describedBy={described}
        series={series}
        view={shown}
        onView={setView}
        {...(view === null ? {} : { onReset: () => setView(null) })}
        height={260}
      />
      <ul class="data-summary" id={described}>
        {series.map(each => (
          <li key={each.key} class="data-keyed">
            <span class={`chart-key chart-key-${each.color}`} />
            {summaryText(each.label, each.unit, summarizeValues(each, shown), true)}
          </li>
        ))}
      </ul>
    </div>
  )
}

function wholeView(series: readonly ChartSeries[]): View {
  const from = Math.min(...series.map(({ at }) => at[0] ?? Number.POSITIVE_INFINITY))
  const to = Math.max(...series.map(({ until }) => until.at(-1) ?? Number.NEGATIVE_INFINITY))
  const room = (to - from) * MARGIN
  return { from: from - room, to: to + room }
}
