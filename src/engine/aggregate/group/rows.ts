/**
 * Collects the rows of a query that has no functions, column by column, and finally sorts them by index. Indexed reads are unchecked (`as
 * number`) because the loops are hot and the indices are always in range.
 */
import { QUERY_LIMITS } from '../../../catalogue/query-functions.ts'
import { widened } from '../functions/accumulator.ts'
import { compareSources } from '../functions/priority.ts'
import type { ColumnRef } from '../plan/columns.ts'
import type { Loc } from '../plan/refusal.ts'
import type { Block, BlockSource } from '../scan/block.ts'
import { tooManyRows } from './groups.ts'
import type { Runs } from './runs.ts'

export class Rows {
  private n = 0
  private readonly columns: Float64Array<ArrayBuffer>[]
  private locals = new Float64Array(0)
  private instants = new Float64Array(0)
  private readonly sources: BlockSource[] = []
  private readonly refs: readonly ColumnRef[]
  private readonly loc: Loc

  /** `loc` is the query's path in the body, used in the error for too many rows. */
  constructor(refs: readonly ColumnRef[], loc: Loc) {
    this.refs = refs
    this.loc = loc
    this.columns = refs.map(() => new Float64Array(0))
  }

  /** Adds the block's kept rows that are within the window. */
  add(block: Block, runs: Runs): void {
    const kept = countKept(runs)
    if (this.n + kept.length > QUERY_LIMITS.rows) throw tooManyRows(this.loc)
    this.locals = appended(this.locals, this.n, block.local, kept)
    this.instants = appended(this.instants, this.n, block.instant, kept)
    for (const [k, ref] of this.refs.entries()) {
      this.columns[k] = appended(this.columns[k] as Float64Array<ArrayBuffer>, this.n, block.column(ref), kept)
    }
    for (const _ of kept) this.sources.push(block.source)
    this.n += kept.length
  }

  /** Returns the columns in the order of the request, with rows ordered by floating time, then instant, then source. */
  results(): readonly Float64Array[] {
    const order = Int32Array.from({ length: this.n }, (_, i) => i)
    if (!this.ascending()) order.sort((a, b) => this.compare(a, b))
    return this.columns.map(column => Float64Array.from(order, row => column[row] as number))
  }

  private ascending(): boolean {
    for (let i = 1; i < this.n; i++) if (this.compare(i - 1, i) > 0) return false
    return true
  }

  private compare(a: number, b: number): number {
    return (
      (this.locals[a] as number) - (this.locals[b] as number) ||
      (this.instants[a] as number) - (this.instants[b] as number) ||
      compareSources(this.sources[a] as BlockSource, this.sources[b] as BlockSource) ||
      a - b
    )
  }
}

function countKept({ count, ends, groups, mask: rowMask }: Runs): number[] {
  const mask = rowMask?.rows ?? null
  const kept: number[] = []
  let row = 0
  for (let k = 0; k < count; k++) {
    const end = ends[k] as number
    if ((groups[k] as number) < 0) row = end
    for (; row < end; row++) if (mask === null || mask[row] === 1) kept.push(row)
  }
  return kept
}

function appended(to: Float64Array<ArrayBuffer>, at: number, from: Float64Array, rows: readonly number[]) {
  const array = widened(to, at + rows.length, Number.NaN)
  for (let i = 0; i < rows.length; i++) array[at + i] = from[rows[i] as number] as number
  return array
}
