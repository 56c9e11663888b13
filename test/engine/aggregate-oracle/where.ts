/** The oracle's parser of where clauses: a predicate on a row that is true, false or unknown (null). */
import { readDate, readTime } from './calendar.ts'
import type { Kind, Value } from './data.ts'

/** The names that a clause may use. */
export interface Scope {
  /** Returns the kind of a name; undefined if there is no such column. */
  readonly kindOf: (name: string) => Kind | undefined
}

export type Truth = boolean | null
export type Predicate = (cell: (name: string) => Value) => Truth

interface Operand {
  readonly kind: Kind | 'quoted'
  readonly read: (cell: (name: string) => Value) => Value
}

const TOKEN =
  /\s*(?:('(?:[^']|'')*')|([A-Za-z_][\w.]*)|([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|(>=|<=|!=|[<>=()]))/y

function tokens(text: string): readonly string[] {
  const list: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const found = TOKEN.exec(text)
    if (!found) throw new Error('the oracle cannot read a where clause')
    list.push((found[1] ?? found[2] ?? found[3] ?? found[4]) as string)
  }
  return list
}

/** Parses a clause. Throws on unknown names, because the oracle gets only valid queries. */
export function readWhere(text: string, scope: Scope): Predicate {
  const list = tokens(text)
  let at = 0
  const isNext = (word: string): boolean => list[at]?.toUpperCase() === word
  const take = (word: string): boolean => isNext(word) && at++ >= 0

  function either(): Predicate {
    const left = both()
    if (!take('OR')) return left
    const right = either()
    return cell => {
      const [a, b] = [left(cell), right(cell)]
      if (a === true || b === true) return true
      return a === null || b === null ? null : false
    }
  }
  function both(): Predicate {
    const left = negation()
    if (!take('AND')) return left
    const right = both()
    return cell => {
      const [a, b] = [left(cell), right(cell)]
      if (a === false || b === false) return false
      return a === null || b === null ? null : true
    }
  }
  function negation(): Predicate {
    if (take('NOT')) {
      const inner = negation()
      return cell => {
        const truth = inner(cell)
        return truth === null ? null : !truth
      }
    }
    if (!take('(')) return comparison()
    const inner = either()
    if (!take(')')) throw new Error('the oracle misses a )')
    return inner
  }
  function operand(): Operand {
    const token = list[at++] as string
    if (token.startsWith("'")) {
      const quoted = token.slice(1, -1).split("''").join("'")
      return { kind: 'quoted', read: () => quoted }
    }
    if (/^(true|false)$/i.test(token)) return { kind: 'bool', read: () => token.toLowerCase() === 'true' }
    if (/^[-+.\d]/.test(token)) return { kind: 'float', read: () => Number(token) }
    const kind = scope.kindOf(token)
    if (!kind) throw new Error(`the oracle knows no column ${token}`)
    return { kind, read: cell => cell(token) }
  }
  function comparison(): Predicate {
    const left = operand()
    const operator = list[at++] as string
    const right = operand()
    const [readLeft, readRight] = [asTime(left, right), asTime(right, left)]
    return cell => {
      const [a, b] = [readLeft(cell), readRight(cell)]
      return a === null || b === null ? null : holds(operator, a, b)
    }
  }

  const whole = either()
  if (at !== list.length) throw new Error('the oracle read a where clause only in part')
  return whole
}

/** A quoted text compared with a time or date is one too. */
function asTime(operand: Operand, other: Operand): Operand['read'] {
  if (operand.kind !== 'quoted' || (other.kind !== 'time' && other.kind !== 'date')) return operand.read
  const text = operand.read(() => null) as string
  const time = readDate(text) ?? readTime(text)?.wall
  if (time === undefined) throw new Error('the oracle was given a time that is none')
  return () => time
}

function holds(operator: string, a: string | number | boolean, b: string | number | boolean): boolean {
  if (operator === '=') return a === b
  if (operator === '!=') return a !== b
  if (operator === '<') return a < b
  if (operator === '<=') return a <= b
  if (operator === '>') return a > b
  return a >= b
}
