/**
 * Reads slices of stored samples as blocks of the timeseries table. Columns are views of the stored arrays wherever possible. Indexed reads
 * are unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import type { UserId } from '../../../core/ids.ts'
import { getOrInsert } from '../../../core/maps.ts'
import { NO_OFFSET, type SampleColumns, type SamplePacking } from '../../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import { zoneOffset } from '../../../core/zones.ts'
import type { SeriesSlice } from '../../../store/sample.ts'
import type { Window } from '../plan/calendar.ts'
import type { ColumnRef } from '../plan/columns.ts'
import type { Block, BlockColumn, BlockSource, CodeColumn, RowKinds } from './block.ts'
import { fieldColumn, sharedValue } from './sample-fields.ts'
import { rowKinds } from './sample-kinds.ts'
import type { QuerySource } from './source.ts'
import type { TextPool } from './text-pool.ts'

/**
 * Yields the samples of these resources whose floating start may be in the window. Also reads the day before and the day after, because no
 * offset is longer than a day.
 */
export async function* sampleBlocks(
  source: Pick<QuerySource, 'samples'>,
  user: { readonly userId: UserId; readonly fallbackTimeZone: string | null },
  resources: readonly string[],
  window: Window,
  pool: TextPool,
): AsyncIterable<Block> {
  for (const resource of resources) {
    const range = { resource, provider: null, from: window.from - DAY_MS, to: window.to + DAY_MS }
    for await (const slice of source.samples.scan(user.userId, range)) {
      if (slice.columns.n > 0) yield new SampleBlock(slice, user.fallbackTimeZone ?? 'UTC', pool)
    }
  }
}

/** A class, because a scan makes thousands of blocks, and functions of their own would cost more than the rest of a block. */
class SampleBlock implements Block {
  readonly n: number
  readonly source: BlockSource
  readonly bytes: number | undefined
  readonly stored: SampleColumns
  readonly packing: SamplePacking | undefined
  readonly regular: NonNullable<Block['regular']> | null
  private readonly zone: string
  private readonly pool: TextPool
  private readonly shift: number | undefined
  private floating: BlockColumn | undefined
  private columns: Map<string, BlockColumn> | undefined

  constructor({ series, columns, packing, bytes }: SeriesSlice, zone: string, pool: TextPool) {
    const shift = packing ? sharedShift(packing, columns.n, zone) : undefined
    this.n = columns.n
    this.source = series
    this.bytes = bytes
    this.stored = columns
    this.packing = packing
    this.regular =
      packing?.regular && shift !== undefined
        ? { first: packing.regular.first + shift, step: packing.regular.step }
        : null
    this.zone = zone
    this.pool = pool
    this.shift = shift
  }

  get local(): BlockColumn {
    this.floating ??= floatingTimes(this.stored, this.zone, this.shift)
    return this.floating
  }

  get instant(): BlockColumn {
    return this.stored.start
  }

  column(ref: ColumnRef): BlockColumn {
    if (ref.kind === 'index') return this.local
    this.columns ??= new Map()
    return getOrInsert(this.columns, ref.id, () => fieldColumn(ref, this.source, this.stored, this.pool))
  }

  codes(ref: ColumnRef): CodeColumn | null {
    return isValue(ref, this.source.resource) ? (this.packing?.codes ?? null) : null
  }

  constant(ref: ColumnRef): number | undefined {
    return sharedValue(ref, this.source, this.packing, this.pool)
  }

  kinds(): RowKinds | null {
    return rowKinds(this.source, this.stored)
  }
}

function isValue(ref: ColumnRef, resource: string | null): boolean {
  return ref.kind === 'sample' && ref.resource === resource && ref.field.origin.kind === 'value'
}

/** Returns the floating time minus the true time in milliseconds, if the difference is the same for all samples of a packed chunk. */
function sharedShift({ offset, regular }: SamplePacking, n: number, zone: string): number | undefined {
  if (offset === null) return undefined
  if (offset !== NO_OFFSET) return offset * 1000
  if (!regular) return zone === 'UTC' ? 0 : undefined
  return sharedOffset(regular.first, regular.first + (n - 1) * regular.step, zone)
}

/** Returns each sample's floating time, computed with its own offset or otherwise with the user's zone. */
function floatingTimes({ n, start, offset }: SampleColumns, zone: string, known: number | undefined): BlockColumn {
  const shared =
    known ?? (offset || n === 0 ? undefined : sharedOffset(start[0] as number, start[n - 1] as number, zone))
  if (shared === 0) return start
  const local = new Float64Array(n)
  if (shared !== undefined) for (let i = 0; i < n; i++) local[i] = (start[i] as number) + shared
  else {
    for (let i = 0; i < n; i++) {
      const own = offset ? (offset[i] as number) : NO_OFFSET
      const at = start[i] as number
      local[i] = at + (own === NO_OFFSET ? zoneOffset(zone, at) : own) * 1000
    }
  }
  return local
}

/** Returns the zone's only offset in a short period, in milliseconds, or undefined if the offset changes or may change. */
function sharedOffset(first: EpochMs, last: EpochMs, zone: string): number | undefined {
  if (zone === 'UTC') return 0
  const offset = zoneOffset(zone, first)
  return last - first <= 2 * DAY_MS && zoneOffset(zone, last) === offset ? offset * 1000 : undefined
}
