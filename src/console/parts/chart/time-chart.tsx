/**
 * A chart over time that can be zoomed and panned by dragging and with the wheel, fingers, keys and buttons. uPlot is loaded when the first
 * chart is shown.
 */
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Skeleton } from '../states.tsx'
import { ChartGroup, type ChartGroupProps, type Member, useGroup } from './chart-group.tsx'
import { KEYS } from './gestures.ts'
import type { Plot } from './plot.ts'
import { valueAt } from './readout.ts'
import type { ChartSeries, Marker } from './series.ts'

interface ChartProps {
  /** Chart title, such as "Heart rate, bpm". */
  readonly label: string
  /** Sentences that describe the chart. If there is one for each of several series, each is shown with the color of its series. */
  readonly texts: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly markers?: readonly Marker[]
  /** The lowest and highest value of a target range, drawn as a band. */
  readonly band?: readonly [number, number] | undefined
  /** Name for the readout, if series of other charts of the group have the same labels. */
  readonly name?: string | undefined
  readonly height?: number
  /** Called with the indexes of the values at a time that the user clicks, in the order of `series`; -1 where there is none. */
  readonly onPick?: ((indexes: readonly number[]) => void) | undefined
  /** Whether the time axis has labels. Of charts under one another, only the last one needs them. */
  readonly hasTimes?: boolean
}

/** Delay after a view change before the page is notified. */
const SETTLE_MS = 120
const NO_MARKERS: readonly Marker[] = []

/** A chart with its own buttons. */
export function TimeChart(props: ChartProps & ChartGroupProps) {
  const { label, view, onView, onReset } = props
  return (
    <ChartGroup {...{ label, view, onView, onReset }}>
      <Chart {...props} />
    </ChartGroup>
  )
}

/** A chart in a ChartGroup. */
export function Chart({
  label,
  texts,
  series,
  markers = NO_MARKERS,
  band,
  name,
  onPick,
  height = 320,
  hasTimes = true,
}: ChartProps) {
  const target = useRef<HTMLDivElement>(null)
  const group = useGroup()
  const [plot, setPlot] = useState<Plot | null>(null)
  const content = { series, markers, band, hasTimes, name }
  const latest = useRef({ group, content })
  latest.current = { group, content }
  const [hint, described] = [useId(), useId()]
  const { view } = group
  useLayoutEffect(() => {
    let member: Member | null = null
    let isGone = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const { members } = group
    const rows = series.find(each => each.rows)?.rows?.map(({ title }) => title)
    import('./plot.ts').then(({ createPlot }) => {
      if (isGone || !target.current) return
      const created = createPlot(
        target.current,
        { height, start: latest.current.group.view, content: latest.current.content, rows },
        {
          onView(next) {
            for (const each of members) if (each !== member) each.plot.show(next)
            clearTimeout(timer)
            timer = setTimeout(() => latest.current.group.onView(next), SETTLE_MS)
          },
          onPointer: time => member && latest.current.group.point(member, time),
        },
      )
      member = { plot: created, element: target.current, content: () => latest.current.content }
      members.add(member)
      setPlot(created)
    })
    return () => {
      isGone = true
      clearTimeout(timer)
      if (member) members.delete(member)
      member?.plot.destroy()
    }
  }, [])
  // layout effects, because others wait for the next frame, and before it, a key may change the view that the plot shows
  useLayoutEffect(() => plot?.fill(content), [series, markers, band, hasTimes])
  useLayoutEffect(() => plot?.show(view), [plot, view.from, view.to])
  return (
    <>
      <div
        class={onPick ? 'chart-plot chart-pick' : 'chart-plot'}
        ref={target}
        // a chart that handles keys is a widget
        role="application"
        aria-roledescription="chart"
        aria-label={label}
        aria-describedby={`${described} ${hint}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its keys zoom and pan
        tabIndex={0}
        // the table below the chart does the same with the keyboard
        onClick={event => {
          const over = event.currentTarget.querySelector('.u-over')?.getBoundingClientRect()
          if (!onPick || !plot || !over || event.shiftKey) return
          const { from, to } = plot.view()
          const time = from + ((event.clientX - over.left) / over.width) * (to - from)
          onPick(series.map(each => valueAt(each, time, plot.view())))
        }}
        onKeyDown={event => {
          const by = event.ctrlKey || event.metaKey || event.altKey ? undefined : KEYS[event.key]
          if (by) {
            event.preventDefault()
            group.change(by)
          }
        }}
      >
        {plot === null && <Skeleton lines={6} />}
      </div>
      <ul class="chart-texts" id={described}>
        {texts.map((text, i) => (
          <li key={text}>
            {series.length > 1 && texts.length === series.length && (
              <span class={`chart-key chart-key-${series[i]?.color}`} />
            )}
            {text}
          </li>
        ))}
      </ul>
      <p class="visually-hidden" id={hint}>
        Press plus or minus to zoom, and the left or right arrow key to move.
      </p>
    </>
  )
}
