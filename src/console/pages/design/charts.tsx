/** The kinds of charts, with made-up values. */
import { useState } from 'preact/hooks'
import type { ChartSeries } from '../../parts/chart/series.ts'
import { TimeChart } from '../../parts/chart/time-chart.tsx'
import { Card } from '../../parts/page.tsx'

const HOUR = 3_600
const START = Date.UTC(2026, 10, 20) / 1_000
const WHOLE = { from: START, to: START + 24 * HOUR }

/** Returns hourly values, with a gap of two hours. */
function hourly(label: string, mark: ChartSeries['mark'], color: number, value: (hour: number) => number): ChartSeries {
  const hours = Float64Array.from({ length: 24 }, (_, hour) => hour).filter(hour => hour !== 9 && hour !== 10)
  const at = hours.map(hour => START + hour * HOUR)
  const low = hours.map(value)
  const until = mark === 'bars' ? at.map(time => time + HOUR) : at
  return { key: label, label, unit: '', mark, color, at, until, low, high: low, gap: 1.5 * HOUR }
}

const LEVELS = [1, 2, 3, 4, 5, 6].map(color =>
  hourly(`Series ${color}`, 'line', color, hour => 40 + 15 * color + 12 * Math.sin(hour / 3)),
)
const CHARTS = { Levels: LEVELS, Amounts: [hourly('Steps', 'bars', 1, hour => 400 + 50 * hour)] }

export function Charts() {
  const [view, setView] = useState(WHOLE)
  return (
    <Card title="Charts">
      {Object.entries(CHARTS).map(([label, series]) => (
        <TimeChart
          key={label}
          label={label}
          texts={series.map(each => each.label)}
          series={series}
          view={view}
          onView={setView}
          onReset={() => setView(WHOLE)}
          height={180}
        />
      ))}
    </Card>
  )
}
