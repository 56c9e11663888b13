/**
 * Defines the block: rows of one source as columns of numbers, the unit in which data moves through an aggregate query. Reads by index are
 * unchecked (`as number`), because the loops are hot and stay in range.
 */
import { getOrInsert } from '../../../core/maps.ts'
import type { ColumnRef } from '../plan/columns.ts'

/** The values that all rows of a block have in common; they decide priority and the order of rows at the same time. */
export interface BlockSource {
  /** REST path name of the resource; null in summary tables. */
  readonly resource: string | null
  readonly provider: string
  readonly sourceType: string
  /** The type that distinguishes series of the same resource, or null. */
  readonly type: string | null
}

/** A column's numbers, one per row. NaN is null, a text is its ID in the query's pool, a time is in milliseconds of floating time. */
export type BlockColumn = Float64Array

/** A packed column: the value of a row is (base + code) / scale. It has no nulls. */
export interface CodeColumn {
  readonly codes: Uint8Array | Uint16Array
  readonly base: number
  readonly scale: number
}

export interface Block {
  readonly n: number
  readonly source: BlockSource
  /** The index column: floating time in milliseconds. */
  readonly local: BlockColumn
  /** The true instant, for ordering rows whose floating times are equal (in the hour that a clock change repeats). */
  readonly instant: BlockColumn
  /** Returns the numbers of one of the table's columns; all null if the column belongs to another resource. */
  column(ref: ColumnRef): BlockColumn
  /** Floating times are first + i × step, with step above 0; null or absent if that is not known. */
  readonly regular?: { readonly first: number; readonly step: number } | null
  /** Returns the column in packed form, if it is packed, so that a scan need not unpack it. */
  codes?(ref: ColumnRef): CodeColumn | null
  /** Size in bytes of the packed chunk that contains the rows; absent for summaries. */
  readonly bytes?: number | undefined
  /** Returns the value that all rows share (NaN: null), or undefined if that is not known. */
  constant?(ref: ColumnRef): number | undefined
}

/** Caches the columns of a block, so that each is built only once. */
export function cacheColumns(make: (ref: ColumnRef) => BlockColumn): (ref: ColumnRef) => BlockColumn {
  const made = new Map<string, BlockColumn>()
  return ref => {
    return getOrInsert(made, ref.id, () => make(ref))
  }
}

/** Returns the value of a packed row, bit for bit as it was stored. */
export function unpackValue(column: CodeColumn, row: number): number {
  const whole = column.base + (column.codes[row] as number)
  return column.scale === 1 ? whole : whole / column.scale
}
