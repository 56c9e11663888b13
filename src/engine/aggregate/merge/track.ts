/** The rows of a source that a merge goes through. */
import type { RowMask } from '../group/row-mask.ts'
import type { Block, BlockSource } from '../scan/block.ts'

/** Rows of one source in a block. */
export interface TrackRows {
  readonly block: Block
  /** The source with its app and device. */
  readonly source: BlockSource
  /** The rows that belong to the source and that `where` keeps, or null for all rows of the block. */
  readonly kept: RowMask | null
  /** Number of the rows that have a value, if not all of them have one. */
  readonly valued?: number
  /** Whether the only row is the total of a day. */
  readonly isTotal?: boolean
}

/** A source's rows of one resource and type, in time order. */
export interface Track {
  readonly source: BlockSource
  readonly rows: readonly TrackRows[]
}
