/**
 * Parts of samples as a block: each part has its share of the value, by time. See docs/interface/merging.md#merging-4. Indexed reads are
 * unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import type { EpochMs } from '../../../core/time.ts'
import type { ColumnRef } from '../plan/columns.ts'
import { type Block, cacheColumns } from '../scan/block.ts'
import type { AmountRules } from './amount-rules.ts'
import type { Uncovered } from './cover.ts'

/** The floating times at which samples are split. */
type Cuts = Pick<AmountRules, 'cutMs' | 'edge'>

export class Parts {
  private readonly rows: number[] = []
  private readonly starts: EpochMs[] = []
  private readonly ends: EpochMs[] = []
  /** Share of the sample's value; NaN for null, because a total replaces it. */
  private readonly shares: number[] = []
  private readonly of: Block
  private readonly cuts: Cuts
  private readonly replaced: Uncovered

  /** `replaced` are the times for which the total of a day counts instead. */
  constructor(of: Block, cuts: Cuts, replaced: Uncovered) {
    this.of = of
    this.cuts = cuts
    this.replaced = replaced
  }

  /** Number of parts that have a value. */
  get valued(): number {
    return this.shares.filter(share => !Number.isNaN(share)).length
  }

  /** Returns a block with one whole sample, which has no value if `isEmpty`. */
  static whole(of: Block, row: number, start: EpochMs, end: EpochMs, isEmpty: boolean): Block {
    return partsBlock(of, [row], [start], [end], [isEmpty ? Number.NaN : 1])
  }

  /** Adds the part [from, to) of a row's sample, divided at the boundaries of buckets. `lengthMs` is the length of the sample. */
  add(row: number, from: EpochMs, to: EpochMs, lengthMs: number): void {
    const shift = (this.of.local[row] as number) - (this.of.instant[row] as number)
    const { cutMs, edge } = this.cuts
    let at = from
    do {
      const boundary = (Math.floor((at + shift) / cutMs) + 1) * cutMs
      const end = Math.min(to, (at + shift < edge && edge < boundary ? edge : boundary) - shift)
      this.rows.push(row)
      this.starts.push(at)
      this.ends.push(end)
      const share = lengthMs === 0 || end - at === lengthMs ? 1 : (end - at) / lengthMs
      this.shares.push(this.replaced.isCovered(at) ? Number.NaN : share)
      at = end
    } while (at < to)
  }

  /** Returns the block, or null if there are no parts. */
  block(): Block | null {
    return this.rows.length === 0 ? null : partsBlock(this.of, this.rows, this.starts, this.ends, this.shares)
  }
}

function partsBlock(
  of: Block,
  rows: readonly number[],
  starts: readonly EpochMs[],
  ends: readonly EpochMs[],
  shares: readonly number[],
): Block {
  const { source } = of
  const local = Float64Array.from(
    rows,
    (row, i) => (starts[i] as number) + (of.local[row] as number) - (of.instant[row] as number),
  )
  const instant = Float64Array.from(starts)
  const build = (ref: ColumnRef): Float64Array => {
    if (ref.kind === 'index') return local
    const isOwn = ref.kind === 'sample' && ref.resource === source.resource
    if (isOwn && ref.field.origin.kind === 'duration')
      return Float64Array.from(starts, (start, i) =>
        Number.isNaN(shares[i]) ? Number.NaN : ((ends[i] as number) - start) / 1000,
      )
    const column = of.column(ref)
    if (isOwn && ref.field.origin.kind === 'value')
      return Float64Array.from(rows, (row, i) => (column[row] as number) * (shares[i] as number))
    return Float64Array.from(rows, row => column[row] as number)
  }
  const isOfParts = (ref: ColumnRef): boolean =>
    ref.kind === 'sample' &&
    ref.resource === source.resource &&
    (ref.field.origin.kind === 'value' || ref.field.origin.kind === 'duration')
  return {
    n: rows.length,
    source,
    local,
    instant,
    column: cacheColumns(build),
    constant: ref => (isOfParts(ref) ? undefined : of.constant?.(ref)),
    parts: { of, rows, ends },
  }
}
