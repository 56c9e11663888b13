/** The oracle's own time zones: asks `Intl` for the formatted offset of each half hour. */

const formats = new Map<string, Intl.DateTimeFormat>()
const known = new Map<string, number>()
const HALF_HOUR = 1_800_000

/** Returns the offset of a time zone at an instant, in seconds east of UTC. */
export function offsetOfZone(zone: string, at: number): number {
  const slot = Math.floor(at / HALF_HOUR)
  const key = `${zone} ${slot}`
  let offset = known.get(key)
  if (offset === undefined) {
    offset = read(zone, slot * HALF_HOUR)
    known.set(key, offset)
  }
  return offset
}

function read(zone: string, at: number): number {
  let format = formats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    formats.set(zone, format)
  }
  const name = format.formatToParts(at).find(part => part.type === 'timeZoneName')?.value ?? 'GMT'
  const found = /^GMT(?:([+-])(\d{2}):(\d{2})(?::(\d{2}))?)?$/.exec(name)
  if (!found) throw new Error(`an offset nobody expected: ${name}`)
  const size = Number(found[2] ?? 0) * 3600 + Number(found[3] ?? 0) * 60 + Number(found[4] ?? 0)
  return found[1] === '-' ? -size : size
}
