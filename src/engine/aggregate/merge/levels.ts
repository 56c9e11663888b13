/**
 * Merges levels such as the heart rate: on each local day, one source counts. See docs/interface/merging.md#merging-6. Indexed reads are
 * unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import { DAY_MS, HOUR_MS } from '../../../core/time.ts'
import { RowMask } from '../group/row-mask.ts'
import { blockTimes } from '../group/times.ts'
import type { Track, TrackRows } from './track.ts'

/** Yields the merged rows, block by block. `tracks` has one resource and type, best source first. */
export function* mergedLevels(tracks: readonly Track[]): Generator<readonly TrackRows[]> {
  const hours: ReadonlyMap<number, number>[] = []
  for (const track of tracks) {
    hours.push(yield* hoursByDay(track))
  }
  const winners = new Map<number, number>()
  for (const day of new Set(hours.flatMap(each => [...each.keys()]))) {
    const counts = hours.map(each => bits(each.get(day) ?? 0))
    const most = Math.max(...counts)
    winners.set(
      day,
      counts.findIndex(count => count > 0 && count * 2 >= most),
    )
  }
  for (const [rank, track] of tracks.entries()) {
    for (const rows of track.rows) yield keptDays(rows, day => winners.get(day) === rank)
  }
}

/** Returns the hours with a sample, as bits, for each local day. Yields nothing, so that other work can run between two blocks. */
function* hoursByDay({ rows }: Track): Generator<readonly TrackRows[], ReadonlyMap<number, number>> {
  const hours = new Map<number, number>()
  let last = Number.NaN
  const mark = (local: number): void => {
    const hour = Math.floor(local / HOUR_MS)
    if (hour === last) return
    last = hour
    const day = Math.floor(hour / 24)
    hours.set(day, (hours.get(day) ?? 0) | (1 << (hour - day * 24)))
  }
  for (const { block, kept } of rows) {
    yield []
    const { regular, n } = block
    if (kept === null && regular && regular.step > 0 && regular.step <= HOUR_MS && n > 0) {
      const end = regular.first + (n - 1) * regular.step
      for (let at = regular.first; at < end; at += HOUR_MS) mark(at)
      mark(end)
    } else for (let row = 0; row < n; row++) if (kept === null || kept.rows[row] === 1) mark(block.local[row] as number)
  }
  return hours
}

function bits(hours: number): number {
  let count = 0
  for (let rest = hours; rest !== 0; rest &= rest - 1) count++
  return count
}

/** Returns the rows of these days, or nothing if there are none. */
function keptDays(rows: TrackRows, isKept: (day: number) => boolean): readonly TrackRows[] {
  const { block, kept } = rows
  const times = blockTimes(block)
  const mask = new Uint8Array(block.n)
  let count = 0
  for (let row = 0; row < block.n; ) {
    const day = Math.floor(times.at(row) / DAY_MS)
    const end = times.ordered ? times.rowAt((day + 1) * DAY_MS, row + 1) : row + 1
    if (isKept(day)) {
      mask.fill(1, row, end)
      count += end - row
    }
    row = end
  }
  if (count === 0) return []
  if (count === block.n) return [rows]
  if (kept !== null)
    for (let row = 0; row < block.n; row++) mask[row] = (mask[row] as number) & (kept.rows[row] as number)
  return [{ ...rows, kept: RowMask.ofRows(mask) }]
}
