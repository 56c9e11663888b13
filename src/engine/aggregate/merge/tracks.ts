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
  /** The kind of its rows, as a code; 0 if kinds are not separate. */
  readonly kind: number
  readonly rows: TrackRows[]
  readonly series: Set<BlockSource>
}

/** What tells the rows of a block apart. */
interface Told {
  readonly app: string | null
  readonly device: string | null
  readonly kind: number
}

export class Tracks {
  private readonly byName = new Map<string, Collected>()
  private readonly separatesKinds: (resource: string) => boolean

  /** `separatesKinds` returns whether the kinds of a resource are merged separately. */
  constructor(separatesKinds: (resource: string) => boolean) {
    this.separatesKinds = separatesKinds
  }

  add(block: Block, kept: RowMask | null): void {
    const text = block.stored?.text
    const [app, device] = [text?.get('app_id'), text?.get('device_id')]
    const kinds = (this.separatesKinds(block.source.resource ?? '') && block.kinds?.()) || null
    if (isShared(app) && isShared(device) && kinds === null) {
      this.put(block, kept, { app: app?.values[0] ?? null, device: device?.values[0] ?? null, kind: 0 })
      return
    }
    const kindCount = kinds?.names.length ?? 1
    const mask = kept?.rows ?? null
    const devices = (device?.values.length ?? 0) + 1
    const rowsOf = new Map<number, Uint8Array<ArrayBuffer>>()
    let [code, rows] = [-1, new Uint8Array(0)]
    for (let row = 0; row < block.n; row++) {
      if (mask !== null && mask[row] === 0) continue
      const source = (app?.codes[row] ?? 0) * devices + (device?.codes[row] ?? 0)
      const own = source * kindCount + (kinds?.codes[row] ?? 0)
      if (own !== code) [code, rows] = [own, getOrInsert(rowsOf, own, () => new Uint8Array(block.n))]
      rows[row] = 1
    }
    for (const [own, marked] of rowsOf) {
      const isAll = rowsOf.size === 1 && mask === null
      const source = Math.floor(own / kindCount)
      this.put(block, isAll ? null : RowMask.ofRows(marked), {
        app: nameOf(app, Math.floor(source / devices)),
        device: nameOf(device, source % devices),
        kind: own % kindCount,
      })
    }
  }

  /** Returns the tracks in one list for each resource, type, and kind if kinds are separate. */
  quantities(): readonly (readonly Track[])[] {
    const all = new Map<string, Track[]>()
    for (const { source, kind, rows, series } of this.byName.values()) {
      const track = { source, rows: series.size > 1 ? inTimeOrder(rows) : rows }
      getOrInsert(all, JSON.stringify([source.resource, source.type, kind]), () => []).push(track)
    }
    return [...all.values()]
  }

  private put(block: Block, kept: RowMask | null, { app, device, kind }: Told): void {
    const { resource, type, provider, sourceType } = block.source
    const name = JSON.stringify([resource, type, provider, sourceType, app, device, kind])
    const source = { ...block.source, app, device }
    const track = getOrInsert(this.byName, name, (): Collected => ({ source, kind, rows: [], series: new Set() }))
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
