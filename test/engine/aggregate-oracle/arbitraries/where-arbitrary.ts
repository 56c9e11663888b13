/** Generated where clauses: comparisons of every kind, combined in every way, with more and fewer parentheses than needed. */
import fc from 'fast-check'
import { DAY, printDate, printTime } from '../calendar.ts'
import type { Kind } from '../data.ts'
import { anyNumber, anyText } from './pools.ts'

const operator = fc.constantFrom('>', '>=', '<', '<=', '=', '!=')
const gap = fc.constantFrom('', ' ', '  ', '\n')
const word = (text: string) =>
  fc.constantFrom(text, text, text.toLowerCase(), `${text[0]}${text.slice(1).toLowerCase()}`)
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** A number in one of its possible notations. */
const written = anyNumber.chain(n =>
  fc.constantFrom(`${n}`, n >= 0 ? `+${n}` : `${n}`, n.toExponential(), Number.isInteger(n) ? `${n}.` : `${n}`),
)

/** The kinds of values on both sides of a comparison. */
type Side = 'number' | 'text' | 'bool' | 'time'
const chooseSide = (kind: Kind): Side =>
  kind === 'int' || kind === 'float' ? 'number' : kind === 'date' ? 'time' : kind

function literal(side: Side, base: number): fc.Arbitrary<string> {
  if (side === 'number') return written
  if (side === 'text') return anyText.map(quoted)
  if (side === 'bool') return fc.constantFrom('true', 'false', 'TRUE', 'False')
  return fc
    .tuple(fc.integer({ min: -60, max: 60 }), fc.integer({ min: 0, max: 47 }), fc.boolean())
    .map(([days, slot, whole]) =>
      quoted(whole ? printDate(base + days * DAY) : printTime(base + days * DAY + slot * 1_800_000)),
    )
}

/** Clauses over the given columns; preferred ones occur several times in `names`. */
export function whereClause(
  kinds: Readonly<Record<string, Kind>>,
  names: readonly string[],
  base: number,
): fc.Arbitrary<string> {
  const bySide = (side: Side) => names.filter(name => chooseSide(kinds[name] as Kind) === side)
  const comparison = fc.constantFrom(...names).chain(name => {
    const side = chooseSide(kinds[name] as Kind)
    const other = fc.oneof(
      { weight: 6, arbitrary: literal(side, base) },
      { weight: 1, arbitrary: fc.constantFrom(...bySide(side)) },
    )
    return fc
      .tuple(other, operator, gap, fc.boolean())
      .map(([right, op, space, turned]) => (turned ? [right, op, name] : [name, op, right]).join(space))
  })
  const constant = fc.constantFrom('1 < 2', "'a' = 'b'", 'true = true')
  const { clause } = fc.letrec<{ clause: string }>(tie => ({
    clause: fc.oneof(
      { maxDepth: 4, depthSize: 'medium' },
      { weight: 5, arbitrary: fc.oneof({ weight: 20, arbitrary: comparison }, constant) },
      { weight: 1, arbitrary: fc.tuple(word('NOT'), tie('clause')).map(([not, inner]) => `${not} ${inner}`) },
      { weight: 1, arbitrary: fc.tuple(gap, tie('clause')).map(([space, inner]) => `(${space}${inner}${space})`) },
      {
        weight: 4,
        arbitrary: fc
          .tuple(tie('clause'), fc.oneof(word('AND'), word('OR')), tie('clause'))
          .map(([left, join, right]) => `${left} ${join} ${right}`),
      },
      {
        weight: 2,
        arbitrary: fc
          .tuple(word('NOT'), tie('clause'), fc.oneof(word('AND'), word('OR')), tie('clause'))
          .map(([not, left, join, right]) => `${not}(${left}) ${join}(${right})`),
      },
    ),
  }))
  return clause.filter(text => text.length <= 4000)
}
