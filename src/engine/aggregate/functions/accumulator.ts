/** What an aggregate function at work is. */

import type { Runs } from '../group/runs.ts'
import type { Block } from '../scan/block.ts'

/** A function of one column at work. Null values (NaN) and rows that no run keeps are left out. */
export interface Accumulator {
  /** Makes room for so many groups; called before `add`. */
  reserve(groups: number): void
  add(block: Block, runs: Runs): void
  /** The result of a group; NaN is null. */
  result(group: number): number
}

/** An array of at least n places, a longer one twice as long as before, new places filled. */
export function widened(array: Float64Array<ArrayBuffer>, n: number, fill: number): Float64Array<ArrayBuffer> {
  if (array.length >= n) return array
  const wider = new Float64Array(Math.max(n, array.length * 2, 16)).fill(fill, array.length)
  wider.set(array)
  return wider
}
