/** Formats counts for people. */

/**
 * Returns an integer with commas between groups of three digits. `toLocaleString` returns the same, but its first call loads locale data,
 * which takes longer than starting Node.
 */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}
