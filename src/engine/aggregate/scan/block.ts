/** A block: rows of one source as columns of numbers, the unit that travels through an aggregate query. */
import type { ColumnRef } from '../plan/columns.ts'

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

/** A column as it is packed: the value of a row is (base + code) / scale. It has no nulls. */
export interface CodeColumn {
  readonly codes: Uint8Array | Uint16Array
  readonly base: number
  readonly scale: number
}

export interface Block {
  readonly n: number
  readonly source: BlockSource
  /** The index column: floating time, milliseconds. */
  readonly local: Column
  /** The true instant: orders rows whose floating times are equal (the hour a clock change repeats). */
  readonly instant: Column
  /** The numbers of a column of the query's table; all null where it is another resource's. */
  column(ref: ColumnRef): Column
  /** Floating times are first + i × step, step above 0; null or absent where that is not known. */
  readonly regular?: { readonly first: number; readonly step: number } | null
  /** The column as it is packed, where it is: a scan need not unpack it. */
  codes?(ref: ColumnRef): CodeColumn | null
  /** Bytes of the packed chunk the rows come from; absent for summaries. */
  readonly bytes?: number | undefined
  /** The value that all rows share (NaN: null), or undefined where that is not known. */
  constant?(ref: ColumnRef): number | undefined
}

/** Keeps the columns of a block that were asked for, so that each is made once. */
export function remembered(make: (ref: ColumnRef) => Column): (ref: ColumnRef) => Column {
  const made = new Map<string, Column>()
  return ref => {
    let column = made.get(ref.id)
    if (!column) {
      column = make(ref)
      made.set(ref.id, column)
    }
    return column
  }
}

/** The value of a packed row, bit for bit what was stored. */
export function unpacked(column: CodeColumn, row: number): number {
  const whole = column.base + (column.codes[row] as number)
  return column.scale === 1 ? whole : whole / column.scale
}
