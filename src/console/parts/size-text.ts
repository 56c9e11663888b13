/** Formats sizes with a unit. */

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Returns a size in decimal units: `1.2 MB` for 1,234,567 bytes. */
export function sizeText(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1_000 && unit < UNITS.length - 1) {
    value /= 1_000
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}
