/** The aggregate functions over the rows of a group, one by one (interface-gaps 4.9, func; nulls are left out). */
import type { Row, Value } from './data.ts'
import { exactDeviation, exactMean, exactSum } from './exact.ts'
import { compareLists, standing } from './sources.ts'

/** A row with the value of the argument. */
export interface Entry {
  readonly row: Row
  readonly value: Value
}

/** What a function gives, and how far from it an answer may be beside the usual 1e-12 of it. */
export interface Outcome {
  readonly value: Value
  readonly slack: number
}

/** What a function gives of the entries. */
export function apply(func: string, entries: readonly Entry[]): Outcome {
  const kept = entries.filter(each => each.value !== null)
  if (func === 'count') return { value: kept.length, slack: 0 }
  if (kept.length === 0) return { value: null, slack: 0 }
  if (func === 'oldest' || func === 'newest') return { value: edge(func, kept), slack: 0 }
  const values = kept.map(each => each.value as number)
  return { value: applyToNumbers(func, values), slack: slackOf(func, values) }
}

/**
 * A store may add up tenths as whole numbers of tenths. That is the sum of the decimals, and 0.1 + 0.2 - 0.3 is nothing then,
 * while the doubles nearest to the three leave 2.8e-17: each of them is away from its decimal by half a unit in its last place.
 * Only this much is forgiven, and nothing where all values are equal.
 */
function slackOf(func: string, values: readonly number[]): number {
  const sizes = values.map(Math.abs)
  const unit = Number.EPSILON
  if (func === 'sum') return unit * sizes.reduce((sum, each) => sum + each, 0)
  if (func === 'mean') return (unit * sizes.reduce((sum, each) => sum + each, 0)) / values.length
  if (func === 'stddev' && values.some(each => each !== values[0])) return unit * Math.max(...sizes)
  return 0
}

/** mean, sum, min, max, median or stddev of at least one number. */
export function applyToNumbers(func: string, values: readonly number[]): Value {
  switch (func) {
    case 'mean':
      return exactMean(values)
    case 'sum':
      return exactSum(values)
    case 'min':
      return values.reduce((a, b) => (b < a ? b : a))
    case 'max':
      return values.reduce((a, b) => (b > a ? b : a))
    case 'stddev':
      return values.length < 2 ? null : exactDeviation(values)
    case 'median': {
      const sorted = [...values].sort((a, b) => a - b)
      const middle = sorted.slice(Math.floor((sorted.length - 1) / 2), Math.floor(sorted.length / 2) + 1)
      return exactMean(middle)
    }
    default:
      throw new Error(`the oracle knows no function ${func}`)
  }
}

/** Of equal times the better source's, and of one source's the first that was stored: whichever end is asked for. */
function edge(func: string, entries: readonly Entry[]): Value {
  const direction = func === 'oldest' ? 1 : -1
  const order = (a: Row, b: Row) =>
    (a.local - b.local) * direction ||
    (a.instant - b.instant) * direction ||
    compareLists(amongEquals(a), amongEquals(b))
  return entries.reduce((best, each) => (order(each.row, best.row) < 0 ? each : best)).value
}

/** The order of rows whose times are equal. */
export function amongEquals(row: Row): readonly (number | string)[] {
  return [...standing(row, [], [], ''), row.resource ?? '', row.type ?? '', row.stored]
}
