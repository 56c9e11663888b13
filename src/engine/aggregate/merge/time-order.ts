/**
 * Puts the rows of a source in time order. A source has several series if its samples differ in kind, or if some are from before schema 11;
 * their blocks may overlap. Indexed reads are unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import type { SampleColumns } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { interleaveColumns, pickRows } from '../../../store/chunk/columns.ts'
import { type Block, type BlockColumn, cacheColumns, type RowKinds } from '../scan/block.ts'
import type { TrackRows } from './track.ts'

/** Returns the rows in time order. Blocks that overlap are joined. */
export function inTimeOrder(rows: readonly TrackRows[]): TrackRows[] {
  const sorted = rows.filter(({ block }) => block.n > 0).sort((a, b) => firstOf(a) - firstOf(b))
  const ordered: TrackRows[] = []
  for (let i = 0; i < sorted.length; ) {
    const first = sorted[i] as TrackRows
    const cluster = [first]
    let last = lastOf(first)
    for (i++; i < sorted.length && firstOf(sorted[i] as TrackRows) <= last; i++) {
      cluster.push(sorted[i] as TrackRows)
      last = Math.max(last, lastOf(sorted[i] as TrackRows))
    }
    ordered.push(cluster.length === 1 ? first : joined(cluster))
  }
  return ordered
}

function firstOf({ block }: TrackRows): EpochMs {
  return block.instant[0] as number
}

function lastOf({ block }: TrackRows): EpochMs {
  return block.instant[block.n - 1] as number
}

/** Returns the kept rows of blocks of one source as one block in time order. Of rows at one time, those of earlier blocks come first. */
function joined(cluster: readonly TrackRows[]): TrackRows {
  const { source, block: model } = cluster[0] as TrackRows
  const parts: Part[] = cluster.map(({ block, kept }) => {
    const all = Uint32Array.from({ length: block.n }, (_, row) => row)
    return { block, rows: kept === null ? all : all.filter(row => kept.rows[row] === 1) }
  })
  const order = parts.flatMap(({ block, rows }, part) =>
    Array.from(rows, row => ({ part, row, at: block.instant[row] as number })),
  )
  order.sort((a, b) => a.at - b.at || a.part - b.part)
  const gather = (columnOf: (block: Block) => BlockColumn): BlockColumn => {
    const columns = parts.map(({ block }) => columnOf(block))
    return Float64Array.from(order, ({ part, row }) => (columns[part] as BlockColumn)[row] as number)
  }
  const instant = gather(block => block.instant)
  const local = gather(block => block.local)
  const block: Block = {
    n: order.length,
    source: model.source,
    instant,
    local,
    stored: joinedColumns(parts),
    column: cacheColumns(ref => gather(each => each.column(ref))),
    kinds: () => joinedKinds(parts, order),
  }
  return { block, source, kept: null }
}

interface Part {
  readonly block: Block
  readonly rows: Uint32Array
}

function joinedColumns(parts: readonly Part[]): SampleColumns | undefined {
  const columns = parts.flatMap(({ block: { stored }, rows }) => (stored ? [pickRows(stored, rows)] : []))
  return columns.length === 0 ? undefined : interleaveColumns(columns)
}

function joinedKinds(
  parts: readonly Part[],
  order: readonly { readonly part: number; readonly row: number }[],
): RowKinds | null {
  const kinds = parts.map(({ block }) => block.kinds?.() ?? null)
  const names = kinds.find(each => each !== null)?.names
  return names ? { names, codes: Uint8Array.from(order, ({ part, row }) => kinds[part]?.codes[row] ?? 0) } : null
}
