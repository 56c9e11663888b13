/** The aggregate functions over the rows of a group; nulls are left out. See docs/interface/aggregates.md. */
import type { Kind, Row, Value } from './data.ts'
import { exactDeviation, exactMean, exactSum } from './exact.ts'
import { compareLists, ranking } from './several-sources/sources.ts'

/** A row with the value of the argument. */
export interface Entry {
  readonly row: Row
  readonly value: Value
  /** How far the engine's value may differ from this one. */
  readonly slack: number
}

/** The result of a function, and how far the engine's result may differ from it beyond the usual relative 1e-12. */
export interface Outcome {
  readonly value: Value
  readonly slack: number
}

/** Returns the result of a function over the entries. */
export function apply(func: string, entries: readonly Entry[], kind: Kind): Outcome {
  const kept = entries.filter(each => each.value !== null)
  if (func === 'count') return { value: kept.length, slack: 0 }
  if (kept.length === 0) return { value: null, slack: 0 }
  if (func === 'oldest' || func === 'newest') {
    const { value, slack } = edge(func, kept)
    return { value, slack }
  }
  const values = kept.map(each => each.value as number)
  if (func === 'mean' && kind === 'time') return { value: meanOfDay(values), slack: 0 }
  const given = handedOn(
    func,
    kept.map(each => each.slack),
  )
  return { value: applyToNumbers(func, values), slack: tolerance(func, values) + given }
}

/** Returns how far a result may differ because its values do. */
function handedOn(func: string, slacks: readonly number[]): number {
  if (func === 'sum') return slacks.reduce((sum, each) => sum + each, 0)
  // a deviation differs by at most the root of n / (n - 1) times the largest difference
  return Math.max(...slacks) * (func === 'stddev' ? 2 : 1)
}

/**
 * A store may add tenths as whole numbers of tenths. Then 0.1 + 0.2 - 0.3 is zero, while the nearest doubles leave 2.8e-17, because each is
 * off by up to half a unit in its last place. Only this much is tolerated, and nothing if all values are equal.
 */
function tolerance(func: string, values: readonly number[]): number {
  const sizes = values.map(Math.abs)
  const unit = Number.EPSILON
  if (func === 'sum') return unit * sizes.reduce((sum, each) => sum + each, 0)
  if (func === 'mean') return (unit * sizes.reduce((sum, each) => sum + each, 0)) / values.length
  if (func === 'stddev' && values.some(each => each !== values[0])) return unit * Math.max(...sizes)
  return 0
}

/** Returns the mean, sum, min, max, median or stddev of at least one number. */
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

const DAY_SECONDS = 86_400

/**
 * Returns the mean time of day of floating times, in whole seconds; null if they cancel out. The times are hands of a 24-hour clock, and
 * the mean is the direction of their average, which is the direction from which the hands deviate equally to both sides.
 */
export function meanOfDay(times: readonly number[]): Value {
  const turns = times.map(time => ((((time / 1000) % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS) / DAY_SECONDS)
  const [right, up] = [Math.sin, Math.cos].map(
    part => turns.reduce((sum, turn) => sum + part(turn * 2 * Math.PI), 0) / turns.length,
  ) as [number, number]
  if (Math.sqrt(right * right + up * up) < 1e-6) return null
  const turn = Math.atan2(right, up) / (2 * Math.PI)
  // in microseconds first: the sum of angles is not exact, and half a second is rounded up
  const micros = Math.round((turn < 0 ? turn + 1 : turn) * DAY_SECONDS * 1e6)
  return Math.floor((micros + 500_000) / 1e6) % DAY_SECONDS
}

/** Of equal times the better source wins, and within a source the row that was stored first, for oldest as well as newest. */
function edge(func: string, entries: readonly Entry[]): Entry {
  const direction = func === 'oldest' ? 1 : -1
  const order = (a: Row, b: Row) =>
    (a.local - b.local) * direction ||
    (a.instant - b.instant) * direction ||
    compareLists(amongEquals(a), amongEquals(b))
  return entries.reduce((best, each) => (order(each.row, best.row) < 0 ? each : best))
}

/** Returns the order of rows with equal times. */
export function amongEquals(row: Row): readonly (number | string)[] {
  return [...ranking(row, [], [], ''), row.resource ?? '', row.type ?? '', row.stored, ...(row.origin ?? [])]
}
