/** A figure with its course over some days, as small bars without a time axis. It needs no chart code. */
import type { ComponentChildren } from 'preact'
import { formatDate } from '../floating.ts'
import { count } from '../table.tsx'

/** A day's bar. `bad` is the failed part, which is drawn below the rest. */
export interface DayBar {
  /** ISO 8601 date. */
  readonly date: string
  readonly value: number
  readonly bad?: number
}

interface FigureProps {
  readonly title: string
  readonly n: number | string
  /** The list behind the figure. */
  readonly href?: string
  /** What the bars show, such as "New users". */
  readonly label: string
  /** Oldest first. */
  readonly days: readonly DayBar[]
  /** Explains the figure. Defaults to the label. */
  readonly children?: ComponentChildren
}

export function Figure({ title, n, href, label, days, children }: FigureProps) {
  return (
    <div class="figure">
      <h3>{href === undefined ? title : <a href={href}>{title}</a>}</h3>
      <p class="figure-value">{typeof n === 'number' ? count(n) : n}</p>
      <DayBars label={`${label} by day`} days={days} />
      <p class="soft">{children ?? `${label} by day`}</p>
    </div>
  )
}

const STEP = 10
const HEIGHT = 36

/** Bars of these days, each with a tooltip. Every bar stands on a line, so that a day without anything is visible. */
function DayBars({ label, days }: Pick<FigureProps, 'label' | 'days'>) {
  const most = Math.max(1, ...days.map(({ value, bad = 0 }) => value + bad))
  const height = (n: number): number => (n === 0 ? 0 : Math.max(1, (n / most) * (HEIGHT - 1)))
  return (
    <svg
      class="day-bars"
      viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`${label}: ${days.map(barText).join(', ')}`}
    >
      {days.map((day, i) => {
        const [good, bad] = [height(day.value), height(day.bad ?? 0)]
        const place = { x: i * STEP + 1, width: STEP - 2 }
        return (
          <g key={day.date}>
            <title>{barText(day)}</title>
            <rect class="day-bars-space" {...place} y={0} height={HEIGHT} />
            <rect {...place} y={HEIGHT - 1 - bad - good} height={good} />
            <rect class="day-bars-bad" {...place} y={HEIGHT - 1 - bad} height={bad} />
          </g>
        )
      })}
    </svg>
  )
}

function barText({ date, value, bad }: DayBar): string {
  const parts = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' } as const
  const failed = bad ? ` and ${count(bad)} failed` : ''
  return `${formatDate(Date.parse(date), parts)} ${count(Math.round(value))}${failed}`
}
