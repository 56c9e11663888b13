/** Collects what is not known about the data at an earlier time, and from when it is. See docs/interface/why.md#why-7. */
import { ServiceError } from '../../../../core/errors.ts'
import { type EpochMs, formatInstant } from '../../../../core/time.ts'

/** Something that is not known before a time. */
export interface Gap {
  readonly reason: string
  readonly until: EpochMs
}

export class Uncertainty {
  /** The gap that ends last; null if everything is known. */
  last: Gap | null = null

  add(until: EpochMs, reason: string): void {
    if (this.last === null || until > this.last.until) this.last = { until, reason }
  }
}

/**
 * Returns what `compute` returns for a time. If not everything is known then, looks for the earliest later time for which it is, because
 * other things may not be known at the end of a gap. Throws ServiceError `history_incomplete` with that time.
 */
export async function computeCertain<T>(
  at: EpochMs,
  now: EpochMs,
  compute: (at: EpochMs) => Promise<{ readonly result: T; readonly gap: Gap | null }>,
): Promise<T> {
  const { result, gap } = await compute(at)
  if (gap === null) return result
  let earliest = gap.until
  // at present, everything is known
  while (earliest < now) {
    const next = (await compute(earliest)).gap
    if (next === null) break
    earliest = next.until
  }
  const time = formatInstant(Math.min(earliest, now))
  const message = `The data of that time cannot be computed completely, because ${gap.reason}. It can from ${time} on.`
  throw new ServiceError('history_incomplete', message, {
    body: { detail: message, earliest: time },
    suggestions: ['Ask for that time or a later one, or leave as_of (--as-of) out for the present.'],
  })
}
