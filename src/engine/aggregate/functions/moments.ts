/**
 * Summarizes a range of values (count, extremes, sum and spread) in one pass over packed codes or numbers. Sums of codes are whole numbers
 * and therefore exact; sums of numbers are compensated. Indexed reads are unchecked (`as number`) because the loops are hot and the indices
 * are always in range.
 */

import type { RowMask } from '../group/row-mask.ts'
import type { CodeColumn } from '../scan/block.ts'
import { SUMS_FROM, sumCodes } from './code-sums.ts'
import { countCodes, HISTOGRAM_FROM } from './histogram.ts'

/** The summary of the last range. This object is reused for each range. */
export class Moments {
  /** Number of values that are not null. */
  n = 0
  min = Number.NaN
  max = Number.NaN
  sum = 0
  /** Rounding error of the additions to `sum`. The exact sum is `sum` plus this value. */
  lost = 0
  /** For numbers, computed only if their spread was requested. */
  mean = 0
  /** Sum of the squared distances from the mean. */
  squares = 0

  private readonly bins = new Uint32Array(256)
  private codesKept = new Uint16Array(1024)
  private numbersKept = new Float64Array(1024)

  /** Summarizes the rows [from, to) of a packed column that the mask keeps. */
  ofCodes(column: CodeColumn, from: number, to: number, mask: RowMask | null): void {
    const { codes } = column
    if (codes instanceof Uint8Array && mask === null && to - from >= SUMS_FROM) {
      const { total, squares, low, high } = sumCodes(codes, from, to)
      this.n = to - from
      this.scaled(column.base, column.scale, low, high, total, centered(this.n, total, squares))
    } else if (codes instanceof Uint8Array && mask !== null && to - from >= HISTOGRAM_FROM) {
      this.ofBins(column, this.keptBins(codes, from, to, mask))
    } else if (mask) {
      const kept = this.keptCodes(codes, from, to, mask.rows)
      this.ofPlainCodes(column, this.codesKept, 0, kept)
    } else this.ofPlainCodes(column, codes, from, to)
  }

  /** Summarizes the rows [from, to) of a number column that the mask keeps. NaN is ignored. */
  ofNumbers(values: Float64Array, from: number, to: number, mask: Uint8Array | null, wantsSquares: boolean): void {
    const n = this.keptNumbers(values, from, to, mask)
    const kept = this.numbersKept
    this.n = n
    if (n === 0) return
    let [sum, lost] = [0, 0]
    let min = kept[0] as number
    let max = min
    for (let i = 0; i < n; i++) {
      const value = kept[i] as number
      // Knuth's two-sum: finds the rounding error without knowing which operand is larger
      const next = sum + value
      const part = next - sum
      lost += sum - (next - part) + (value - part)
      sum = next
      if (value < min) min = value
      if (value > max) max = value
    }
    this.min = min
    this.max = max
    this.sum = sum
    // once a sum overflows, its rounding error is meaningless
    this.lost = Number.isFinite(lost) ? lost : 0
    if (wantsSquares) this.spread(kept, (sum + this.lost) / n)
  }

  /** Summarizes one value that occurs n times. */
  ofConstant(value: number, n: number): void {
    this.n = Number.isNaN(value) ? 0 : n
    this.min = value
    this.max = value
    this.sum = value * n
    this.lost = 0
    this.mean = value
    this.squares = 0
  }

  /** Computes the mean and the spread around a rounded mean, then corrects both for the rounding, so that equal values have no spread. */
  private spread(values: Float64Array, near: number): void {
    const { n } = this
    let [squares, away] = [0, 0]
    for (let i = 0; i < n; i++) {
      const distance = (values[i] as number) - near
      squares += distance * distance
      away += distance
    }
    this.mean = near + away / n
    this.squares = Math.max(0, squares - (away * away) / n)
  }

  private keptBins(codes: Uint8Array, from: number, to: number, mask: RowMask): Uint32Array {
    const { bins } = this
    if (mask.byCode?.codes === codes) {
      const all = countCodes(codes, from, to)
      const { table } = mask.byCode
      for (let code = 0; code < 256; code++) bins[code] = (all[code] as number) * (table[code] as number)
      return bins
    }
    const { rows } = mask
    bins.fill(0)
    for (let i = from; i < to; i++) (bins[codes[i] as number] as number) += rows[i] as number
    return bins
  }

  private ofBins({ base, scale }: CodeColumn, bins: Uint32Array): void {
    let [n, total, low, high] = [0, 0, -1, 0]
    for (let code = 0; code < 256; code++) {
      const count = bins[code] as number
      if (count === 0) continue
      if (low < 0) low = code
      high = code
      n += count
      total += count * code
    }
    this.n = n
    if (n === 0) return
    const mean = total / n
    let squares = 0
    for (let code = low; code <= high; code++) squares += (bins[code] as number) * (code - mean) ** 2
    this.scaled(base, scale, low, high, total, squares)
  }

  private ofPlainCodes({ base, scale }: CodeColumn, codes: Uint8Array | Uint16Array, from: number, to: number): void {
    const n = to - from
    this.n = n
    if (n === 0) return
    // distances from the first code are whole numbers, so their sums stay exact
    const pivot = codes[from] as number
    let [total, squares, low, high] = [0, 0, pivot, pivot]
    for (let i = from; i < to; i++) {
      const code = codes[i] as number
      const away = code - pivot
      total += away
      squares += away * away
      if (code < low) low = code
      if (code > high) high = code
    }
    this.scaled(base, scale, low, high, total + n * pivot, centered(n, total, squares))
  }

  private scaled(base: number, scale: number, low: number, high: number, total: number, squares: number): void {
    const whole = this.n * base + total
    this.min = scale === 1 ? base + low : (base + low) / scale
    this.max = scale === 1 ? base + high : (base + high) / scale
    this.sum = whole / scale
    this.lost = 0
    // if all codes are equal, this is their value down to the last bit
    this.mean = (base + total / this.n) / scale
    this.squares = squares / (scale * scale)
  }

  private keptCodes(codes: Uint8Array | Uint16Array, from: number, to: number, mask: Uint8Array): number {
    if (this.codesKept.length <= to - from) this.codesKept = new Uint16Array(2 * (to - from))
    const kept = this.codesKept
    let n = 0
    // always write, and advance the index only if the value is kept, so that there is no branch to mispredict
    for (let i = from; i < to; i++) {
      kept[n] = codes[i] as number
      n += mask[i] as number
    }
    return n
  }

  private keptNumbers(values: Float64Array, from: number, to: number, mask: Uint8Array | null): number {
    if (this.numbersKept.length <= to - from) this.numbersKept = new Float64Array(2 * (to - from))
    const kept = this.numbersKept
    let n = 0
    for (let i = from; i < to; i++) {
      const value = values[i] as number
      kept[n] = value
      if (!Number.isNaN(value) && (mask === null || mask[i] === 1)) n++
    }
    return n
  }
}

/**
 * Returns the sum of squared distances from the mean, computed from the sum and the sum of squares of whole numbers. Exact except for one
 * division.
 */
function centered(n: number, total: number, squares: number): number {
  const product = n * squares
  if (product <= Number.MAX_SAFE_INTEGER) return (product - total * total) / n
  return Number(BigInt(n) * BigInt(squares) - BigInt(total) * BigInt(total)) / n
}
