/** Defines the interface for the running state of an aggregate function. */

import type { Runs } from '../group/runs.ts'
import type { Block } from '../scan/block.ts'

/** The running state of a function over one column. It ignores null values (NaN) and rows that are in no run. */
export interface Accumulator {
  /** Makes room for this many groups. Must be called before `add`. */
  reserve(groups: number): void
  add(block: Block, runs: Runs): void
  /** Returns a group's result. NaN means null. */
  result(group: number): number
}

/** Returns an array with at least n elements. A new array is at least twice as long as the old one, and its new elements are filled. */
export function widened(array: Float64Array<ArrayBuffer>, n: number, fill: number): Float64Array<ArrayBuffer> {
  if (array.length >= n) return array
  const wider = new Float64Array(Math.max(n, array.length * 2, 16)).fill(fill, array.length)
  wider.set(array)
  return wider
}
