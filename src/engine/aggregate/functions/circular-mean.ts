/**
 * Computes a time column's mean time of day as the mean direction on a 24-hour clock, because the arithmetic mean of 23:50 and 00:10 would
 * be noon. See docs/interface/aggregates.md#aggregates-14. Indexed reads are unchecked (`as number`) because the loops are hot and the
 * indices are always in range.
 */
import { DAY_MS, SECOND_MS } from '../../../core/time.ts'
import type { Runs } from '../group/runs.ts'
import type { ColumnRef } from '../plan/columns.ts'
import type { Block } from '../scan/block.ts'
import { type Accumulator, widened } from './accumulator.ts'

/**
 * If the mean vector is shorter than this, the times cancel each other out and have no mean. Two opposite times have no mean if they are
 * within about 0.03 seconds of being exactly opposite.
 */
const LEAST_LENGTH = 1e-6
const RADIANS_PER_MS = (2 * Math.PI) / DAY_MS

export class CircularMean implements Accumulator {
  private counts = new Float64Array(0)
  private cosines = new Float64Array(0)
  private sines = new Float64Array(0)
  private readonly argument: ColumnRef

  constructor(argument: ColumnRef) {
    this.argument = argument
  }

  reserve(groups: number): void {
    this.counts = widened(this.counts, groups, 0)
    this.cosines = widened(this.cosines, groups, 0)
    this.sines = widened(this.sines, groups, 0)
  }

  add(block: Block, runs: Runs): void {
    const times = this.argument.kind === 'index' ? block.local : block.column(this.argument)
    const mask = runs.mask?.rows ?? null
    let from = 0
    for (let k = 0; k < runs.count; k++) {
      const to = runs.ends[k] as number
      const group = runs.groups[k] as number
      for (let row = from; row < to && group >= 0; row++) {
        const time = times[row] as number
        if (!Number.isNaN(time) && (mask === null || mask[row] === 1)) this.addTime(group, time)
      }
      from = to
    }
  }

  /** Returns milliseconds since midnight, rounded to whole seconds. */
  result(group: number): number {
    const n = this.counts[group] ?? 0
    const [x, y] = [this.cosines[group] ?? 0, this.sines[group] ?? 0]
    if (n === 0 || Math.hypot(x, y) / n < LEAST_LENGTH) return Number.NaN
    const ms = Math.atan2(y, x) / RADIANS_PER_MS
    // round to microseconds first to remove rounding errors, so that half a second is always rounded up
    const seconds = Math.floor(Math.round(ms * 1000) / 1000 / SECOND_MS + 0.5)
    return (((seconds * SECOND_MS) % DAY_MS) + DAY_MS) % DAY_MS
  }

  private addTime(group: number, time: number): void {
    const angle = (time - Math.floor(time / DAY_MS) * DAY_MS) * RADIANS_PER_MS
    this.counts[group] = (this.counts[group] as number) + 1
    this.cosines[group] = (this.cosines[group] as number) + Math.cos(angle)
    this.sines[group] = (this.sines[group] as number) + Math.sin(angle)
  }
}
