/**
 * A user's local times, computed as in the service (docs/aggregate.md): with the sample's own offset, or else in the user's fallback time
 * zone, or else in UTC. They are stored as seconds, as if they were UTC.
 */

/** Seconds in a day. In floating time, all days have the same length. */
export const DAY = 86_400
const QUARTER = 900
const formats = new Map<string, Intl.DateTimeFormat>()
/** Offsets by zone and quarter hour. */
const known = new Map<string, Map<number, number>>()

const texts = new Map<string, Intl.DateTimeFormat>()

/** Returns a time in milliseconds as British English text. Formats are kept, because making one takes as long as using it hundreds of times. */
export function formatDate(at: number, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify(options)
  const format = texts.get(key) ?? new Intl.DateTimeFormat('en-GB', options)
  texts.set(key, format)
  return format.format(at)
}

/** Returns the offset of a zone at an instant (Unix seconds), in seconds east of UTC; 0 for a zone that the browser does not know. */
export function offsetAt(zone: string | null, at: number): number {
  if (zone === null) return 0
  // time zones change their offset only at quarter hours
  const quarter = Math.floor(at / QUARTER) * QUARTER
  const offsets = known.get(zone) ?? new Map<number, number>()
  known.set(zone, offsets)
  const offset = offsets.get(quarter) ?? computeOffset(zone, quarter)
  offsets.set(quarter, offset)
  return offset
}

function computeOffset(zone: string, at: number): number {
  try {
    let format = formats.get(zone)
    if (!format) {
      const two = '2-digit'
      const parts = { year: 'numeric', month: two, day: two, hour: two, minute: two, second: two } as const
      format = new Intl.DateTimeFormat('en-CA', { ...parts, timeZone: zone, hourCycle: 'h23' })
      formats.set(zone, format)
    }
    const part = Object.fromEntries(format.formatToParts(at * 1000).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = part
    return Date.UTC(year, month - 1, day, hour, minute, second) / 1000 - at
  } catch {
    return 0
  }
}

/**
 * How texts show floating times: converted from the user's time zone to another one; null to leave them unchanged. It is set for the whole
 * page (time-zone.tsx), because charts also write texts, outside of components.
 */
let conversion: { readonly user: string | null; readonly shown: string } | null = null

/** Makes texts show floating times in the zone `shown`, or in the user's local time if it is null. */
export function convertTexts(user: string | null, shown: string | null): void {
  conversion = shown === null ? null : { user, shown }
}

/** Returns the clock time in the zone of texts for a floating time. */
export function toShown(floating: number): number {
  return conversion === null ? floating : toFloating(fromFloating(floating, conversion.user), null, conversion.shown)
}

/** Returns the floating time for an instant. If texts are converted, own offsets do not count, so that the instant can be found again. */
export function toFloating(instant: number, ownOffset: number | null, zone: string | null): number {
  return instant + (conversion === null && ownOffset !== null ? ownOffset : offsetAt(zone, instant))
}

/** Returns an instant that has the given floating time in the zone. */
export function fromFloating(floating: number, zone: string | null): number {
  return floating - offsetAt(zone, floating - offsetAt(zone, floating))
}

/** Returns a text such as `2026-11-03T08:00`, with seconds if they are not zero, as in the page's URLs. */
export function floatingText(floating: number): string {
  const text = new Date(Math.round(floating) * 1000).toISOString()
  return text.endsWith(':00.000Z') ? text.slice(0, 16) : text.slice(0, 19)
}

/** Parses a text of this form, or a date. Returns null for any other text. */
export function floatingFrom(text: string | undefined): number | null {
  if (text === undefined || !/^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?)?$/.test(text)) return null
  const at = Date.parse(text.length === 10 ? `${text}T00:00Z` : `${text}Z`)
  return Number.isNaN(at) ? null : at / 1000
}

/** Returns the date of a floating time, such as `2026-11-03`. */
export function floatingDate(floating: number): string {
  return new Date(floating * 1000).toISOString().slice(0, 10)
}

/** Returns an instant as text, as the service accepts it. */
export function instantText(instant: number): string {
  return new Date(instant * 1000).toISOString().replace('.000Z', 'Z')
}
