/** Charts under one another that share a time range, a cursor and one readout, with buttons that move and zoom all of them. */
import { type ComponentChildren, createContext } from 'preact'
import { useContext, useMemo, useRef } from 'preact/hooks'
import { Button } from '../button.tsx'
import { pannedLeft, pannedRight, zoomedIn, zoomedOut } from './gestures.ts'
import type { Plot, PlotContent } from './plot.ts'
import { readoutAt } from './readout.ts'
import type { View } from './series.ts'

/** A chart of the group that is drawn. */
export interface Member {
  readonly plot: Plot
  readonly element: HTMLElement
  /** `name` tells the series of several charts apart. */
  readonly content: () => PlotContent & { readonly name: string | undefined }
}

interface Group {
  readonly view: View
  readonly onView: (view: View) => void
  readonly members: Set<Member>
  /** Changes the view that the charts show now, which may be newer than that of the page. */
  readonly change: (by: (view: View) => View) => void
  /** Shows the time under the pointer of one chart in all of them. */
  readonly point: (of: Member, time: number | null) => void
}

const GroupContext = createContext<Group | null>(null)

/** Returns the group around a chart, which is never outside of one. */
export function useGroup(): Group {
  return useContext(GroupContext) as Group // as above
}

export interface ChartGroupProps {
  /** Name of the charts for the buttons, such as "Heart rate, bpm". */
  readonly label: string
  readonly view: View
  /** Called shortly after the view stops changing, so that the page can load missing data. */
  readonly onView: (view: View) => void
  /** Returns to the whole time range. */
  readonly onReset?: (() => void) | undefined
}

export function ChartGroup({
  label,
  view,
  onView,
  onReset,
  children,
}: ChartGroupProps & { children: ComponentChildren }) {
  const readout = useRef<HTMLParagraphElement>(null)
  const members = useMemo(() => new Set<Member>(), [])
  const group: Group = {
    ...{ view, onView, members },
    change: by => onView(by([...members][0]?.plot.view() ?? view)),
    point(of, time) {
      for (const each of members) if (each !== of) each.plot.point(time)
      const isBefore = (a: Member, b: Member) =>
        a.element.compareDocumentPosition(b.element) & Node.DOCUMENT_POSITION_FOLLOWING
      const inOrder = [...members].sort((a, b) => (isBefore(a, b) ? -1 : 1))
      const shown = inOrder.map(each => each.content())
      const named = shown.flatMap(({ series, name }) =>
        series.map(each => (name ? { ...each, label: `${name}: ${each.label}` } : each)),
      )
      const all = { series: named, markers: shown.flatMap(({ markers }) => markers) }
      if (readout.current) readout.current.textContent = time === null ? '' : readoutAt(all, time, of.plot.view())
    },
  }
  return (
    <GroupContext.Provider value={group}>
      <div class="chart">
        <div class="chart-tools">
          <p class="chart-readout" ref={readout} />
          <span class="row">
            <Button isSmall label={`Move ${label} to earlier times`} onClick={() => group.change(pannedLeft)}>
              ←
            </Button>
            <Button isSmall label={`Move ${label} to later times`} onClick={() => group.change(pannedRight)}>
              →
            </Button>
            <Button isSmall label={`Zoom in on ${label}`} onClick={() => group.change(zoomedIn)}>
              +
            </Button>
            <Button isSmall label={`Zoom out of ${label}`} onClick={() => group.change(zoomedOut)}>
              −
            </Button>
            {onReset && (
              <Button isSmall onClick={onReset}>
                Reset
              </Button>
            )}
          </span>
        </div>
        {children}
      </div>
    </GroupContext.Provider>
  )
}
