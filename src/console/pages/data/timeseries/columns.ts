/** Collects the samples of one series in growing columns. */
import { longestPause } from '../../../../core/chart-rules.ts'
import { type ChartSeries, isRegular, markOf } from '../../../parts/chart/series.ts'
import { DAY } from '../../../parts/floating.ts'

export class Columns {
  private n = 0
  private at = new Float64Array(1024)
  private until = new Float64Array(1024)
  private low = new Float64Array(1024)
  private isSorted = true
  private lasts = false

  add(at: number, until: number, value: number): void {
    if (this.n === this.at.length) {
      this.at = doubled(this.at)
      this.until = doubled(this.until)
      this.low = doubled(this.low)
    }
    if (this.n > 0 && at < (this.at[this.n - 1] ?? 0)) this.isSorted = false
    this.at[this.n] = at
    this.until[this.n] = Math.max(at, until)
    if (until > at) this.lasts = true
    this.low[this.n] = value
    this.n += 1
  }

  /** Returns the columns in chronological order, and the best way to draw them. */
  take(isAmount: boolean): Pick<ChartSeries, 'at' | 'until' | 'low' | 'high' | 'gap' | 'mark'> {
    const order = this.isSorted ? null : sorted(this.at.subarray(0, this.n))
    const [at, until, low] = [this.at, this.until, this.low].map(column => {
      const cut = column.subarray(0, this.n)
      return order === null ? cut : Float64Array.from(order, i => cut[i] ?? 0)
    }) as [Float64Array, Float64Array, Float64Array] // three lists in, three lists out
    const mark = markOf(isAmount, this.lasts || isRegular(at))
    return { at, until: this.lasts ? until : at, low, high: low, gap: longestPause(at, 'samples', DAY), mark }
  }
}

/** Returns the indexes that sort the times; equal times keep their order. */
function sorted(at: Float64Array): Uint32Array {
  return Uint32Array.from(at, (_time, i) => i).sort((a, b) => (at[a] ?? 0) - (at[b] ?? 0) || a - b)
}

function doubled(column: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
  const wider = new Float64Array(column.length * 2)
  wider.set(column)
  return wider
}
