/** Presents an inner query's result as a block, whose rows form the table that the outer query reads. */
import { present } from '../../../core/present.ts'
import type { Window } from '../plan/calendar.ts'
import type { ResultColumn } from '../result.ts'
import type { Block, BlockSource } from './block.ts'

/** Result rows have no source, because their sources were ranked in the inner query. */
const NO_SOURCE: BlockSource = { resource: null, provider: '', sourceType: '', type: null }

/** Returns the rows of a result whose last column is the index. */
export function innerBlock(columns: readonly ResultColumn[]): Block {
  const index = present(columns.at(-1), 'the index of an inner query').values
  return {
    n: index.length,
    source: NO_SOURCE,
    local: index,
    instant: index,
    column(ref) {
      if (ref.kind === 'index') return index
      return present(
        columns.find(each => ref.kind === 'inner' && each.name === ref.name),
        'a column of an inner query',
      ).values
    },
  }
}

/** Returns a window that contains every row of the block, because a bucket can begin before the window and `align` can extend beyond it. */
export function windowWith({ from, to }: Window, { local }: Block): Window {
  return {
    from: local.reduce((least, at) => Math.min(least, at), from),
    to: local.reduce((most, at) => Math.max(most, at + 1), to),
  }
}
