/** Saves files on the user's computer, and formats sizes. */

/** Saves a file, like a download. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

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
