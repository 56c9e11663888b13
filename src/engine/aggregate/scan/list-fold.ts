/**
 * Reduces a list's elements to one number: keeps the elements for which a predicate is true, then applies a function. Indexed reads are
 * unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import type { ElementField } from '../../../catalogue/query/column.ts'
import type { AggregateFunction } from '../../../catalogue/query-functions.ts'
import { keptRows } from '../group/filter.ts'
import type { ColumnRef, ListFold } from '../plan/columns.ts'
import type { Predicate } from '../plan/where.ts'
import type { Block, BlockColumn } from './block.ts'
import { encodeCell } from './cell.ts'
import type { TextPool } from './text-pool.ts'

/** Returns the fold for a sub-query. Without a field, it counts elements. For an empty list, a count is 0 and any other result is null. */
export function listFold(
  func: AggregateFunction['name'],
  field: ElementField | null,
  where: Predicate | null,
): ListFold {
  return (elements, pool) => {
    const kept = where === null ? elements : filtered(elements, where, pool)
    if (field === null) return kept.length
    const values = kept.map(element => elementCell(element, field, pool)).filter(value => !Number.isNaN(value))
    return func === 'count' ? values.length : folded(func, values, field.type === 'text' ? pool : null)
  }
}

function elementCell(element: unknown, { name, type }: ElementField, pool: TextPool): number {
  if (name === 'element') return encodeCell(type, element, pool)
  const isStruct = typeof element === 'object' && element !== null
  return isStruct ? encodeCell(type, (element as Readonly<Record<string, unknown>>)[name], pool) : Number.NaN
}

function filtered(elements: readonly unknown[], where: Predicate, pool: TextPool): readonly unknown[] {
  if (elements.length === 0) return elements
  const kept = keptRows(where, elementBlock(elements, pool), pool)
  return kept ? elements.filter((_, i) => kept.rows[i] === 1) : elements
}

/**
 * Returns the elements as rows of a block, so that where clauses work on them as on any other rows. They have neither an index nor a
 * source.
 */
function elementBlock(elements: readonly unknown[], pool: TextPool): Block {
  const none = new Float64Array(elements.length).fill(Number.NaN)
  return {
    n: elements.length,
    source: { resource: null, provider: '', sourceType: '', type: null },
    local: none,
    instant: none,
    column: (ref: ColumnRef): BlockColumn => {
      if (ref.kind !== 'element') throw new Error('the where clause of a list reads only its elements')
      return Float64Array.from(elements, element => elementCell(element, ref.field, pool))
    },
  }
}

function folded(func: AggregateFunction['name'], values: readonly number[], texts: TextPool | null): number {
  if (values.length === 0) return Number.NaN
  switch (func) {
    case 'sum':
      return total(values)
    case 'mean':
      return total(values) / values.length
    case 'min':
      return extreme(values, 1, texts)
    case 'max':
      return extreme(values, -1, texts)
    case 'median':
      return middle(values.toSorted((a, b) => a - b))
    case 'stddev':
      return deviation(values)
    default:
      throw new Error(`${func} does not apply to lists`)
  }
}

/** Sums with Neumaier's compensation, like all sums here. */
function total(values: readonly number[]): number {
  let [sum, lost] = [0, 0]
  for (const value of values) {
    const next = sum + value
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum
    sum = next
  }
  return sum + lost
}

/** Returns the smallest value if `sign` is 1, or the largest if it is -1. Texts are compared by code unit. */
function extreme(values: readonly number[], sign: 1 | -1, texts: TextPool | null): number {
  const less = (a: number, b: number): boolean => (texts ? texts.text(a) < texts.text(b) : a < b)
  return values.reduce((best, value) => ((sign === 1 ? less(value, best) : less(best, value)) ? value : best))
}

function middle(sorted: readonly number[]): number {
  const half = sorted.length >> 1
  const upper = sorted[half] as number
  return sorted.length % 2 === 1 ? upper : ((sorted[half - 1] as number) + upper) / 2
}

/** Returns the sample standard deviation, or null for fewer than two values. */
function deviation(values: readonly number[]): number {
  if (values.length < 2) return Number.NaN
  const mean = total(values) / values.length
  return Math.sqrt(total(values.map(value => (value - mean) ** 2)) / (values.length - 1))
}
