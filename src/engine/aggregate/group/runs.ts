/**
 * Defines runs: ranges of a block's rows that belong to one group, with the rows that `where` keeps. Indexed reads are unchecked (`as
 * number`) because the loops are hot and the indices are always in range.
 */
import type { RowMask } from './row-mask.ts'

/** The groups of a block's rows, run by run. Run k extends from the end of the previous run to `ends[k]`. */
export interface Runs {
  readonly count: number
  /** The index after each run's last row. In this array and the ones below, only the first `count` elements are valid. */
  readonly ends: Int32Array
  /** The group of each run, or -1 if the run is outside the window or none of its rows are kept. */
  readonly groups: Int32Array
  /** Number of kept rows in each run. Always above 0 if the run has a group. */
  readonly rows: Int32Array
  /** Null if all rows are kept. */
  readonly mask: RowMask | null
  /** Whether the block's floating times are strictly ascending. */
  readonly ordered: boolean
}

/** Collects runs and merges neighbouring runs of the same group. */
export class RunBuilder {
  private count = 0
  private ends = new Int32Array(16)
  private groups = new Int32Array(16)
  private rows = new Int32Array(16)

  /** Adds the rows up to `end` (exclusive) to a group. `kept` is the number of these rows that are kept. */
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

  /** Returns the collected runs and starts over. The runs are valid until the next ones are collected. */
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
