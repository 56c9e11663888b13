/** Finds the intervals that overlap another one, among many of any length. */
import { getOrInsert } from '../../../../core/maps.ts'
import type { EpochMs } from '../../../../core/time.ts'

interface Interval {
  readonly start: EpochMs
  readonly end: EpochMs
}

/** Intervals of similar length are in a grid of their own, whose cells are at most twice as long as they are. */
export class IntervalIndex<T extends Interval> {
  private readonly grids = new Map<number, Map<number, T[]>>()

  /** Adds an interval. Its end must be after its start. */
  add(interval: T): void {
    const width = 2 ** Math.ceil(Math.log2(interval.end - interval.start))
    const grid = getOrInsert(this.grids, width, () => new Map<number, T[]>())
    for (let cell = Math.floor(interval.start / width); cell <= Math.floor(interval.end / width); cell++) {
      getOrInsert(grid, cell, () => []).push(interval)
    }
  }

  /** Yields the intervals that overlap the given one, some of them twice, and others near it. */
  *near({ start, end }: Interval): Generator<T> {
    for (const [width, grid] of this.grids) {
      const [from, to] = [Math.floor(start / width), Math.floor(end / width)]
      if (to - from < grid.size) for (let cell = from; cell <= to; cell++) yield* grid.get(cell) ?? []
      else for (const [cell, intervals] of grid) if (cell >= from && cell <= to) yield* intervals
    }
  }
}
