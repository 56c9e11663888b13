/** Draws a result with uPlot. Times of results are local times, so they are shown as they are. */
import uPlot from 'uplot'
import type { Drawable } from './result-chart.tsx'

const HEIGHT = 260
const COLORS = ['--series-1', '--series-2', '--series-3', '--series-4', '--series-5', '--series-6']

/** Returns a function that removes the chart. */
export function drawResult(host: HTMLElement, { times, lines }: Drawable): () => void {
  const styles = getComputedStyle(host)
  const color = (name: string): string => resolved(host, styles.getPropertyValue(name))
  const axis = {
    stroke: color('--soft'),
    grid: { stroke: color('--line'), width: 1 },
    ticks: { stroke: color('--line') },
  }
  const options: uPlot.Options = {
    width: host.clientWidth,
    height: HEIGHT,
    tzDate: seconds => uPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
    axes: [axis, { ...axis, size: 64 }],
    series: [
      { label: 'Time' },
      ...lines.map(({ name }, index) => ({
        label: name,
        stroke: color(COLORS[index] ?? '--ink'),
        width: 2,
        spanGaps: false,
      })),
    ],
  }
  const plot = new uPlot(options, [[...times], ...lines.map(({ values }) => [...values])], host)
  const observer = new ResizeObserver(() => plot.setSize({ width: host.clientWidth, height: HEIGHT }))
  observer.observe(host)
  return () => {
    observer.disconnect()
    plot.destroy()
  }
}

/** A canvas does not know light-dark(), so an element resolves the color. */
function resolved(host: HTMLElement, value: string): string {
  const probe = document.createElement('span')
  probe.style.color = value
  host.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}
