/**
 * Slices of stored samples as blocks of the timeseries table: columns are views of the stored arrays wherever they can
 * be.
 */
import type { UserId } from '../../core/ids.ts'
import { NO_OFFSET, type SampleColumns } from '../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../core/time.ts'
import { zoneOffset } from '../../core/zones.ts'
import type { SeriesSlice, Store } from '../../store/port.ts'
import { type Block, type Column, remembered } from './block.ts'
import type { Window } from './calendar.ts'
import { fieldColumn } from './sample-fields.ts'
import type { TextPool } from './text-pool.ts'

/**
 * Samples of the resources whose floating start may lie in the window (a day more on each side: no offset is longer).
 */
export async function* sampleBlocks(
  source: Pick<Store, 'scanSamples'>,
  user: { readonly userId: UserId; readonly fallbackTimeZone: string | null },
  resources: readonly string[],
  window: Window,
  pool: TextPool,
): AsyncIterable<Block> {
  for (const resource of resources) {
    const range = { resource, provider: null, from: window.from - DAY_MS, to: window.to + DAY_MS }
    for await (const slice of source.scanSamples(user.userId, range)) {
      if (slice.columns.n > 0) yield blockOf(slice, user.fallbackTimeZone ?? 'UTC', pool)
    }
  }
}

function blockOf(slice: SeriesSlice, zone: string, pool: TextPool): Block {
  const { series, columns } = slice
  const local = floating(columns, zone)
  return {
    n: columns.n,
    source: series,
    local,
    instant: columns.start,
    column: remembered(ref => (ref.kind === 'index' ? local : fieldColumn(ref, series, columns, pool))),
  }
}

/** Floating time of each sample: its own offset, else the user's zone (design 5). */
function floating(columns: SampleColumns, zone: string): Column {
  const { n, start, offset } = columns
  if (!offset) {
    const shift = sharedOffset(start, n, zone)
    if (shift === 0) return start
    const local = new Float64Array(n)
    for (let i = 0; i < n; i++) local[i] = (start[i] as number) + (shift ?? zoneOffset(zone, start[i] as number) * 1000)
    return local
  }
  const local = new Float64Array(n)
  for (let i = 0; i < n; i++) {
    const own = offset[i] as number
    const at = start[i] as number
    local[i] = at + (own === NO_OFFSET ? zoneOffset(zone, at) : own) * 1000
  }
  return local
}

/** The one offset (ms) of the zone for all samples of a short slice, or undefined when it changes or may change. */
function sharedOffset(start: Float64Array, n: number, zone: string): number | undefined {
  const [first, last]: EpochMs[] = [start[0] as number, start[n - 1] as number]
  if (zone === 'UTC') return 0
  const offset = zoneOffset(zone, first as number)
  const short = (last as number) - (first as number) <= 2 * DAY_MS
  return short && zoneOffset(zone, last as number) === offset ? offset * 1000 : undefined
}
