/**
 * Computes the median: keeps all values of each group and sorts them once at the end. Indexed reads are unchecked (`as number`) because the
 * loops are hot and the indices are always in range.
 */

import type { Runs } from '../group/runs.ts'
import type { ColumnRef } from '../plan/columns.ts'
import { type Block, unpackValue } from '../scan/block.ts'
import type { Accumulator } from './accumulator.ts'

export class Median implements Accumulator {
  private n = 0
  private values = new Float64Array(256)
  private groups = new Int32Array(256)
  private groupCount = 0
  /** Index of each group's first sorted value. Computed when the first result is read. */
  private starts: Int32Array | null = null
  private readonly argument: ColumnRef

  constructor(argument: ColumnRef) {
    this.argument = argument
  }

  reserve(groups: number): void {
    this.groupCount = Math.max(this.groupCount, groups)
  }

  add(block: Block, runs: Runs): void {
    const codes = block.codes?.(this.argument)
    const column = codes ? null : block.column(this.argument)
    this.makeRoom(block.n)
    const { values, groups } = this
    const mask = runs.mask?.rows ?? null
    let n = this.n
    let from = 0
    for (let k = 0; k < runs.count; k++) {
      const to = runs.ends[k] as number
      const group = runs.groups[k] as number
      if (group >= 0) {
        for (let row = from; row < to; row++) {
          const value = codes ? unpackValue(codes, row) : ((column as Float64Array)[row] as number)
          values[n] = value
          groups[n] = group
          if (!Number.isNaN(value) && (mask === null || mask[row] === 1)) n++
        }
      }
      from = to
    }
    this.n = n
  }

  result(group: number): number {
    this.starts ??= this.sort()
    const [from, to] = [this.starts[group], this.starts[group + 1]]
    if (from === undefined || to === undefined || from === to) return Number.NaN
    const middle = (from + to) >> 1
    const upper = this.values[middle] as number
    return (to - from) % 2 === 1 ? upper : ((this.values[middle - 1] as number) + upper) / 2
  }

  /** Sorts the values by group with a counting sort, then sorts each group. */
  private sort(): Int32Array {
    const starts = new Int32Array(this.groupCount + 1)
    for (let i = 0; i < this.n; i++) (starts[(this.groups[i] as number) + 1] as number)++
    for (let g = 0; g < this.groupCount; g++) starts[g + 1] = (starts[g + 1] as number) + (starts[g] as number)
    const next = starts.slice()
    const sorted = new Float64Array(this.n)
    for (let i = 0; i < this.n; i++) {
      const group = this.groups[i] as number
      const position = next[group] as number
      sorted[position] = this.values[i] as number
      next[group] = position + 1
    }
    for (let g = 0; g < this.groupCount; g++) sorted.subarray(starts[g], starts[g + 1]).sort()
    this.values = sorted
    return starts
  }

  /** Makes room for this many more values, and for one more that is written but not kept. */
  private makeRoom(more: number): void {
    if (this.n + more < this.values.length) return
    const length = Math.max(this.values.length * 2, this.n + more + 1)
    const values = new Float64Array(length)
    values.set(this.values.subarray(0, this.n))
    const groups = new Int32Array(length)
    groups.set(this.groups.subarray(0, this.n))
    this.values = values
    this.groups = groups
  }
}
