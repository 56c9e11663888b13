/**
 * Counts requests so that no sliding window ever contains more than its limit allows. A window is divided into sub-buckets. Requests
 * admitted in a sub-bucket must be sent before it ends. Therefore, a window can overlap only with the current sub-bucket and with those
 * that began within one window length before it. Together, they never exceed the limit.
 */
import type { EpochMs } from '../../../core/time.ts'
import type { BudgetLimit, BudgetRequest, BudgetShare } from '../../live/budgets.ts'

const SUB_BUCKETS = 10

/** Request counts, by window length in milliseconds and sub-bucket number. */
export type Taken = Readonly<Record<string, readonly (readonly [bucket: number, count: number])[]>>

/** The state of one limit at a point in time. */
interface LimitWindow {
  readonly most: number
  readonly name: string
  readonly lengthMs: number
  /** Number of the current sub-bucket. */
  readonly bucket: number
  /** Number of sub-buckets that a window can overlap. */
  readonly overlaps: number
  /** The sub-buckets that count now, oldest first. */
  readonly counts: readonly (readonly [bucket: number, count: number])[]
  readonly used: number
}

function runningWindow({ most, windowMs }: BudgetLimit, taken: Taken, now: EpochMs): LimitWindow {
  const lengthMs = Math.max(1, Math.floor(windowMs / SUB_BUCKETS))
  const overlaps = Math.ceil(windowMs / lengthMs) + 1
  const bucket = Math.floor(now / lengthMs)
  // a clock that is slightly ahead has counted requests in future sub-buckets; entries further ahead were made before a clock was set back
  const counts = (taken[`${windowMs}`] ?? []).filter(([at]) => Math.abs(at - bucket) < overlaps)
  const used = counts.reduce((sum, [, count]) => sum + count, 0)
  return { most, name: `${windowMs}`, lengthMs, bucket, overlaps, counts, used }
}

/** Returns how many requests a process may send, and the resulting counts. */
export function takeFrom(
  taken: Taken,
  { limits, wanted, now }: BudgetRequest,
): { readonly share: BudgetShare; readonly taken: Taken } {
  const all = limits.map(limit => runningWindow(limit, taken, now))
  const allowed = Math.max(0, Math.min(wanted, ...all.map(({ most, used }) => most - used)))
  if (allowed === 0) return { share: { allowed: 0, validUntil: now, waitMs: waitMs(all, now) }, taken }
  const validUntil = Math.min(...all.map(({ bucket, lengthMs }) => (bucket + 1) * lengthMs), Number.MAX_SAFE_INTEGER)
  const counted = all.map(({ name, bucket, counts }) => [name, countedIn(counts, bucket, allowed)] as const)
  return { share: { allowed, validUntil, waitMs: 0 }, taken: Object.fromEntries(counted) }
}

/** Returns how many requests currently count towards each limit. */
export function countUsed(taken: Taken, limits: readonly BudgetLimit[], now: EpochMs) {
  return limits.map(limit => ({ ...limit, count: runningWindow(limit, taken, now).used }))
}

function countedIn(counts: LimitWindow['counts'], bucket: number, more: number): LimitWindow['counts'] {
  const sums = new Map(counts)
  sums.set(bucket, (sums.get(bucket) ?? 0) + more)
  return [...sums].sort(([a], [b]) => a - b)
}

/** Returns the time until every limit allows a request again, in milliseconds. */
function waitMs(all: readonly LimitWindow[], now: EpochMs): number {
  let wait = 1
  for (const { most, used, counts, lengthMs, overlaps } of all) {
    let left = used
    for (const [bucket, count] of counts) {
      if (left < most) break
      left -= count
      wait = Math.max(wait, (bucket + overlaps) * lengthMs - now)
    }
  }
  return wait
}
