/**
 * Defines the block: one source's rows as columns of numbers, the unit in which an aggregate query processes data. Indexed reads are
 * unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import { getOrInsert } from '../../../core/maps.ts'
import type { SampleColumns, SamplePacking } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { StoredSummary } from '../../../store/sample.ts'
import type { ColumnRef } from '../plan/columns.ts'

/** The values that all rows of a block share. They determine the source's priority and the order of rows with the same time. */
export interface BlockSource {
  /** REST path name of the resource. Null in summary tables. */
  readonly resource: string | null
  readonly provider: string
  readonly sourceType: string
  /** The type that distinguishes series of the same resource, or null. */
  readonly type: string | null
  /** The app and the device that recorded the rows. Only set in a merged query, which tells them apart. */
  readonly app?: string | null
  readonly device?: string | null
}

/** A column's numbers, one per row. NaN is null, a text is its ID in the query's pool, and a time is floating time in milliseconds. */
export type BlockColumn = Float64Array

/** A packed column without nulls. A row's value is (base + code) / scale. */
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
  /** The exact instant, for ordering rows with equal floating times (in the hour that a clock change repeats). */
  readonly instant: BlockColumn
  /** Returns the numbers of one of the table's columns. All are null if the column belongs to another resource. */
  column(ref: ColumnRef): BlockColumn
  /** If floating times are known to be first + i × step, `first` and `step`, with `step` above 0. Otherwise null or absent. */
  readonly regular?: { readonly first: number; readonly step: number } | null
  /** Returns the column in packed form if it is packed, so that a scan does not need to unpack it. */
  codes?(ref: ColumnRef): CodeColumn | null
  /** Size in bytes of the packed chunk that contains the rows. Absent for summaries. */
  readonly bytes?: number | undefined
  /** The rows as stored, and how they are packed, for a merge. Absent for summaries. */
  readonly stored?: SampleColumns | undefined
  readonly packing?: SamplePacking | undefined
  /** The samples of which the rows are parts. Only set for parts of samples. */
  readonly parts?: BlockParts
  /** The summaries that the rows show. Only set for tables of summaries. */
  readonly summaries?: readonly StoredSummary[]
  /** What the values of a row were computed from. Only set for computed tables. */
  readonly computed?: (row: number) => ComputedRow
  /** Returns the kinds of the rows, or null if every row is of the usual kind. Absent for tables without kinds. */
  kinds?(): RowKinds | null
  /** Returns the value that all rows share (NaN means null), or undefined if the value is not known. */
  constant?(ref: ColumnRef): number | undefined
}

/** Where the rows of a block of parts come from. */
export interface BlockParts {
  readonly of: Block
  /** The row of `of`, for each part. */
  readonly rows: readonly number[]
  /** The end of each part, in epoch milliseconds. */
  readonly ends: readonly EpochMs[]
}

/** What a computed row was made from. */
export interface ComputedRow {
  readonly summaries: readonly StoredSummary[]
  /** The numbers that go into the row's values, by name; null if there is none. */
  readonly inputs: Readonly<Record<string, number | string | null>>
}

/** The name for rows whose value has no kind, because there is no value. */
export const NO_KIND = ''

/** The kind of each row: `names[code]`. Code 0 is the usual kind. */
export interface RowKinds {
  readonly names: readonly string[]
  readonly codes: Uint8Array
}

/** Caches a block's columns, so that each one is built only once. */
export function cacheColumns(make: (ref: ColumnRef) => BlockColumn): (ref: ColumnRef) => BlockColumn {
  const made = new Map<string, BlockColumn>()
  return ref => {
    return getOrInsert(made, ref.id, () => make(ref))
  }
}

/** Returns a packed row's value, identical bit for bit to the stored value. */
export function unpackValue(column: CodeColumn, row: number): number {
  const whole = column.base + (column.codes[row] as number)
  return column.scale === 1 ? whole : whole / column.scale
}
