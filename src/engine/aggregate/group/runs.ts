/** Runs: stretches of a block's rows that fall into one group, with the rows that `where` keeps. */
import type { RowMask } from './row-mask.ts'

/** Groups of a block's rows, run by run: run k is the rows from the end of the run before it up to `ends[k]`. */
export interface Runs {
  readonly count: number
  /** Row after the last of each run; as of the arrays below, the first `count` places count. */
  readonly ends: Int32Array
  /** Group of each run; -1 lies outside the window or has no row that is kept. */
  readonly groups: Int32Array
  /** Rows of each run that are kept; above 0 where there is a group. */
  readonly rows: Int32Array
  /** Null when all rows are kept. */
  readonly mask: RowMask | null
  /** Whether the floating times of the block ascend strictly. */
  readonly ordered: boolean
}

/** Collects runs; neighbours of one group become one run. */
export class RunBuilder {
  private count = 0
  private ends = new Int32Array(16)
  private groups = new Int32Array(16)
  private rows = new Int32Array(16)

  /** Rows up to `end` (exclusive) belong to a group; so many of them are kept. */
  add(end: number, group: number, kept: number): void {
    const last = this.count - 1
    if (last >= 0 && this.groups[last] === group) {
      this.ends[last] = end
      this.rows[last] = (this.rows[last] as number) + kept
      return
    }
    if (this.count === this.ends.length) {
      this.ends = doubled(this.ends)
      this.groups = doubled(this.groups)
      this.rows = doubled(this.rows)
    }
    this.ends[this.count] = end
    this.rows[this.count] = kept
    this.groups[this.count++] = group
  }

  /** The runs, good until the next are collected, and a fresh start. */
  take(mask: RowMask | null, ordered: boolean): Runs {
    const { count, ends, groups, rows } = this
    this.count = 0
    return { count, ends, groups, rows, mask, ordered }
  }
}

function doubled(array: Int32Array<ArrayBuffer>): Int32Array<ArrayBuffer> {
  const wider = new Int32Array(array.length * 2)
  wider.set(array)
  return wider
}
