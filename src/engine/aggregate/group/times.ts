/**
 * Reads the floating times of a block's rows one at a time, and searches them. Reads by index are unchecked (`as number`), because the
 * loops are hot and stay in range.
 */
import type { Block } from '../scan/block.ts'

export interface TimeRows {
  readonly n: number
  /** Whether the times are strictly ascending. */
  readonly ordered: boolean
  /** Returns the floating time of a row. */
  at(row: number): number
  /** Returns the first row from `low` on whose time is not before `time`, or n if there is none. Valid only if the times ascend. */
  rowAt(time: number, low: number): number
}

/** Returns the times of a block. Regular times are computed, so that nothing is unpacked for them. */
export function blockTimes(block: Block): TimeRows {
  const { n, regular } = block
  if (regular && n > 0 && regular.step > 0) {
    const { first, step } = regular
    return {
      n,
      ordered: true,
      at: row => first + row * step,
      rowAt: (time, low) => Math.min(n, Math.max(low, Math.ceil((time - first) / step))),
    }
  }
  const { local } = block
  return {
    n,
    ordered: ascends(local, n),
    at: row => local[row] as number,
    rowAt: (time, low) => search(local, n, time, low),
  }
}

function ascends(local: Float64Array, n: number): boolean {
  for (let i = 1; i < n; i++) if (!((local[i - 1] as number) < (local[i] as number))) return false
  return n === 0 || !Number.isNaN(local[0])
}

function search(local: Float64Array, n: number, time: number, low: number): number {
  let [from, to] = [low, n]
  while (from < to) {
    const middle = (from + to) >> 1
    if ((local[middle] as number) < time) from = middle + 1
    else to = middle
  }
  return from
}
