/** Draws series on a canvas with at most a few points for each pixel column, so that drawing time depends only on the width. */
import { type ChartSeries, shownIn, type View } from './series.ts'

/** The rectangle of the plot on the canvas, in canvas pixels, and its range of values. */
export interface Plot {
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
  readonly view: View
  readonly min: number
  readonly max: number
  /** Number of canvas pixels for each page pixel. */
  readonly scale: number
}

export type Context = CanvasRenderingContext2D

const LINE_WIDTH = 1.5
const DOT_RADIUS = 2.5
/** Minimum width of a bar, if there is room. It is needed because a sum that is stored for an instant has no width. */
const BAR_WIDTH = 4
/** Minimum distance between values, in pixels, for marking each value with a dot on the line. */
const ROOM_FOR_DOTS = 12
/** Number of values per pixel column above which a line is drawn as vertical strokes, which are many times faster to fill. */
const DENSE = 3
/** Opacity of filled shapes, so that shapes behind them are visible. */
const SOLIDITY = 0.8
/** Opacity of ranges behind the line of their means. */
const FAINT = 0.3

export function drawSeries(context: Context, series: ChartSeries, plot: Plot, color: string): void {
  context.strokeStyle = color
  context.fillStyle = color
  context.lineWidth = LINE_WIDTH * plot.scale
  context.lineJoin = 'bevel'
  if (series.mark === 'bars') drawBars(context, series, plot)
  else if (series.mark === 'dots') drawDots(context, series, plot)
  else {
    const [first, end] = shownIn(series, plot.view)
    const isDense = end - first > plot.width * DENSE
    if (series.low !== series.high) {
      const { mean } = series
      drawRanges(context, series, plot)
      if (mean) drawLine(context, { ...series, low: mean, high: mean }, plot)
    } else if (isDense) drawColumns(context, series, plot)
    else drawLine(context, series, plot)
    if (series.low === series.high && (end - first) * ROOM_FOR_DOTS * plot.scale < plot.width)
      drawDots(context, series, plot)
  }
}

export const xScale = ({ left, width, view }: Plot) => {
  const perSecond = width / (view.to - view.from)
  return (at: number): number => left + (at - view.from) * perSecond
}
export const yScale = ({ top, height, min, max }: Plot) => {
  const perUnit = height / (max - min || 1)
  return (value: number): number => top + height - (value - min) * perUnit
}

/** Draws a line. The line enters a pixel column at the first value, spans the lowest to the highest value, and leaves at the last value. */
function drawLine(context: Context, series: ChartSeries, plot: Plot): void {
  const { at, until, low, high } = series
  const [first, end] = shownIn(series, plot.view)
  const [x, y] = [xScale(plot), yScale(plot)]
  // adjacent columns look connected anyway
  const gap = Math.max(series.gap, (1.5 * (plot.view.to - plot.view.from)) / plot.width)
  let column = Number.NaN
  let [min, max, last] = [0, 0, 0]
  // whether the line is still in its first column
  let isAlone = false
  let ended = Number.NEGATIVE_INFINITY
  const flush = (): void => {
    if (Number.isNaN(column)) return
    if (min !== max) {
      context.lineTo(column, y(min))
      context.lineTo(column, y(max))
    }
    context.lineTo(column, y(last))
  }
  const finish = (): void => {
    flush()
    // a line of length zero would not be drawn, so a value between two gaps becomes a dash
    if (!isAlone) return
    context.moveTo(column - plot.scale, y(last))
    context.lineTo(column + plot.scale, y(last))
  }
  context.beginPath()
  for (let i = first; i < end; i++) {
    const time = at[i] as number // the index is within the arrays
    const value = low[i] as number
    const top = high[i] as number
    const here = Math.round(x(time))
    if (time - ended > gap) {
      finish()
      column = Number.NaN
    }
    if (here === column) {
      if (value < min) min = value
      if (top > max) max = top
    } else {
      const isStart = Number.isNaN(column)
      flush()
      isAlone = isStart
      column = here
      min = value
      max = top
      if (isStart) context.moveTo(here, y(value))
      else context.lineTo(here, y(value))
    }
    last = top
    ended = until[i] as number
    if (ended > time) {
      const stop = Math.round(x(ended))
      if (stop > here) {
        isAlone = false
        flush()
        context.lineTo(stop, y(top))
        column = stop
        min = top
        max = top
      }
    }
  }
  finish()
  context.stroke()
}

