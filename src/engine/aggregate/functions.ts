/** The aggregate functions: each keeps a state a group and takes a block's values in one loop. */
import type { AggregateFunction } from '../../catalogue/query-functions.ts'
import { type Accumulator, widened } from './accumulator.ts'
import type { Column } from './block.ts'
import { Edge } from './edge.ts'
import { Median } from './median.ts'

/** A fresh accumulator of a function. */
export function accumulator(name: AggregateFunction['name']): Accumulator {
  switch (name) {
    case 'count':
      return new Count()
    case 'sum':
      return new Sum(false)
    case 'mean':
      return new Sum(true)
    case 'min':
      return new Extreme(1)
    case 'max':
      return new Extreme(-1)
    case 'stddev':
      return new Deviation()
    case 'median':
      return new Median()
    case 'oldest':
      return new Edge(-1)
    case 'newest':
      return new Edge(1)
  }
}

class Count implements Accumulator {
  private counts = new Float64Array(0)

  reserve(groups: number): void {
    this.counts = widened(this.counts, groups, 0)
  }

  add(values: Column, groups: Int32Array): void {
    const { counts } = this
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] as number
      const value = values[i] as number
      if (group >= 0 && !Number.isNaN(value)) (counts[group] as number)++
    }
  }

  result(group: number): number {
    return this.counts[group] ?? 0
  }
}

/** A sum with the compensation of Neumaier, or the mean made of it. */
class Sum implements Accumulator {
  private sums = new Float64Array(0)
  private lost = new Float64Array(0)
  private counts = new Float64Array(0)
  private readonly mean: boolean

  constructor(mean: boolean) {
    this.mean = mean
  }

  reserve(groups: number): void {
    this.sums = widened(this.sums, groups, 0)
    this.lost = widened(this.lost, groups, 0)
    this.counts = widened(this.counts, groups, 0)
  }

  add(values: Column, groups: Int32Array): void {
    const { sums, lost, counts } = this
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] as number
      const value = values[i] as number
      if (group < 0 || Number.isNaN(value)) continue
      const sum = sums[group] as number
      const next = sum + value
      const error = Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum
      lost[group] = (lost[group] as number) + error
      sums[group] = next
      counts[group] = (counts[group] as number) + 1
    }
  }

  result(group: number): number {
    const count = this.counts[group] ?? 0
    if (count === 0) return Number.NaN
    const total = (this.sums[group] as number) + (this.lost[group] as number)
    return this.mean ? total / count : total
  }
}

class Extreme implements Accumulator {
  private values = new Float64Array(0)
  /** 1 keeps the smallest, -1 the largest. */
  private readonly sign: 1 | -1

  constructor(sign: 1 | -1) {
    this.sign = sign
  }

  reserve(groups: number): void {
    this.values = widened(this.values, groups, Number.NaN)
  }

  add(values: Column, groups: Int32Array): void {
    const kept = this.values
    const { sign } = this
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] as number
      const value = values[i] as number
      if (group < 0 || Number.isNaN(value)) continue
      // Written so that the first value, compared with NaN, is taken.
      if (!((kept[group] as number) * sign <= value * sign)) kept[group] = value
    }
  }

  result(group: number): number {
    return this.values[group] ?? Number.NaN
  }
}

/** Sample standard deviation, by Welford's recurrence. */
class Deviation implements Accumulator {
  private counts = new Float64Array(0)
  private means = new Float64Array(0)
  private squares = new Float64Array(0)

  reserve(groups: number): void {
    this.counts = widened(this.counts, groups, 0)
    this.means = widened(this.means, groups, 0)
    this.squares = widened(this.squares, groups, 0)
  }

  add(values: Column, groups: Int32Array): void {
    const { counts, means, squares } = this
    for (let i = 0; i < groups.length; i++) {
      const group = groups[i] as number
      const value = values[i] as number
      if (group < 0 || Number.isNaN(value)) continue
      const count = (counts[group] as number) + 1
      const away = value - (means[group] as number)
      const mean = (means[group] as number) + away / count
      counts[group] = count
      means[group] = mean
      squares[group] = (squares[group] as number) + away * (value - mean)
    }
  }

  result(group: number): number {
    const count = this.counts[group] ?? 0
    return count < 2 ? Number.NaN : Math.sqrt((this.squares[group] as number) / (count - 1))
  }
}
