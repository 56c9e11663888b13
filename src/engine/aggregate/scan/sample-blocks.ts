/**
 * Reads slices of stored samples as blocks of the timeseries table. Columns are views of the stored arrays wherever possible. Indexed reads
 * are unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import type { UserId } from '../../../core/ids.ts'
import { NO_OFFSET, type SampleColumns, type SamplePacking } from '../../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import { zoneOffset } from '../../../core/zones.ts'
import type { SeriesSlice } from '../../../store/sample.ts'
import type { Window } from '../plan/calendar.ts'
import type { ColumnRef } from '../plan/columns.ts'
import { type Block, type BlockColumn, cacheColumns } from './block.ts'
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
      if (slice.columns.n > 0) yield buildBlock(slice, user.fallbackTimeZone ?? 'UTC', pool)
    }
  }
}

function buildBlock(slice: SeriesSlice, zone: string, pool: TextPool): Block {
  const { series, columns, packing } = slice
  const shift = packing ? sharedShift(packing, columns.n, zone) : undefined
  const regular =
    packing?.regular && shift !== undefined
      ? { first: packing.regular.first + shift, step: packing.regular.step }
      : null
  let local: BlockColumn | undefined
  const block: Block = {
    n: columns.n,
    source: series,
    bytes: slice.bytes,
    stored: columns,
    packing,
    regular,
    get local() {
      local ??= floating(columns, zone, shift)
      return local
    },
    get instant() {
      return columns.start
    },
    column: cacheColumns(ref => (ref.kind === 'index' ? block.local : fieldColumn(ref, series, columns, pool))),
    codes: ref => (isValue(ref, series.resource) ? (packing?.codes ?? null) : null),
    constant: ref => sharedValue(ref, series, packing, pool),
    kinds: () => rowKinds(series, columns),
  }
  return block
}

function isValue(ref: ColumnRef, resource: string): boolean {
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
function floating({ n, start, offset }: SampleColumns, zone: string, known: number | undefined): BlockColumn {
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
