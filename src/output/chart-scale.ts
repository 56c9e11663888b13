/** Places the ticks on a chart's axes and labels them. */
import { present } from '../core/present.ts'
import { DAY_MS, type EpochMs, formatDate, formatFloating, HOUR_MS, MINUTE_MS, SECOND_MS } from '../core/time.ts'

export interface Tick {
  readonly at: number
  readonly label: string
}

/** A scale between the round values `from` and `to`, which enclose everything drawn. */
export interface ValueScale {
  readonly from: number
  readonly to: number
  readonly ticks: readonly Tick[]
}

/** Returns a scale with about `most` round steps around the values. */
export function valueScale(min: number, max: number, most: number): ValueScale {
  if (min === max) {
    const room = min === 0 ? 1 : Math.abs(min) / 10
    return valueScale(min - room, max + room, most)
  }
  const step = roundStep((max - min) / most)
  const first = Math.floor(min / step)
  const last = Math.ceil(max / step)
  if (!(step > 0 && Number.isFinite(step) && last - first <= 2 * most + 2)) {
    // the values are so large, or so close together, that a double cannot represent the number of steps between them
    return { from: min, to: max, ticks: [min, max].map(at => ({ at, label: at.toPrecision(4) })) }
  }
  const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => {
    const at = (first + i) * step
    return { at, label: valueLabel(at, decimals) }
  })
  return { from: first * step, to: last * step, ticks }
}

/** Returns the smallest 1, 2 or 5 times a power of ten that is at least the size. */
function roundStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size))
  return ([1, 2, 5, 10].find(each => each * power >= size * (1 - 1e-9)) ?? 10) * power
}

function valueLabel(value: number, decimals: number): string {
  if (Math.abs(value) >= 1e9) return value.toExponential(2)
  // -0, or small negative values that were rounded to -0
  return value.toFixed(decimals).replace(/^-(0(?:\.0*)?)$/, '$1')
}

export interface TimeTick extends Tick {
  /** The part that the label omits (a time's date, or a date's year), set where it changes. */
  readonly context: string | null
}

type Kind = 'time' | 'day' | 'month' | 'year'
interface Step {
  readonly kind: Kind
  /** Approximate length of a step, in milliseconds. */
  readonly size: number
  readonly count: number
}

const YEAR_MS = 365.25 * DAY_MS
const steps = (kind: Kind, unit: number, counts: readonly number[]): Step[] =>
  counts.map(count => ({ kind, size: count * unit, count }))

const STEPS: readonly Step[] = [
  ...steps('time', SECOND_MS, [1, 5, 15, 30]),
  ...steps('time', MINUTE_MS, [1, 2, 5, 10, 15, 30]),
  ...steps('time', HOUR_MS, [1, 2, 3, 6, 12]),
  ...steps('day', DAY_MS, [1, 2, 7, 14]),
  ...steps('month', YEAR_MS / 12, [1, 3, 6]),
  ...steps('year', YEAR_MS, [1, 2, 5, 10, 20, 50, 100, 1000, 10_000, 100_000]),
]
/** The first Monday after the epoch, because weeks begin on Monday. */
const MONDAY = 4 * DAY_MS

/** Returns at most `most` ticks at round UTC times. */
export function timeTicks(from: EpochMs, to: EpochMs, most: number): readonly TimeTick[] {
  const step = STEPS.find(({ size }) => (to - from) / size <= most - 1) ?? (STEPS.at(-1) as Step)
  let shown = ''
  return tickTimes(step, from, to).map(at => {
    const { label, context } = timeNames(step, at)
    const isNew = context !== shown
    shown = context
    return { at, label, context: isNew ? context : null }
  })
}

function tickTimes({ kind, size, count }: Step, from: EpochMs, to: EpochMs): EpochMs[] {
  const times: EpochMs[] = []
  if (kind === 'time' || kind === 'day') {
    const origin = kind === 'day' && count % 7 === 0 ? MONDAY : 0
    for (let at = Math.ceil((from - origin) / size) * size + origin; at <= to; at += size) times.push(at)
    return times
  }
  const months = kind === 'year' ? count * 12 : count
  const first = new Date(from)
  let month = Math.floor((first.getUTCFullYear() * 12 + first.getUTCMonth()) / months) * months
  for (; ; month += months) {
    const at = new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, 1)
    if (!(at <= to)) return times
    if (at >= from) times.push(at)
  }
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function timeNames({ kind, size }: Step, at: EpochMs): { readonly label: string; readonly context: string } {
  const date = new Date(at)
  const year = String(date.getUTCFullYear())
  const month = present(MONTHS[date.getUTCMonth()], 'a month')
  switch (kind) {
    case 'time':
      return { label: formatFloating(at).slice(11, size < MINUTE_MS ? 19 : 16), context: formatDate(at) }
    case 'day':
      return { label: `${month} ${date.getUTCDate()}`, context: year }
    case 'month':
      return { label: month, context: year }
    case 'year':
      return { label: year, context: '' }
  }
}
