/**
 * One chart on the page. uPlot draws axes, grid, pointer and selection; this module draws the series, because they have different times and
 * are too large to pass as one table.
 */
import uPlot from 'uplot'
import { type ChartColors, colorsIn, whenThemeChanges } from './colors.ts'
import { drawSeries } from './draw.ts'
import { listenForGestures } from './gestures.ts'
import { type ChartSeries, type Marker, type View, valuesIn } from './series.ts'
import { drawBand, drawMarkers, drawRows } from './signs.ts'
import { type TimeTicks, timeTicks } from './time-axis.ts'

export interface PlotContent {
  readonly series: readonly ChartSeries[]
  readonly markers: readonly Marker[]
  /** The lowest and highest value of a target range. */
  readonly band?: readonly [number, number] | undefined
  /** Whether the time axis has labels. */
  readonly hasTimes: boolean
}

interface PlotSettings {
  readonly height: number
  readonly start: View
  readonly content: PlotContent
  /** Names of the rows of stages, from the bottom; absent for a chart of numbers. */
  readonly rows: readonly string[] | undefined
}

export interface PlotEvents {
  /** Called for each frame during a gesture that changes the view. */
  readonly onView: (view: View) => void
  /** Called with the time under the pointer, or null when the pointer leaves. */
  readonly onPointer: (time: number | null) => void
}

export interface Plot {
  readonly show: (view: View) => void
  readonly fill: (content: PlotContent) => void
  readonly view: () => View
  /** Moves the cursor to a time, or hides it, without an event. */
  readonly point: (time: number | null) => void
  readonly destroy: () => void
}

const TICK_ROOM = 80
/** Minimum distance between two axis values, in pixels. */
const VALUE_ROOM = 22
/** Margin above and below the values, as a fraction of their range. */
const MARGIN = 0.08

export function createPlot(
  target: HTMLElement,
  { height, start, content: first, rows }: PlotSettings,
  events: PlotEvents,
): Plot {
  let view = start
  let content = first
  let values: readonly [number, number] = rows ? [-0.5, rows.length - 0.5] : [0, 1]
  let colors: ChartColors = colorsIn(target)
  let ticks: TimeTicks = { at: [], labels: [] }
  const font = `12px ${getComputedStyle(target).fontFamily}`

  const measureValues = (): void => {
    const found = valuesIn(content.series, view)
    // an empty view keeps the scale, so that the chart does not jump when it is panned across a gap
    if (!found || rows) return
    const { band = found } = content
    values = roomAround([Math.min(found[0], band[0]), Math.max(found[1], band[1])], content.series)
  }

  measureValues()
  const options: uPlot.Options = {
    width: Math.max(120, target.clientWidth),
    height,
    // half of the longest label of the time axis
    padding: [null, 36, null, null],
    legend: { show: false },
    scales: {
      x: { time: false, range: () => [view.from, view.to] },
      y: { range: () => [values[0], values[1]] },
    },
    axes: [
      {
        font,
        stroke: () => colors.text,
        grid: { stroke: () => colors.grid, width: 1 },
        ticks: { stroke: () => colors.grid, width: 1, size: 4 },
        size: () => (content.hasTimes ? 44 : 8),
        splits: plot => {
          const room = ((view.to - view.from) * TICK_ROOM) / Math.max(1, plot.bbox.width / devicePixelRatio)
          ticks = timeTicks(view.from, view.to, room)
          return [...ticks.at]
        },
        values: () => ticks.labels.map(label => (content.hasTimes ? label : '')),
      },
      {
        font,
        stroke: () => colors.text,
        grid: { stroke: () => colors.grid, width: 1 },
        ticks: { show: false },
        size: 56,
        space: VALUE_ROOM,
        ...(rows ? { splits: () => rows.map((_, row) => row), values: () => [...rows] } : {}),
      },
    ],
    series: [{}, { paths: () => null, points: { show: false } }],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false, dist: 4 },
      bind: {
        // dragging with Shift pans the view, which uPlot cannot do
        mousedown: (_plot, _target, handle) => event => {
          if (!event.shiftKey) handle(event)
          return null
        },
        dblclick: () => () => null,
      },
    },
    hooks: {
      draw: [plot => draw(plot)],
      setCursor: [
        plot => {
          const left = plot.cursor.left ?? -1
          events.onPointer(left < 0 ? null : plot.posToVal(left, 'x'))
        },
      ],
      setSelect: [
        plot => {
          const { left, width } = plot.select
          if (width <= 0) return
          const next = { from: plot.posToVal(left, 'x'), to: plot.posToVal(left + width, 'x') }
          plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
          changeView(next)
        },
      ],
    },
  }

  const plot = new uPlot(
    options,
    [
      [0, 1],
      [null, null],
    ],
    target,
  )

  function draw({ ctx, bbox }: uPlot): void {
    const [min, max] = values
    const area = { ...bbox, view, min, max, scale: devicePixelRatio }
    ctx.save()
    ctx.beginPath()
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
    ctx.clip()
    if (content.band) drawBand(ctx, content.band, area, colors.good)
    // reversed, so that the first series is on top
    for (const series of content.series.toReversed()) {
      if (series.rows) drawRows(ctx, series, series.rows, area, colors)
      else drawSeries(ctx, series, area, colors.series[series.color - 1] ?? colors.text)
    }
    drawMarkers(ctx, content.markers, area, colors)
    ctx.restore()
  }

  function redraw(): void {
    measureValues()
    plot.batch(() => {
      plot.setScale('x', { min: view.from, max: view.to })
      plot.setScale('y', { min: values[0], max: values[1] })
    })
  }

  function changeView(next: View): void {
    view = next
    redraw()
    events.onView(next)
  }

  const stops = [
    listenForGestures(plot.over, target, { view: () => view, show: changeView }),
    whenThemeChanges(() => {
      colors = colorsIn(target)
      plot.redraw(false, true)
    }),
  ]
  const sizes = new ResizeObserver(() => {
    const width = Math.max(120, target.clientWidth)
    if (width !== plot.width) plot.setSize({ width, height })
  })
  sizes.observe(target)
  // the texts next to the chart describe it, because the canvas has no text
  for (const canvas of target.querySelectorAll('canvas')) canvas.setAttribute('aria-hidden', 'true')

  return {
    show(next) {
      if (next.from === view.from && next.to === view.to) return
      view = next
      redraw()
    },
    fill(next) {
      const hasOtherAxis = next.hasTimes !== content.hasTimes
      content = next
      redraw()
      if (hasOtherAxis) plot.redraw(false, true)
    },
    view: () => view,
    point: time => plot.setCursor({ left: time === null ? -1 : plot.valToPos(time, 'x'), top: 0 }, false),
    destroy() {
      for (const stop of stops) stop()
      sizes.disconnect()
      plot.destroy()
    },
  }
}

function roomAround([min, max]: readonly [number, number], series: readonly ChartSeries[]): readonly [number, number] {
  const isFromZero = series.some(each => each.mark === 'bars')
  const room = (max - min) * MARGIN || Math.abs(max) * MARGIN || 1
  return [isFromZero && min >= 0 ? 0 : min - room, max + room]
}
