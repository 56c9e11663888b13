/**
 * Reads a block's floating times row by row, and searches them. Indexed reads are unchecked (`as number`) because the loops are hot and the
 * indices are always in range.
 */
import type { Block } from '../scan/block.ts'

export interface TimeRows {
  readonly n: number
  /** Whether the times are strictly ascending. */
  readonly ordered: boolean
  /** Returns a row's floating time. */
  at(row: number): number
  /** Returns the first row at or after `low` whose time is at or after `time`, or n if there is none. Valid only if the times ascend. */
  rowAt(time: number, low: number): number
}

/** Returns a block's times. Regular times are computed, so that nothing has to be unpacked. */
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
