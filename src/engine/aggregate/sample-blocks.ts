/**
 * Slices of stored samples as blocks of the timeseries table: columns are views of the stored arrays wherever they can
 * be.
 */
import type { UserId } from '../../core/ids.ts'
import { NO_OFFSET, type SampleColumns, type TextColumn } from '../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../core/time.ts'
import { zoneOffset } from '../../core/zones.ts'
import type { SeriesSlice, Store } from '../../store/port.ts'
import { type Block, type BlockSource, type Column, remembered } from './block.ts'
import type { Window } from './calendar.ts'
import type { ColumnRef } from './columns.ts'
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

function fieldColumn(ref: ColumnRef, series: BlockSource, columns: SampleColumns, pool: TextPool): Column {
  const { n } = columns
  if (ref.kind !== 'sample' || (ref.resource !== null && ref.resource !== series.resource)) return nulls(n)
  const { origin } = ref.field
  switch (origin.kind) {
    case 'value':
      return columns.value
    case 'second':
      return columns.second ?? nulls(n)
    case 'duration':
      return durations(columns)
    case 'offset':
      return offsets(columns)
    case 'provider':
      return new Float64Array(n).fill(pool.id(series.provider))
    case 'sourceType':
      return new Float64Array(n).fill(pool.id(series.sourceType))
    case 'text':
      if (origin.column === 'type' && series.type !== null) return new Float64Array(n).fill(pool.id(series.type))
      return texts(columns, origin.column, pool)
  }
}

function nulls(n: number): Column {
  return new Float64Array(n).fill(Number.NaN)
}

function durations({ n, start, end }: SampleColumns): Column {
  const seconds = new Float64Array(n)
  if (end) for (let i = 0; i < n; i++) seconds[i] = ((end[i] as number) - (start[i] as number)) / 1000
  return seconds
}

function offsets({ n, offset }: SampleColumns): Column {
  const seconds = nulls(n)
  if (offset) {
    for (let i = 0; i < n; i++) if (offset[i] !== NO_OFFSET) seconds[i] = offset[i] as number
  }
  return seconds
}

function texts({ n, text }: SampleColumns, name: TextColumn, pool: TextPool): Column {
  const column = text.get(name)
  const ids = nulls(n)
  if (!column) return ids
  const idOfCode = column.values.map(value => pool.id(value))
  for (let i = 0; i < n; i++) {
    const code = column.codes[i] as number
    if (code !== 0) ids[i] = idOfCode[code - 1] as number
  }
  return ids
}
