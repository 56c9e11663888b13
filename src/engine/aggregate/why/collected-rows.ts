/** Keeps the rows that a query goes through, so that one number can be explained row by row. */
import type { RowMask } from '../group/row-mask.ts'
import type { TrackRows } from '../merge/track.ts'
import type { Block } from '../scan/block.ts'
import type { RowObserver } from '../trace.ts'

/** Rows of a block that functions used; null for all of them. */
export interface TakenRows {
  readonly block: Block
  readonly kept: RowMask | null
}

export class CollectedRows implements RowObserver {
  readonly blocks: Block[] = []
  /** By source. Filled only by merged queries of samples. */
  readonly kept: TrackRows[] = []
  readonly used: TakenRows[] = []

  read(block: Block): void {
    this.blocks.push(block)
  }

  stored(rows: TrackRows): void {
    this.kept.push(rows)
  }

  taken(block: Block, kept: RowMask | null): void {
    this.used.push({ block, kept })
  }
}

/** Calls `found` for each row that the mask keeps. */
export function eachKept(n: number, kept: RowMask | null, found: (row: number) => void): void {
  const rows = kept?.rows ?? null
  for (let row = 0; row < n; row++) if (rows === null || rows[row] === 1) found(row)
}
