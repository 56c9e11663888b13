/** The rows of a query without functions: collected column by column, put in the order of the index at the end. */
import { QUERY_LIMITS } from '../../catalogue/query-functions.ts'
import { widened } from './accumulator.ts'
import type { Block, BlockSource } from './block.ts'
import type { ColumnRef } from './columns.ts'
import { tooManyRows } from './groups.ts'
import { compareSources } from './priority.ts'
import type { Loc } from './refusal.ts'

export class Rows {
  private n = 0
  private readonly columns: Float64Array<ArrayBuffer>[]
  private locals = new Float64Array(0)
  private instants = new Float64Array(0)
  private readonly sources: BlockSource[] = []
  private readonly refs: readonly ColumnRef[]
  private readonly loc: Loc

  /** `loc` is the query's: it is where an excess of rows is reported. */
  constructor(refs: readonly ColumnRef[], loc: Loc) {
    this.refs = refs
    this.loc = loc
    this.columns = refs.map(() => new Float64Array(0))
  }

  /** Takes the rows whose group is not -1. */
  add(block: Block, groups: Int32Array): void {
    const kept: number[] = []
    for (let row = 0; row < groups.length; row++) if (groups[row] !== -1) kept.push(row)
    if (this.n + kept.length > QUERY_LIMITS.rows) throw tooManyRows(this.loc)
    this.locals = appended(this.locals, this.n, block.local, kept)
    this.instants = appended(this.instants, this.n, block.instant, kept)
    for (const [k, ref] of this.refs.entries()) {
      this.columns[k] = appended(this.columns[k] as Float64Array<ArrayBuffer>, this.n, block.column(ref), kept)
    }
    for (const _ of kept) this.sources.push(block.source)
    this.n += kept.length
  }

  /** The columns in the order of the request, rows by floating time, then instant, then source. */
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

function appended(to: Float64Array<ArrayBuffer>, at: number, from: Float64Array, rows: readonly number[]) {
  const array = widened(to, at + rows.length, Number.NaN)
  for (let i = 0; i < rows.length; i++) array[at + i] = from[rows[i] as number] as number
  return array
}
