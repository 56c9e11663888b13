/**
 * The buckets of an aligned result: those with data, those between them, and those that a cap adds at either end. Indexed reads are
 * unchecked (`as number`) because the loops are hot and the indices are always in range.
 */
import { QUERY_LIMITS } from '../../../catalogue/query-functions.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { Alignment } from '../plan/align-plan.ts'
import { bucketStart, plus } from '../plan/calendar.ts'

/** Result rows that differ only in their bucket. All other group keys are equal. */
export interface Partition {
  /** Result rows in ascending order of bucket. */
  readonly rows: readonly number[]
}

/** All positions of an aligned result, one partition after another, each in ascending bucket order. */
export interface Spine {
  /** Bucket start at each position. */
  readonly buckets: readonly EpochMs[]
  /** Result row at each position, or -1 if the bucket has no data. */
  readonly rows: readonly number[]
  /** Index of each partition's first position, followed by the total number of positions. */
  readonly starts: readonly number[]
}

/**
 * Returns the spine, or null if it would have more positions than the row limit. `now` is a floating time, and no value is carried past the
 * bucket that contains it.
 */
export function buildSpine(
  partitions: readonly Partition[],
  bucketOfRow: Float64Array,
  alignment: Alignment,
  now: EpochMs,
): Spine | null {
  const { mode, bucket, cap } = alignment
  const back = { ...bucket, value: -bucket.value }
  const today = bucketStart(bucket, now)
  const buckets: EpochMs[] = []
  const rows: number[] = []
  const starts = [0]
  /** Adds a position. Returns false if the limit is exceeded. */
  const add = (at: EpochMs, row: number): boolean => buckets.push(at) <= QUERY_LIMITS.rows && rows.push(row) > 0
  for (const partition of partitions) {
    const first = bucketOfRow[partition.rows[0] as number] as number
    const last = bucketOfRow[partition.rows.at(-1) as number] as number
    let from = first
    if (cap !== null && mode !== 'carry_forward') {
      // each step adds a position below, so there is no need to look beyond the row limit
      for (let steps = 0; steps <= QUERY_LIMITS.rows; steps++) {
        const before = plus(from, back)
        if (plus(before, cap) < first) break
        from = before
      }
    }
    let to = last
    if (cap !== null && mode !== 'carry_backward') to = Math.max(last, Math.min(today, plus(last, cap)))
    let next = 0
    for (let at = from; at <= to; at = plus(at, bucket)) {
      const row = partition.rows[next]
      const observed = row !== undefined && bucketOfRow[row] === at
      if (observed) next++
      if (!add(at, observed ? row : -1)) return null
    }
    starts.push(buckets.length)
  }
  return { buckets, rows, starts }
}
