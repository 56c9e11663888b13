/** Places and labels the ticks of a time axis. Times are floating: local clock times, regardless of the browser's zone. */
import { formatDate, toShown } from '../floating.ts'
import { bucketText, ONE_DAY } from '../period.tsx'

const MINUTE = 60
const HOUR = 3_600
const DAY = 86_400
const STEPS = [
  ...[0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30],
  ...[1, 2, 5, 10, 15, 30].map(each => each * MINUTE),
  ...[1, 2, 3, 6, 12].map(each => each * HOUR),
  ...[1, 2, 3, 5, 7, 14].map(each => each * DAY),
]
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120]
const MONTH = 30.44 * DAY

export interface TimeTicks {
  readonly at: readonly number[]
  readonly labels: readonly string[]
}

/** Returns the ticks for a time range, at least `room` seconds apart. The first label in a new day or year includes the day or year. */
export function timeTicks(from: number, to: number, room: number): TimeTicks {
  const step = STEPS.find(each => each >= room)
  const at = step === undefined ? monthTicks(from, to, room) : evenTicks(from, to, step)
  const isWithinDays = step !== undefined && step < DAY
  let dayBefore = ''
  const labels = at.map(tick => {
    const time = isWithinDays ? toShown(tick) : tick
    const date = new Date(time * 1000)
    // a tick every week needs no weekday
    const day =
      step !== undefined && step < 7 * DAY ? bucketText(time, ONE_DAY, 'year') : dateText(date, step === undefined)
    const isNewDay = day !== dayBefore
    dayBefore = day
    if (!isWithinDays) return day
    const clock = clockText(date, step)
    return isNewDay ? `${clock}\n${day}` : clock
  })
  return { at, labels }
}

function evenTicks(from: number, to: number, step: number): number[] {
  // weeks begin on Monday; the epoch was a Thursday
  const origin = step >= 7 * DAY ? -3 * DAY : 0
  const ticks: number[] = []
  for (let n = Math.ceil((from - origin) / step); n * step + origin <= to; n++) ticks.push(n * step + origin)
  return ticks
}

function monthTicks(from: number, to: number, room: number): number[] {
  const months = MONTH_STEPS.find(each => each * MONTH >= room) ?? 240
  const first = new Date(from * 1000)
  const ticks: number[] = []
  let month = Math.floor((first.getUTCFullYear() * 12 + first.getUTCMonth()) / months) * months
  for (let at = 0; at <= to; month += months) {
    at = Date.UTC(Math.floor(month / 12), month % 12, 1) / 1000
    if (at >= from && at <= to) ticks.push(at)
  }
  return ticks
}

function clockText(date: Date, step: number): string {
  const text = date.toISOString()
  if (step >= MINUTE) return text.slice(11, 16)
  return step >= 1 ? text.slice(11, 19) : text.slice(11, 21)
}

function dateText(date: Date, isMonth: boolean): string {
  return formatDate(date.getTime(), {
    timeZone: 'UTC',
    month: 'short',
    ...(isMonth ? { year: 'numeric' } : { day: 'numeric' }),
  })
}
