/** The median: keeps every value of every group and sorts them once at the end. */
import type { Accumulator } from './accumulator.ts'
import type { Column } from './block.ts'

export class Median implements Accumulator {
  private n = 0
  private values = new Float64Array(256)
  private groups = new Int32Array(256)
  private groupCount = 0
  /** Where the sorted values of each group begin; made at the first result. */
  private starts: Int32Array | null = null

  reserve(groups: number): void {
    this.groupCount = Math.max(this.groupCount, groups)
  }

  add(values: Column, groups: Int32Array): void {
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] as number
      const value = values[i] as number
      if (group < 0 || Number.isNaN(value)) continue
      if (this.n === this.values.length) this.grow()
      this.values[this.n] = value
      this.groups[this.n++] = group
    }
  }

  result(group: number): number {
    this.starts ??= this.sort()
    const [from, to] = [this.starts[group], this.starts[group + 1]]
    if (from === undefined || to === undefined || from === to) return Number.NaN
    const middle = (from + to) >> 1
    const upper = this.values[middle] as number
    return (to - from) % 2 === 1 ? upper : ((this.values[middle - 1] as number) + upper) / 2
  }

  /** Counting sort by group, then each group by value. */
  private sort(): Int32Array {
    const starts = new Int32Array(this.groupCount + 1)
    for (let i = 0; i < this.n; i++) (starts[(this.groups[i] as number) + 1] as number)++
    for (let g = 0; g < this.groupCount; g++) starts[g + 1] = (starts[g + 1] as number) + (starts[g] as number)
    const next = starts.slice()
    const sorted = new Float64Array(this.n)
    for (let i = 0; i < this.n; i++) {
      const group = this.groups[i] as number
      const place = next[group] as number
      sorted[place] = this.values[i] as number
      next[group] = place + 1
    }
    for (let g = 0; g < this.groupCount; g++) sorted.subarray(starts[g], starts[g + 1]).sort()
    this.values = sorted
    return starts
  }

  private grow(): void {
    const values = new Float64Array(this.n * 2)
    values.set(this.values)
    const groups = new Int32Array(this.n * 2)
    groups.set(this.groups)
    this.values = values
    this.groups = groups
  }
}
