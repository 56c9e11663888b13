/**
 * A chart over time that can be zoomed and panned by dragging and with the wheel, fingers, keys and buttons. uPlot is loaded when the first
 * chart is shown.
 */
import type { RefObject } from 'preact'
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../button.tsx'
import { Skeleton } from '../states.tsx'
import { KEYS, pannedLeft, pannedRight, zoomedIn, zoomedOut } from './gestures.ts'
import type { Plot } from './plot.ts'
import { readoutAt } from './readout.ts'
import type { ChartSeries, Marker, View } from './series.ts'

interface TimeChartProps {
  /** Chart title, such as "Heart rate, bpm". */
  readonly label: string
  /** ID of the element that describes the chart with one sentence for each series. */
  readonly describedBy: string
  readonly series: readonly ChartSeries[]
  readonly markers?: readonly Marker[]
  readonly view: View
  /** Called shortly after the view stops changing, so that the page can load missing data. */
  readonly onView: (view: View) => void
  /** Returns to the whole time range. */
  readonly onReset?: () => void
  readonly height?: number
  /** Heading, if the page has several charts. */
  readonly title?: string
  /** Whether this chart has the buttons. If several charts share a view, only one has them, but the keys work on all. */
  readonly hasButtons?: boolean
}

/** Delay after a view change before the page is notified. */
const SETTLE_MS = 120
const NO_MARKERS: readonly Marker[] = []

export function TimeChart(props: TimeChartProps) {
  const {
    label,
    describedBy,
    series,
    markers = NO_MARKERS,
    view,
    onView,
    onReset,
    height = 320,
    title = '',
    hasButtons = true,
  } = props
  const target = useRef<HTMLDivElement>(null)
  const readout = useRef<HTMLParagraphElement>(null)
  const plot = usePlot(target, readout, { ...props, markers, height })
  const hint = useId()
  useEffect(() => plot?.fill({ series, markers }), [plot, series, markers])
  // a layout effect, because the next key may be pressed before the next frame, and changes the view that the plot shows
  useLayoutEffect(() => plot?.show(view), [plot, view.from, view.to])
  const change = (by: (view: View) => View): void => onView(by(plot?.view() ?? view))
  return (
    <div class="chart">
      <div class="chart-tools">
        {title !== '' && <h3>{title}</h3>}
        <p class="chart-readout" ref={readout} />
        {hasButtons && (
          <span class="row">
            <Button isSmall label={`Move ${label} to earlier times`} onClick={() => change(pannedLeft)}>
              ←
            </Button>
            <Button isSmall label={`Move ${label} to later times`} onClick={() => change(pannedRight)}>
              →
            </Button>
            <Button isSmall label={`Zoom in on ${label}`} onClick={() => change(zoomedIn)}>
              +
            </Button>
            <Button isSmall label={`Zoom out of ${label}`} onClick={() => change(zoomedOut)}>
              −
            </Button>
            {onReset && (
              <Button isSmall onClick={onReset}>
                Reset
              </Button>
            )}
          </span>
        )}
      </div>
      <div
        class="chart-plot"
        ref={target}
        // a chart that handles keys is a widget
        role="application"
        aria-roledescription="chart"
        aria-label={label}
        aria-describedby={`${describedBy} ${hint}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys zoom and pan
        tabIndex={0}
        onKeyDown={event => {
          const by = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key]
          if (by) {
            event.preventDefault()
            change(by)
          }
        }}
      >
        {plot === null && <Skeleton lines={6} />}
      </div>
      <p class="visually-hidden" id={hint}>
        Press plus or minus to zoom, and the left or right arrow key to move.
      </p>
    </div>
  )
}

type Latest = Required<Pick<TimeChartProps, 'series' | 'markers' | 'view' | 'onView' | 'height'>>

/** Loads uPlot and keeps one plot in the target. */
function usePlot(
  target: RefObject<HTMLDivElement | null>,
  readout: RefObject<HTMLParagraphElement | null>,
  props: Latest,
): Plot | null {
  const [plot, setPlot] = useState<Plot | null>(null)
  const latest = useRef(props)
  latest.current = props
  useEffect(() => {
    let created: Plot | null = null
    let isGone = false
    let timer: ReturnType<typeof setTimeout> | undefined
    import('./plot.ts').then(({ createPlot }) => {
      if (isGone || !target.current) return
      created = createPlot(target.current, latest.current.height, latest.current.view, {
        onView(view) {
          clearTimeout(timer)
          timer = setTimeout(() => latest.current.onView(view), SETTLE_MS)
        },
        onPointer(time) {
          if (readout.current && created)
            readout.current.textContent = time === null ? '' : readoutAt(latest.current, time, created.view())
        },
      })
      setPlot(created)
    })
    return () => {
      isGone = true
      clearTimeout(timer)
      created?.destroy()
    }
  }, [target, readout])
  return plot
}
