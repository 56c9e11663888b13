/**
 * Divides the rows that `where` keeps into the sources that a merge tells apart: provider, source type, app and device. Indexed reads are
 * unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import { getOrInsert } from '../../../core/maps.ts'
import type { DictColumn } from '../../../core/sample.ts'
import { RowMask } from '../group/row-mask.ts'
import type { Block, BlockSource } from '../scan/block.ts'
import { inTimeOrder } from './time-order.ts'
import type { Track, TrackRows } from './track.ts'

/** A track while its blocks are added. Blocks of one series are in time order, but not those of several. */
interface Collected {
  readonly source: BlockSource
  readonly rows: TrackRows[]
  readonly series: Set<BlockSource>
}

export class Tracks {
  private readonly byName = new Map<string, Collected>()

  add(block: Block, kept: RowMask | null): void {
    const text = block.stored?.text
    const [app, device] = [text?.get('app_id'), text?.get('device_id')]
    if (isShared(app) && isShared(device)) {
      this.put(block, kept, app?.values[0] ?? null, device?.values[0] ?? null)
      return
    }
    const mask = kept?.rows ?? null
    const devices = (device?.values.length ?? 0) + 1
    const rowsOf = new Map<number, Uint8Array<ArrayBuffer>>()
    let [code, rows] = [-1, new Uint8Array(0)]
    for (let row = 0; row < block.n; row++) {
      if (mask !== null && mask[row] === 0) continue
      const own = (app?.codes[row] ?? 0) * devices + (device?.codes[row] ?? 0)
      if (own !== code) [code, rows] = [own, getOrInsert(rowsOf, own, () => new Uint8Array(block.n))]
      rows[row] = 1
    }
    for (const [own, marked] of rowsOf) {
      const isAll = rowsOf.size === 1 && mask === null
      const [appId, deviceId] = [nameOf(app, Math.floor(own / devices)), nameOf(device, own % devices)]
      this.put(block, isAll ? null : RowMask.ofRows(marked), appId, deviceId)
    }
  }

  /** Returns the tracks in one list for each resource and type. */
  quantities(): readonly (readonly Track[])[] {
    const all = new Map<string, Track[]>()
    for (const { source, rows, series } of this.byName.values()) {
      const track = { source, rows: series.size > 1 ? inTimeOrder(rows) : rows }
      getOrInsert(all, JSON.stringify([source.resource, source.type]), () => []).push(track)
    }
    return [...all.values()]
  }

  private put(block: Block, kept: RowMask | null, app: string | null, device: string | null): void {
    const { resource, type, provider, sourceType } = block.source
    const name = JSON.stringify([resource, type, provider, sourceType, app, device])
    const source = { ...block.source, app, device }
    const track = getOrInsert(this.byName, name, (): Collected => ({ source, rows: [], series: new Set() }))
    track.rows.push({ block, source: track.source, kept })
    track.series.add(block.source)
  }
}

/** Whether all rows have the same value, or none. */
function isShared(column: DictColumn | undefined): boolean {
  return column === undefined || (column.values.length === 1 && !column.codes.includes(0))
}

function nameOf(column: DictColumn | undefined, code: number): string | null {
  return code === 0 ? null : (column?.values[code - 1] ?? null)
}
