/**
 * Computes a column's count, sum, mean, min, max and stddev from one state per group. Indexed reads are unchecked (`as number`) because the
 * loops are hot and the indices are always in range.
 */
import type { AggregateFunction } from '../../../catalogue/query-functions.ts'
import type { Runs } from '../group/runs.ts'
import type { ColumnRef } from '../plan/columns.ts'
import type { Block } from '../scan/block.ts'
import { widened } from './accumulator.ts'
import { Moments } from './moments.ts'

/** The functions that use these states. */
export const NUMBER_FUNCTIONS: readonly AggregateFunction['name'][] = ['count', 'sum', 'mean', 'min', 'max', 'stddev']

const moments = new Moments()

export class Numbers {
  private counts = new Float64Array(0)
  private mins = new Float64Array(0)
  private maxs = new Float64Array(0)
  private sums = new Float64Array(0)
  /** Rounding error of the additions to `sums`. */
  private lost = new Float64Array(0)
  private means = new Float64Array(0)
  private squares = new Float64Array(0)
  readonly argument: ColumnRef
  /** The lowest and the highest value of the last block that were used. Infinite if there are none. */
  readonly last = { low: Number.POSITIVE_INFINITY, high: Number.NEGATIVE_INFINITY }
  private readonly wantsSquares: boolean

  constructor(argument: ColumnRef, functions: readonly AggregateFunction['name'][]) {
    this.argument = argument
    this.wantsSquares = functions.includes('stddev')
  }

  reserve(groups: number): void {
    this.counts = widened(this.counts, groups, 0)
    this.mins = widened(this.mins, groups, Number.NaN)
    this.maxs = widened(this.maxs, groups, Number.NaN)
    this.sums = widened(this.sums, groups, 0)
    this.lost = widened(this.lost, groups, 0)
    if (!this.wantsSquares) return
    this.means = widened(this.means, groups, 0)
    this.squares = widened(this.squares, groups, 0)
  }

  add(block: Block, runs: Runs): void {
    const { argument } = this
    const constant = block.constant?.(argument)
    const codes = constant === undefined ? (block.codes?.(argument) ?? null) : null
    const values = constant === undefined && !codes ? block.column(argument) : null
    this.last.low = Number.POSITIVE_INFINITY
    this.last.high = Number.NEGATIVE_INFINITY
    let from = 0
    for (let k = 0; k < runs.count; k++) {
      const to = runs.ends[k] as number
      const group = runs.groups[k] as number
      if (group >= 0 && (runs.rows[k] as number) > 0) {
        if (codes) moments.ofCodes(codes, from, to, runs.mask)
        else if (values) moments.ofNumbers(values, from, to, runs.mask?.rows ?? null, this.wantsSquares)
        else moments.ofConstant(constant as number, runs.rows[k] as number)
        if (moments.n > 0) this.merge(group)
      }
      from = to
    }
  }

  /** Returns a result. NaN means null. */
  result(func: AggregateFunction['name'], group: number): number {
    const n = this.counts[group] ?? 0
    if (func === 'count') return n
    if (n === 0) return Number.NaN
    if (func === 'min') return this.mins[group] as number
    if (func === 'max') return this.maxs[group] as number
    if (func === 'stddev') return n < 2 ? Number.NaN : Math.sqrt((this.squares[group] as number) / (n - 1))
    const total = (this.sums[group] as number) + (this.lost[group] as number)
    return func === 'mean' ? total / n : total
  }

  private merge(group: number): void {
    const { n, min, max, sum, lost } = moments
    const before = this.counts[group] as number
    if (min < this.last.low) this.last.low = min
    if (max > this.last.high) this.last.high = max
    this.counts[group] = before + n
    // written so that the first value replaces the initial NaN
    if (!((this.mins[group] as number) <= min)) this.mins[group] = min
    if (!((this.maxs[group] as number) >= max)) this.maxs[group] = max
    const total = this.sums[group] as number
    const next = total + sum
    // Neumaier summation: recover the digits lost from the smaller number
    const error = Math.abs(total) >= Math.abs(sum) ? total - next + sum : sum - next + total
    if (Number.isFinite(error)) this.lost[group] = (this.lost[group] as number) + error + lost
    this.sums[group] = next
    if (this.wantsSquares) this.mergeSquares(group, before)
  }

  /** Merges the spreads of two parts by Chan's formula. */
  private mergeSquares(group: number, before: number): void {
    const { n, mean, squares } = moments
    if (before === 0) {
      // copied unchanged: a computed mean would have a rounding error, and equal values must have no spread
      this.means[group] = mean
      this.squares[group] = squares
      return
    }
    const away = mean - (this.means[group] as number)
    const after = before + n
    ;(this.means[group] as number) += (away * n) / after
    ;(this.squares[group] as number) += squares + (away * away * before * n) / after
  }
}
