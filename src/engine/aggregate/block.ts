/** A block: rows of one source as columns of numbers, the unit that travels through an aggregate query. */
import type { ColumnRef } from './columns.ts'

/** What all rows of a block have in common; decides priority, and the order of rows of equal time. */
export interface BlockSource {
  /** REST path name of the resource; null in summary tables. */
  readonly resource: string | null
  readonly provider: string
  readonly sourceType: string
  /** The discriminating type of a series, or null. */
  readonly type: string | null
}

/**
 * Numbers of a column, a row each. NaN is null; a text is its id in the query's pool; a time is milliseconds of
 * floating time.
 */
export type Column = Float64Array

export interface Block {
  readonly n: number
  readonly source: BlockSource
  /** The index column: floating time, milliseconds. */
  readonly local: Column
  /** The true instant: orders rows whose floating times are equal (the hour a clock change repeats). */
  readonly instant: Column
  /** The numbers of a column of the query's table; all null where it is another resource's. */
  column(ref: ColumnRef): Column
}

/** Keeps the columns of a block that were asked for, so that each is made once. */
export function remembered(make: (ref: ColumnRef) => Column): (ref: ColumnRef) => Column {
  const made = new Map<string, Column>()
  return ref => {
    let column = made.get(ref.name)
    if (!column) {
      column = make(ref)
      made.set(ref.name, column)
    }
    return column
  }
}
