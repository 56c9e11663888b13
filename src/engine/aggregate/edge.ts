/** oldest and newest: the value with the earliest or latest index. */
import { type Accumulator, widened } from './accumulator.ts'
import type { Block, BlockSource, Column } from './block.ts'
import { compareSources } from './priority.ts'

/**
 * Rows are ordered by floating time, then by instant (the hour that a clock change repeats), then by source: of the
 * rows of one moment the better source's is taken, and of one source's the first that was stored.
 */
export class Edge implements Accumulator {
  private values = new Float64Array(0)
  private locals = new Float64Array(0)
  private instants = new Float64Array(0)
  private sources: BlockSource[] = []
  /** 1 keeps the newest, -1 the oldest. */
  private readonly sign: 1 | -1

  constructor(sign: 1 | -1) {
    this.sign = sign
  }

  reserve(groups: number): void {
    this.values = widened(this.values, groups, Number.NaN)
    this.locals = widened(this.locals, groups, Number.NaN)
    this.instants = widened(this.instants, groups, Number.NaN)
  }

  add(values: Column, groups: Int32Array, block: Block): void {
    const { local, instant, source } = block
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] as number
      const value = values[i] as number
      if (group < 0 || Number.isNaN(value)) continue
      const [at, when] = [local[i] as number, instant[i] as number]
      if (!this.beats(group, at, when, source)) continue
      this.values[group] = value
      this.locals[group] = at
      this.instants[group] = when
      this.sources[group] = source
    }
  }

  result(group: number): number {
    return this.values[group] ?? Number.NaN
  }

  private beats(group: number, at: number, when: number, source: BlockSource): boolean {
    const held = this.locals[group] as number
    if (at !== held) return Number.isNaN(held) || (at > held ? 1 : -1) === this.sign
    const heldInstant = this.instants[group] as number
    if (when !== heldInstant) return (when > heldInstant ? 1 : -1) === this.sign
    return compareSources(source, this.sources[group] as BlockSource) < 0
  }
}
