/** What an aggregate function at work is. */
import type { Block, Column } from './block.ts'

/** A function at work. Rows of group -1 and null values (NaN) are left out. */
export interface Accumulator {
  /** Makes room for so many groups; called before `add`. */
  reserve(groups: number): void
  add(values: Column, groups: Int32Array, block: Block): void
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
