/** Finds the same workout in several sources. See docs/interface/merging.md#merging-14. */
import { sportFamily } from '../../../../catalogue/sports.ts'
import { MINUTE_MS } from '../../../../core/time.ts'
import type { Match } from './clusters.ts'
import { seconds } from './nights.ts'
import { overlap, type Session } from './session.ts'

const STARTS_APART_MS = 10 * MINUTE_MS
const SAME_OVERLAP = 0.7
const LEAST_RATIO = 0.8

/** Returns whether two workouts of different sources are the same one. */
export function sameWorkout(better: Session, other: Session): Match | null {
  const starts = Math.abs(better.start - other.start)
  const share = overlap(better, other)
  const [a, b] = [better.end - better.start, other.end - other.start]
  const ratio = Math.min(a, b) / Math.max(a, b)
  const isSame =
    starts <= STARTS_APART_MS && share >= SAME_OVERLAP && ratio >= LEAST_RATIO && areCompatible(better, other)
  if (!isSame) return null
  const reason = () =>
    `overlap ${share.toFixed(2)}, starts ${seconds(starts)} apart, durations ${ratio.toFixed(2)} alike`
  return { overlap: share, reason }
}

function areCompatible(a: Session, b: Session): boolean {
  const [x, y] = [familyOf(a), familyOf(b)]
  return x === null || y === null || x === y
}

/** Returns the family of a workout's sport, or null if it can be any. */
function familyOf({ row }: Session): string | null {
  const { sport } = row.document as { readonly sport?: { readonly slug?: unknown } | null }
  return typeof sport?.slug === 'string' ? sportFamily(sport.slug) : null
}
