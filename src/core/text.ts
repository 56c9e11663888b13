/** Small texts: lists of words written as one string, and counts in digits. */

type Words<Line extends string> = Line extends `${infer First} ${infer Rest}`
  ? readonly [First, ...Words<Rest>]
  : readonly [Line]

/** Splits a string at single spaces into words with literal types. */
export function words<const Line extends string>(line: Line): Words<Line> {
  // the type describes the result of `split`
  return line.split(' ') as unknown as Words<Line>
}

/**
 * Returns an integer with commas between groups of three digits. `toLocaleString` returns the same, but its first call loads locale data,
 * which takes more than 10 ms.
 */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',')
}

/** Joins a list as in a sentence: `a, b and c`. */
export function listText(list: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(list)
}
