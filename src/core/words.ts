/** Lists of short words, written as one string. */

type Words<Line extends string> = Line extends `${infer First} ${infer Rest}`
  ? readonly [First, ...Words<Rest>]
  : readonly [Line]

/** Splits a string at single spaces into words with literal types. */
export function words<const Line extends string>(line: Line): Words<Line> {
  // the type describes the result of `split`
  return line.split(' ') as unknown as Words<Line>
}
