/** Points in time, in the time zone that the user chose. */
import { useEngineClock } from '../api/engine-clock.tsx'
import { formatDate } from './floating.ts'
import { useTimeZone } from './time-zone.tsx'

interface TimeProps {
  /** ISO 8601 date-time; null if there is none. */
  readonly at: string | null | undefined
  readonly withSeconds?: boolean
}

/** A date and time; the tooltip contains the zone. */
export function Time({ at, withSeconds = false }: TimeProps) {
  const zone = useTimeZone()
  if (!at) return <span class="soft">never</span>
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return <span>{at}</span>
  return (
    <time dateTime={at} title={`${zone}; ${at}`}>
      {exactText(date, zone, withSeconds)}
    </time>
  )
}

interface AgoProps extends Pick<TimeProps, 'at'> {
  /** The clock that the time is from. */
  readonly clock?: 'engine' | 'real'
}

/** The distance of a time from now, for lists. The tooltip and screen readers have the exact time. */
export function Ago({ at, clock = 'engine' }: AgoProps) {
  const zone = useTimeZone()
  const { now } = useEngineClock()
  const time = Date.parse(at ?? '')
  const distance = distanceText((time - (clock === 'engine' ? now : Date.now())) / 1000)
  if (!at || distance === null) return <Time at={at} />
  const exact = exactText(new Date(time), zone, true)
  return (
    <time dateTime={at} title={`${exact}, ${zone}`}>
      <span aria-hidden="true">{distance}</span>
      <span class="visually-hidden">{exact}</span>
    </time>
  )
}

function exactText(date: Date, timeZone: string, withSeconds: boolean): string {
  return formatDate(date.getTime(), {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    ...(withSeconds ? { second: '2-digit' } : {}),
    timeZone,
  })
}

const DISTANCES = new Intl.RelativeTimeFormat('en')
const UNITS = [
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3_600 },
  { unit: 'minute', seconds: 60 },
] as const
/** A date says more about a time that is further away. */
const FURTHEST_SECONDS = 30 * 86_400

/** Returns a distance such as `3 minutes ago` or `in 2 days`; null if it is too long, or not a number. */
function distanceText(seconds: number): string | null {
  const size = Math.abs(seconds)
  if (!(size < FURTHEST_SECONDS)) return null
  const found = UNITS.find(each => size >= each.seconds)
  if (found) return DISTANCES.format(Math.trunc(seconds / found.seconds), found.unit)
  // clocks of the browser and the server differ a little
  return seconds < 10 ? 'just now' : 'in less than a minute'
}
