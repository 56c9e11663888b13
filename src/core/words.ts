/** Lists of short words, written as one text. */

type Words<Line extends string> = Line extends `${infer First} ${infer Rest}`
  ? readonly [First, ...Words<Rest>]
  : readonly [Line]

/** Splits a text at single spaces into words with exact types. */
export function words<const Line extends string>(line: Line): Words<Line> {
  // the type expresses the result of split
  return line.split(' ') as unknown as Words<Line>
}
