/** Dates of today, for fields that start with one. */

/** Today in the browser's zone, YYYY-MM-DD. */
export function today(): string {
  const now = new Date()
  const two = (value: number): string => `${value}`.padStart(2, '0')
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`
}
