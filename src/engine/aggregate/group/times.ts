/** The floating times of a block's rows: asked for one at a time, and searched. */
import type { Block } from '../scan/block.ts'

export interface Rows {
  readonly n: number
  /** Whether the times ascend strictly. */
  readonly ordered: boolean
  /** Floating time of a row. */
  at(row: number): number
  /** First row, from `low` on, whose time is not before one; n when there is none. Only where the times ascend. */
  rowAt(time: number, low: number): number
}

/** Times of a block; where they are regular nothing is unpacked for them. */
export function timesOf(block: Block): Rows {
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
