/**
 * Merges amounts such as steps: at each time, only the best source that covers it counts. See docs/interface/merging.md#merging-3. Indexed
 * reads are unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import type { EpochMs } from '../../../core/time.ts'
import { RowMask } from '../group/row-mask.ts'
import type { Block } from '../scan/block.ts'
import type { AmountRules } from './amount-rules.ts'
import { Spans, Uncovered } from './cover.ts'
import { countedTotals, totalRows } from './day-totals.ts'
import { Parts } from './parts.ts'
import { type CoveredTime, DAY_TOTAL_MS, GAP_MS, regularTime } from './sample-times.ts'
import type { Track, TrackRows } from './track.ts'

/**
 * Yields the merged rows, block by block; often none. `tracks` has one resource and type, best source first.
 */
export function* mergedAmounts(tracks: readonly Track[], rules: AmountRules): Generator<readonly TrackRows[]> {
  const kept = countedTotals(tracks, rules)
  const replaced = new Spans()
  for (const { start, end } of [...kept].sort((a, b) => a.start - b.start)) replaced.append(start, end, 0)
  yield* details(tracks, replaced, rules)
  for (const total of kept) yield [totalRows(total, rules)]
}

/** Yields what counts of the samples that are not totals of days. Samples that a total replaces have no value. */
function* details(tracks: readonly Track[], replaced: Spans, rules: AmountRules): Generator<readonly TrackRows[]> {
  const points = new Set<EpochMs>()
  let better = new Spans()
  for (const track of tracks) {
    const sweep = new Sweep(better, replaced, points, rules)
    for (const rows of track.rows) yield sweep.add(rows)
    better = better.joinedWith(sweep.own)
    for (const point of sweep.points) points.add(point)
  }
}

/** Goes through the samples of one source in time order. */
class Sweep {
  /** The time that the source covers. */
  readonly own = new Spans()
  /** The times of its samples without a length. */
  readonly points: EpochMs[] = []
  /** The end of its samples so far. */
  private done = Number.NEGATIVE_INFINITY
  private readonly uncovered: Uncovered
  private readonly better: Spans
  private readonly replaced: Spans
  private readonly betterPoints: ReadonlySet<EpochMs>
  private readonly rules: AmountRules

  constructor(better: Spans, replaced: Spans, betterPoints: ReadonlySet<EpochMs>, rules: AmountRules) {
    this.better = better
    this.replaced = replaced
    this.betterPoints = betterPoints
    this.rules = rules
    this.uncovered = new Uncovered(better)
  }

  /** Returns the rows that count in full, and the parts of other rows that count. */
  add(rows: TrackRows): readonly TrackRows[] {
    const time = regularTime(rows)
    if (time === null || !this.isInOrder(rows.block, time)) return this.addEach(rows)
    const found = this.addRegular(rows, time)
    this.own.append(time.start, time.end, GAP_MS)
    this.done = Math.max(this.done, time.end)
    return found
  }

  /** Whether no row of a regular block overlaps another one or a total, or crosses a boundary. */
  private isInOrder({ packing, regular }: Block, { start, end }: CoveredTime): boolean {
    const durationMs = packing?.durationMs ?? 0
    const { first, step } = regular ?? { first: 0, step: 0 }
    const { cutMs, edge } = this.rules
    if (step <= 0 || durationMs > step || cutMs % step !== 0 || start < this.done) return false
    if (first < edge && edge < first + end - start) return false
    const isAligned = (((first % step) + step) % step) + durationMs <= step
    return isAligned && !this.replaced.overlap(start, end)
  }

  /** Goes through a regular block from one span of the better sources to the next. */
  private addRegular(rows: TrackRows, time: CoveredTime): readonly TrackRows[] {
    const { better } = this
    if (!better.overlap(time.start, time.end)) return [rows]
    if (better.contain(time.start, time.end)) return []
    const { n, packing } = rows.block
    const { first, step } = packing?.regular ?? { first: 0, step: 1 }
    const durationMs = packing?.durationMs ?? 0
    const rowsUntil = (until: EpochMs): number => Math.min(n, Math.floor((until - durationMs - first) / step) + 1)
    const whole = new Uint8Array(n)
    const parts = new Parts(rows.block, this.rules, new Uncovered(this.replaced))
    let at = better.firstAfter(time.start)
    let wholes = 0
    for (let row = 0; row < n; ) {
      const start = first + row * step
      while (at < better.ends.length && (better.ends[at] as number) <= start) at++
      const [from, to] = [better.starts[at] ?? Number.POSITIVE_INFINITY, better.ends[at] ?? Number.POSITIVE_INFINITY]
      let next = row + 1
      if (from >= start + durationMs) {
        next = rowsUntil(from)
        whole.fill(1, row, next)
        wholes += next - row
      } else if (from <= start && to >= start + durationMs) next = rowsUntil(to)
      else this.uncovered.parts(start, start + durationMs, (a, b) => parts.add(row, a, b, durationMs))
      row = next
    }
    return this.found(rows, whole, wholes, parts)
  }

  private found(rows: TrackRows, whole: Uint8Array, wholes: number, parts: Parts): readonly TrackRows[] {
    const divided = parts.block()
    return [
      ...(wholes === 0 ? [] : [wholes === rows.block.n ? rows : { ...rows, kept: RowMask.ofRows(whole) }]),
      ...(divided === null ? [] : [{ ...rows, block: divided, kept: null, valued: parts.valued }]),
    ]
  }

  private addEach(rows: TrackRows): readonly TrackRows[] {
    const { block, kept } = rows
    const { n, instant, local } = block
    const durationMs = block.packing?.durationMs ?? null
    const ends = durationMs === null ? (block.stored?.end ?? instant) : null
    const mask = kept?.rows ?? null
    const { cutMs, edge } = this.rules
    const { starts: from, ends: to } = this.better
    const whole = new Uint8Array(n)
    const parts = new Parts(block, this.rules, new Uncovered(this.replaced))
    const isReplaced = this.replaced.starts.length > 0
    let wholes = 0
    let [at, boundary] = [0, Number.NEGATIVE_INFINITY]
    for (let row = 0; row < n; row++) {
      if (mask !== null && mask[row] === 0) continue
      const start = instant[row] as number
      const end = ends === null ? start + (durationMs as number) : (ends[row] as number)
      if (end - start >= DAY_TOTAL_MS) continue
      if (end === start) {
        this.addPoint(row, start, parts)
        continue
      }
      // most rows either count as they are, or not at all
      const begin = start < this.done ? this.done : start
      while (at < to.length && (to[at] as number) <= begin) at++
      const isFree = at === to.length || (from[at] as number) >= end
      const localStart = local[row] as number
      if (!(localStart < boundary && localStart >= boundary - cutMs))
        boundary = (Math.floor(localStart / cutMs) + 1) * cutMs
      const localEnd = localStart + end - start
      const isOneBucket = localEnd <= boundary && !(localStart < edge && edge < localEnd)
      if (isFree && begin === start && isOneBucket && !isReplaced) {
        whole[row] = 1
        wholes++
      } else if (begin < end && (isFree || (from[at] as number) > begin || (to[at] as number) < end)) {
        this.uncovered.parts(begin, end, (a, b) => parts.add(row, a, b, end - start))
      }
      this.own.append(start, end, GAP_MS)
      if (end > this.done) this.done = end
    }
    return this.found(rows, whole, wholes, parts)
  }

  private addPoint(row: number, time: EpochMs, parts: Parts): void {
    this.points.push(time)
    if (!this.betterPoints.has(time) && !this.uncovered.isCovered(time)) parts.add(row, time, time, 0)
  }
}
