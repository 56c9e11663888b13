/** A chart of a result whose rows stand for times. */
import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { ResultTable } from './results.tsx'

/** Columns of a result that can be drawn: times on the x axis, seconds since 1970, and up to six columns of numbers. */
export interface Drawable {
  readonly times: readonly number[]
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
}

const MOST_LINES = 6

export function ResultChart({ table }: { readonly table: ResultTable }) {
  const drawable = useMemo(() => drawableOf(table), [table])
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = host.current
    if (drawable === null || element === null) return
    let isGone = false
    let remove = (): void => {}
    import('./draw-result.ts').then(({ drawResult }) => {
      if (!isGone) remove = drawResult(element, drawable)
    })
    return () => {
      isGone = true
      remove()
    }
  }, [drawable])
  if (drawable === null) return null
  return (
    <figure class="result-chart">
      <div ref={host} />
      <figcaption class="soft">
        {drawable.lines.map(({ name, values }) => summaryOf(name, values)).join(' ')} The table below has the same
        values.
      </figcaption>
    </figure>
  )
}

/** Returns null if there is nothing to draw: no column of times, several rows for a time, or no numbers. */
export function drawableOf(table: ResultTable): Drawable | null {
  const [first, ...rest] = Object.entries(table)
  const times = first?.[1].map(cell =>
    typeof cell === 'string' ? Date.parse(`${cell.slice(0, 19)}${cell.length > 10 ? 'Z' : ''}`) / 1_000 : Number.NaN,
  )
  if (!times || times.length < 2 || times.some(Number.isNaN)) return null
  if (times.some((time, index) => index > 0 && time <= (times[index - 1] ?? 0))) return null
  const lines = rest
    .filter(([, cells]) => cells.some(cell => typeof cell === 'number'))
    .slice(0, MOST_LINES)
    .map(([name, cells]) => ({ name, values: cells.map(cell => (typeof cell === 'number' ? cell : null)) }))
  return lines.length === 0 ? null : { times, lines }
}

function summaryOf(name: string, values: readonly (number | null)[]): string {
  const known = values.filter(value => value !== null)
  const shown = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 2 })
  const least = known.reduce((low, value) => Math.min(low, value), Number.POSITIVE_INFINITY)
  const most = known.reduce((high, value) => Math.max(high, value), Number.NEGATIVE_INFINITY)
  return `${name}: ${known.length} values from ${shown(least)} to ${shown(most)}.`
}
