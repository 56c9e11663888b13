/** The times of samples in the rows of a source. Indexed reads are unchecked (`as number`) because the loops are hot and the indices are always in range. */
import { type EpochMs, HOUR_MS, MINUTE_MS } from '../../../core/time.ts'
import { Spans } from './cover.ts'
import type { Track, TrackRows } from './track.ts'

/** A source also covers a gap of this length between two of its samples, because devices do not count in the same rhythm. */
export const GAP_MS = 15 * MINUTE_MS
/** A sample of at least this length is the total of a day. */
export const DAY_TOTAL_MS = 20 * HOUR_MS

export interface CoveredTime {
  readonly start: EpochMs
  readonly end: EpochMs
}

/** Returns the time that a block covers without a gap, if that is known without reading its rows. */
export function regularTime({ block: { packing, n }, kept }: TrackRows): CoveredTime | null {
  if (kept !== null || !packing?.regular || packing.durationMs === null || n === 0) return null
  const { regular, durationMs } = packing
  if (durationMs === 0 || durationMs >= DAY_TOTAL_MS || regular.step - durationMs > GAP_MS) return null
  return { start: regular.first, end: regular.first + (n - 1) * regular.step + durationMs }
}

/** Returns the time in which a source has samples that are not totals of days. */
export function detailSpans(track: Track): Spans {
  const spans = new Spans()
  for (const each of track.rows) {
    const time = regularTime(each)
    if (time !== null) spans.append(time.start, time.end, 0)
    else eachDetail(each, (_row, start, end) => spans.append(start, Math.max(end, start + 1), 0))
  }
  return spans
}

/** Calls `found` for each kept row that is not the total of a day. */
function eachDetail(rows: TrackRows, found: (row: number, start: EpochMs, end: EpochMs) => void): void {
  eachRow(rows, (row, start, end) => {
    if (end - start < DAY_TOTAL_MS) found(row, start, end)
  })
}

/** Calls `found` for each kept row. */
export function eachRow({ block, kept }: TrackRows, found: (row: number, start: EpochMs, end: EpochMs) => void): void {
  const { instant, stored } = block
  const mask = kept?.rows ?? null
  const end = stored?.end ?? instant
  for (let row = 0; row < block.n; row++) {
    if (mask === null || mask[row] === 1) found(row, instant[row] as number, end[row] as number)
  }
}
