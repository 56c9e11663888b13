/** Joins the hypnograms of a night's parts. */
import { readInstant, SECOND_MS } from '../../../../core/time.ts'
import type { StoredSummary } from '../../../../store/sample.ts'
import type { Hypnograms, Segment } from '../../scan/hypnograms.ts'

/** Returns the hypnograms of rows that consist of these stored parts. The segments of the parts follow each other. */
export function joinedHypnograms(
  stored: Hypnograms,
  partsOf: (row: StoredSummary) => readonly StoredSummary[],
): Hypnograms {
  return row => {
    const parts = partsOf(row)
    if (parts.length === 1) return stored(parts[0] as StoredSummary)
    const start = readInstant(row.document['bedtime_start'])
    const segments = parts.flatMap((part): readonly Segment[] => {
      const at = readInstant(part.document['bedtime_start'])
      const own = stored(part)
      if (own === undefined || at === undefined || start === undefined) return []
      const shift = (at - start) / SECOND_MS
      const moved = own.map(({ stage, startSecond, endSecond }) => ({
        stage,
        startSecond: startSecond + shift,
        endSecond: endSecond + shift,
      }))
      return moved
    })
    return segments.length === 0 ? undefined : segments
  }
}
