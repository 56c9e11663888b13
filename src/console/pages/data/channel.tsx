/** One channel measured during a night or a workout, as a small chart with a description in words. */
import { useId, useMemo } from 'preact/hooks'
import { summarizeValues, summaryText } from '../../parts/chart/readout.ts'
import type { ChartSeries, View } from '../../parts/chart/series.ts'
import { TimeChart } from '../../parts/chart/time-chart.tsx'

interface ChannelProps {
  readonly channel: ChartSeries
  /** The whole night or workout. */
  readonly whole: View
  /** The visible part, which all channels of a night or workout share. */
  readonly view: View
  readonly onView: (view: View) => void
  /** Whether this channel has the buttons that move and zoom. */
  readonly hasButtons: boolean
}

const HEIGHT = 130

export function Channel({ channel, whole, view, onView, hasButtons }: ChannelProps) {
  const described = useId()
  const series = useMemo(() => [channel], [channel])
  const isZoomed = view.from !== whole.from || view.to !== whole.to
  return (
    <section aria-label={channel.label} class="data-channel">
      <TimeChart
        label={channel.unit === '' ? channel.label : `${channel.label}, ${channel.unit}`}
        describedBy={described}
        series={series}
        view={view}
        onView={onView}
        {...(isZoomed ? { onReset: () => onView(whole) } : {})}
        height={HEIGHT}
        title={channel.label}
        hasButtons={hasButtons}
      />
      <p class="soft data-note" id={described}>
        {summaryText(channel.label, channel.unit, summarizeValues(channel, view))}
      </p>
    </section>
  )
}
