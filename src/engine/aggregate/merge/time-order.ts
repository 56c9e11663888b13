/**
 * Puts the rows of a source in time order. A source with samples from before schema 11 has them in two series, whose blocks may overlap.
 * Indexed reads are unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import type { EpochMs } from '../../../core/time.ts'
import { RowMask } from '../group/row-mask.ts'
import type { TrackRows } from './track.ts'

/** Rows of a block that are in time order, and the next one of those that are left. */
interface Rest {
  readonly rows: TrackRows
  readonly last: EpochMs
  row: number
}

/** Returns the rows in time order. Blocks that overlap are divided. */
export function inTimeOrder(rows: readonly TrackRows[]): TrackRows[] {
  const rests = rows.flatMap(each => {
    const { n, instant } = each.block
    const rest = { rows: each, last: instant[n - 1] as number, row: -1 }
    return advance(rest) ? [rest] : []
  })
  rests.sort((a, b) => time(a) - time(b))
  const ordered: TrackRows[] = []
  for (let i = 0; i < rests.length; ) {
    const cluster = [rests[i] as Rest]
    let last = (rests[i] as Rest).last
    for (i++; i < rests.length && time(rests[i] as Rest) < last; i++) {
      cluster.push(rests[i] as Rest)
      last = Math.max(last, (rests[i] as Rest).last)
    }
    if (cluster.length === 1) ordered.push((cluster[0] as Rest).rows)
    else ordered.push(...divided(cluster))
  }
  return ordered
}

/** Yields the rows of overlapping blocks in runs, each of which comes before the next row of every other block. */
function* divided(rests: Rest[]): Generator<TrackRows> {
  for (;;) {
    const [first, second] = [...rests].sort((a, b) => time(a) - time(b))
    if (first === undefined) return
    const until = second ? time(second) : Number.POSITIVE_INFINITY
    const mask = new Uint8Array(first.rows.block.n)
    let isOver = false
    do {
      mask[first.row] = 1
      isOver = !advance(first)
    } while (!isOver && time(first) < until)
    yield { ...first.rows, kept: RowMask.ofRows(mask) }
    if (isOver) rests.splice(rests.indexOf(first), 1)
  }
}

function time({ rows, row }: Rest): EpochMs {
  return rows.block.instant[row] as number
}

/** Goes to the next kept row. Returns false if there is none. */
function advance(rest: Rest): boolean {
  const { block, kept } = rest.rows
  do rest.row++
  while (rest.row < block.n && kept !== null && kept.rows[rest.row] === 0)
  return rest.row < block.n
}
