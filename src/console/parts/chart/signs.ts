/** Draws what is neither a line nor a bar: stages in rows, symbols of events, and the band of a target range. */
import type { ChartColors } from './colors.ts'
import { type Context, type Plot, xScale, yScale } from './draw.ts'
import { type ChartSeries, type Marker, shownIn } from './series.ts'

export type MarkerColors = Readonly<Record<Marker['kind'], string>>

const SIGN = 4.5
const LANES: Readonly<Record<Marker['kind'], number>> = { carbohydrates: 0, insulin: 1, meal: 2 }

/** Draws a symbol for each marker at the bottom of the plot: a triangle for insulin, a square for carbohydrates, a circle for a meal. */
export function drawMarkers(context: Context, markers: readonly Marker[], plot: Plot, colors: MarkerColors): void {
  const x = xScale(plot)
  const size = SIGN * plot.scale
  for (const marker of markers) {
    if (marker.at < plot.view.from || marker.at > plot.view.to) continue
    const at = x(marker.at)
    // one line for each kind, because a meal, its carbohydrates and its insulin are only minutes apart
    const foot = plot.top + plot.height - (2 * LANES[marker.kind] + 1) * (size + 2 * plot.scale)
    context.fillStyle = colors[marker.kind]
    context.globalAlpha = 0.25
    context.fillRect(at - plot.scale / 2, plot.top, plot.scale, plot.height)
    context.globalAlpha = 1
    context.beginPath()
    if (marker.kind === 'meal') context.arc(at, foot, size, 0, 2 * Math.PI)
    else if (marker.kind === 'carbohydrates') context.rect(at - size, foot - size, 2 * size, 2 * size)
    else {
      context.moveTo(at, foot - size)
      context.lineTo(at + size, foot + size)
      context.lineTo(at - size, foot + size)
    }
    context.fill()
  }
}

/** Fills the band between two values. */
export function drawBand(context: Context, [low, high]: readonly [number, number], plot: Plot, color: string): void {
  const y = yScale(plot)
  const top = Math.round(y(high))
  const height = Math.round(y(low)) - top
  context.fillStyle = color
  context.globalAlpha = 0.12
  context.fillRect(plot.left, top, plot.width, height)
  context.globalAlpha = 0.5
  for (const edge of [top, top + height]) context.fillRect(plot.left, edge, plot.width, plot.scale)
  context.globalAlpha = 1
}

/** Height of a stage, as a fraction of its row. */
const STAGE = 0.66

/** Draws stages as bars in their rows, with a line from each stage to the one that follows at once. */
export function drawRows(
  context: Context,
  series: ChartSeries,
  rows: NonNullable<ChartSeries['rows']>,
  plot: Plot,
  colors: ChartColors,
): void {
  const { at, until, low } = series
  const [x, y] = [xScale(plot), yScale(plot)]
  const [first, end] = shownIn(series, plot.view)
  for (let i = first; i < end; i++) {
    const row = low[i] ?? 0
    const [left, right] = [Math.round(x(at[i] ?? 0)), Math.round(x(until[i] ?? 0))]
    const [top, bottom] = [y(row + STAGE / 2), y(row - STAGE / 2)]
    context.fillStyle = colors.text
    if (i > 0 && until[i - 1] === at[i]) {
      const [from, to] = [y(row), y(low[i - 1] ?? 0)].sort((a, b) => a - b) as [number, number] // the two middles
      context.fillRect(left, from, plot.scale, to - from)
    }
    context.fillStyle = colors.series[(rows[row]?.color ?? 1) - 1] ?? colors.text
    context.fillRect(left, top, Math.max(plot.scale, right - left), bottom - top)
  }
}
