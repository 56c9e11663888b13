/** Reads the times in Health Auto Export files: `2024-02-06 14:30:00 -0800`, with a 12-hour clock on some phones. */
import { type RecordTime, readTime } from '../../shared/record-time.ts'

const HALF_DAY = /^(\d{4}-\d{2}-\d{2}) (\d{1,2})(:\d{2}:\d{2}) ([AP])M(.*)$/i

/** Returns the instant, or undefined if the value is not a time. A time without an offset is local time in `zone`; null means UTC. */
export function healthTime(value: unknown, zone: string | null): RecordTime | undefined {
  if (typeof value !== 'string') return undefined
  // phones put a narrow space before AM and PM
  const text = value.replaceAll(/[\u202f\u00a0]/g, ' ').trim()
  const half = HALF_DAY.exec(text)
  if (half === null) return readTime(text, zone)
  const [, date, hour, rest, letter, offset] = half
  if (Number(hour) < 1 || Number(hour) > 12) return undefined
  const hours = (Number(hour) % 12) + (letter?.toUpperCase() === 'P' ? 12 : 0)
  return readTime(`${date} ${String(hours).padStart(2, '0')}${rest}${offset}`, zone)
}
