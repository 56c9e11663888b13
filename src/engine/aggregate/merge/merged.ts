/** Replaces the stored rows of a timeseries query with merged rows. See docs/interface/merging.md. */
import { isDivisible, resourceNamed } from '../../../catalogue/resources.ts'
import { DAY_MS } from '../../../core/time.ts'
import { TimeSlice } from '../../../core/time-slice.ts'
import type { MergeOrder } from '../functions/priority.ts'
import { keyStepMs } from '../group/group-keys.ts'
import type { RowFilter } from '../group/plausible-filter.ts'
import type { Window } from '../plan/calendar.ts'
import type { GroupKey } from '../plan/keys.ts'
import { groupsByKind } from '../plan/kinds.ts'
import type { Block, BlockSource } from '../scan/block.ts'
import type { RowObserver } from '../trace.ts'
import { mergedAmounts } from './amounts.ts'
import type { Contributions } from './contributions.ts'
import { mergedLevels } from './levels.ts'
import type { MergedSource, MergeReport } from './report.ts'
import type { Track, TrackRows } from './track.ts'
import { Tracks } from './tracks.ts'

export interface Merging {
  readonly filter: RowFilter | null
  readonly keys: readonly GroupKey[]
  readonly window: Window
  readonly order: MergeOrder
  readonly report: MergeReport
  /** Receives the stored rows, for an explanation. */
  readonly contributions: Contributions | undefined
  /** Receives the same rows, for an explanation of one number. */
  readonly observer: RowObserver | undefined
  readonly signal: AbortSignal | undefined
}

/** Yields the merged rows of all blocks. Reads every block before the first row, but unpacks only what it needs. */
export async function* mergedRows(blocks: AsyncIterable<Block>, merging: Merging): AsyncIterable<TrackRows> {
  const tracks = new Tracks(resource => groupsByKind(merging.keys, resource))
  const slice = new TimeSlice()
  for await (const block of blocks) {
    tracks.add(block, merging.filter?.mask(block) ?? null)
    if (slice.isOver) await slice.rest(merging.signal)
  }
  for (const quantity of tracks.quantities()) {
    if (merging.contributions || merging.observer) {
      for (const some of quantity.flatMap(({ rows }) => rows)) {
        merging.contributions?.addStored(some)
        merging.observer?.stored(some)
        if (slice.isOver) await slice.rest(merging.signal)
      }
    }
    const ranked = [...quantity].sort((a, b) => merging.order.compare(a.source, b.source))
    const reported = reportOn(ranked, merging.report)
    for (const some of merged(ranked, merging)) {
      for (const rows of some) {
        const of = reported.get(rows.source)
        if (of) of.parts += rows.valued ?? countRows([rows])
        if (rows.isTotal && rows.valued === 0) noteTotal(rows, merging)
        yield rows
      }
      if (slice.isOver) await slice.rest(merging.signal)
    }
  }
}

function* merged(tracks: readonly Track[], { keys, window, order }: Merging): Generator<readonly TrackRows[]> {
  const resource = resourceNamed(tracks[0]?.source.resource ?? '')
  if (!resource || resource.shape === 'text') {
    for (const { rows } of tracks) yield rows
  } else if (isDivisible(resource)) {
    const cutMs = Math.min(DAY_MS, ...keys.map(keyStepMs))
    const { isPreferred } = order
    yield* mergedAmounts(tracks, { cutMs, edge: window.from, hasTotals: cutMs === DAY_MS, isPreferred })
  } else yield* mergedLevels(tracks)
}

/** Adds the sources to the report. Returns their entries. */
function reportOn(tracks: readonly Track[], { sources }: MergeReport): ReadonlyMap<BlockSource, MergedSource> {
  const entries = new Map<BlockSource, MergedSource>()
  for (const [i, { source, rows }] of tracks.entries()) {
    entries.set(source, { source, rank: i + 1, rows: countRows(rows), parts: 0 })
  }
  sources.push(...entries.values())
  return entries
}

function countRows(rows: readonly TrackRows[]): number {
  return rows.reduce((sum, { block, kept }) => sum + (kept === null ? block.n : kept.keptIn(0, block.n)), 0)
}

/** Counts a total without a value if it is in the window. */
function noteTotal({ block, source }: TrackRows, { window, report }: Merging): void {
  const local = block.local[0] as number
  if (source.resource === null || local < window.from || local >= window.to) return
  report.emptyTotals.set(source.resource, (report.emptyTotals.get(source.resource) ?? 0) + 1)
}
