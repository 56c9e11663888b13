/** Decides which totals of days count. See docs/interface/merging.md#merging-5. */
import { type EpochMs, HOUR_MS } from '../../../core/time.ts'
import type { AmountRules } from './amount-rules.ts'
import { Spans, Uncovered } from './cover.ts'
import { Parts } from './parts.ts'
import { DAY_TOTAL_MS, detailSpans, eachRow } from './sample-times.ts'
import type { Track, TrackRows } from './track.ts'

/** A total does not count if there are other samples in at least this share of its hours. */
const COVERED_SHARE = 1 / 4

/** A sample that is the total of a day. */
export interface DayTotal {
  readonly rows: TrackRows
  readonly row: number
  readonly start: EpochMs
  readonly end: EpochMs
  readonly rank: number
}

/** Returns the day totals that are used. `tracks` has one resource and type, best source first. */
export function countedTotals(tracks: readonly Track[], rules: AmountRules): readonly DayTotal[] {
  const totals = tracks.flatMap((track, rank) => dayTotals(track, rank))
  const spans = totals.length === 0 ? [] : tracks.map(detailSpans)
  return withoutRepeats(totals.filter(total => counts(total, tracks, spans, rules)))
}

function dayTotals(track: Track, rank: number): DayTotal[] {
  const totals: DayTotal[] = []
  for (const rows of track.rows) {
    const durationMs = rows.block.packing?.durationMs ?? null
    if (durationMs !== null && durationMs < DAY_TOTAL_MS) continue
    eachRow(rows, (row, start, end) => {
      if (end - start >= DAY_TOTAL_MS) totals.push({ rows, row, start, end, rank })
    })
  }
  return totals
}

/**
 * Returns whether a total counts: there are shorter samples in few of its hours, or its source is preferred to every source that has them.
 */
function counts(total: DayTotal, tracks: readonly Track[], spans: readonly Spans[], rules: AmountRules): boolean {
  const { start, end, rank } = total
  const own = (tracks[rank] as Track).source
  const finer = tracks.filter((_, i) => (spans[i] as Spans).overlap(start, end))
  if (finer.every(({ source }) => rules.isPreferred(own, source))) return true
  const all = Math.ceil((end - start) / HOUR_MS)
  let covered = 0
  for (let hour = 0; hour < all; hour++) {
    const from = start + hour * HOUR_MS
    if (spans.some(each => each.overlap(from, Math.min(end, from + HOUR_MS)))) covered++
    if (covered >= all * COVERED_SHARE) return false
  }
  return true
}

/** Returns the totals without those of which at least half is covered by totals of better sources, or by earlier ones of the same source. */
function withoutRepeats(totals: readonly DayTotal[]): readonly DayTotal[] {
  const kept: DayTotal[] = []
  let [better, own, uncovered] = [new Spans(), new Spans(), new Uncovered(new Spans())]
  let [rank, done] = [-1, Number.NEGATIVE_INFINITY]
  for (const total of [...totals].sort((a, b) => a.rank - b.rank || a.start - b.start)) {
    const { start, end } = total
    if (total.rank !== rank) {
      better = better.joinedWith(own)
      ;[own, uncovered, done, rank] = [new Spans(), new Uncovered(better), Number.NEGATIVE_INFINITY, total.rank]
    }
    let free = 0
    uncovered.parts(Math.max(start, done), end, (from, to) => {
      free += to - from
    })
    if (free * 2 <= end - start) continue
    kept.push(total)
    own.append(start, end, 0)
    done = Math.max(done, end)
  }
  return kept
}

/** Returns a total as a row. It is never divided. In buckets shorter than a day it has no value. */
export function totalRows({ rows, row, start, end }: DayTotal, { hasTotals }: AmountRules): TrackRows {
  return {
    block: Parts.whole(rows.block, row, start, end, !hasTotals),
    source: rows.source,
    kept: null,
    valued: hasTotals ? 1 : 0,
    isTotal: true,
  }
}