/** Fills each pixel column from its lowest to its highest value, and extends it to where the previous column ended. */
function drawColumns(context: Context, series: ChartSeries, plot: Plot): void {
  const { at, low, high } = series
  const [first, end] = shownIn(series, plot.view)
  const [x, y] = [xScale(plot), yScale(plot)]
  const stroke = Math.max(1, Math.round(plot.scale))
  context.globalAlpha = SOLIDITY
  let column = Number.NaN
  let [min, max, last] = [0, 0, 0]
  const flush = (): void => {
    if (Number.isNaN(column)) return
    const top = Math.round(y(max))
    context.fillRect(column, top, stroke, Math.max(stroke, Math.round(y(min)) - top))
  }
  for (let i = first; i < end; i++) {
    const here = Math.round(x(at[i] as number)) // the index is within the arrays
    const value = low[i] as number
    const top = high[i] as number
    if (here === column) {
      if (value < min) min = value
      if (top > max) max = top
    } else {
      flush()
      const isNext = here - column <= stroke
      min = isNext && last < value ? last : value
      max = isNext && last > top ? last : top
      column = here
    }
    last = top
  }
  flush()
  context.globalAlpha = 1
}

/** Draws buckets of samples, each as a box from its lowest to its highest value. */
function drawRanges(context: Context, series: ChartSeries, plot: Plot): void {
  const { at, until, low, high, mean } = series
  const [first, end] = shownIn(series, plot.view)
  const [x, y] = [xScale(plot), yScale(plot)]
  const least = Math.max(1, Math.round(plot.scale))
  context.globalAlpha = mean ? FAINT : SOLIDITY
  for (let i = first; i < end; i++) {
    const left = Math.round(x(at[i] as number)) // the index is within the arrays
    const top = Math.round(y(high[i] as number))
    const width = Math.round(x(until[i] as number)) - left
    context.fillRect(left, top, Math.max(least, width), Math.max(least, Math.round(y(low[i] as number)) - top))
  }
  context.globalAlpha = 1
}

/** Draws bars. The height of a bar is one measured value, the largest in its pixel column. */
function drawBars(context: Context, series: ChartSeries, plot: Plot): void {
  const { at, until, high } = series
  const [first, end] = shownIn(series, plot.view)
  const [x, y] = [xScale(plot), yScale(plot)]
  const foot = y(0)
  const [lane, lanes] = series.lane ?? [0, 1]
  context.globalAlpha = SOLIDITY
  let [column, tallest, stop] = [Number.NaN, 0, 0]
  const flush = (next: number): void => {
    if (Number.isNaN(column)) return
    const room = Math.max(stop, Math.min(next, column + BAR_WIDTH * plot.scale)) - column
    // a thin gap between adjacent bars, if there is room
    const width = Math.max(1, room > 4 * plot.scale ? room - plot.scale : room)
    const height = Math.max(Math.abs(foot - tallest), 1)
    context.fillRect(column + (width * lane) / lanes, tallest < foot ? foot - height : foot, width / lanes, height)
  }
  for (let i = first; i < end; i++) {
    const here = Math.round(x(at[i] as number)) // the index is within the arrays
    const top = y(high[i] as number)
    const to = Math.round(x(until[i] as number))
    if (here === column) {
      if (Math.abs(foot - top) > Math.abs(foot - tallest)) tallest = top
      if (to > stop) stop = to
      continue
    }
    flush(here)
    column = here
    tallest = top
    stop = Math.max(to, here + 1)
  }
  flush(Number.POSITIVE_INFINITY)
  context.globalAlpha = 1
}

function drawDots(context: Context, series: ChartSeries, plot: Plot): void {
  const { at, low, high } = series
  const [first, end] = shownIn(series, plot.view)
  const [x, y] = [xScale(plot), yScale(plot)]
  const radius = DOT_RADIUS * plot.scale
  context.beginPath()
  let [before, beforeY] = [Number.NaN, Number.NaN]
  for (let i = first; i < end; i++) {
    const px = Math.round(x(at[i] as number)) // the index is within the arrays
    const py = Math.round(y(low[i] as number))
    const top = Math.round(y(high[i] as number))
    if (px === before && py === beforeY && top === py) continue
    context.moveTo(px + radius, py)
    context.arc(px, py, radius, 0, 2 * Math.PI)
    if (top !== py) context.rect(px - radius / 2, top, radius, py - top)
    before = px
    beforeY = py
  }
  context.fill()
}
