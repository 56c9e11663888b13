/** Lists of short words that are written as one text. */

type Words<Line extends string> = Line extends `${infer First} ${infer Rest}`
  ? readonly [First, ...Words<Rest>]
  : readonly [Line]

/** Returns the words of a text with single spaces between them. Their type is exact. */
export function words<const Line extends string>(line: Line): Words<Line> {
  // the type expresses the result of split
  return line.split(' ') as unknown as Words<Line>
}
