/** Converts heart rate readings within a workout into the workout's stream. */
import type { Sport } from '../../catalogue/sports.ts'
import type { EpochMs } from '../../core/time.ts'
import { type SummarySource, summaryId } from '../shared/summaries.ts'
import type { LiveRecordBuilder } from './page.ts'

/** A heart rate reading, in beats per minute. */
export interface Beat {
  readonly at: EpochMs
  readonly bpm: number
}

/** Returns the readings from `from` to `to`, both inclusive, in ascending order. */
export function beatsWithin(beats: readonly Beat[], from: EpochMs, to: EpochMs): readonly Beat[] {
  return beats.filter(({ at }) => at >= from && at <= to).sort((a, b) => a.at - b.at)
}

/** Returns a workout's mean and maximum heart rate, as fields of its summary; empty if there are no readings. */
export function heartRateFields(beats: readonly Beat[]): Readonly<Record<string, number>> {
  if (beats.length === 0) return {}
  const sum = beats.reduce((total, { bpm }) => total + bpm, 0)
  return { average_hr: Math.round(sum / beats.length), max_hr: beats.reduce((most, { bpm }) => Math.max(most, bpm), 0) }
}

/** Adds the stream of the workout that begins at `start`. `beats` must be ascending. If there are none, there is no stream. */
export function addBeats(
  record: LiveRecordBuilder,
  source: SummarySource,
  { start, sport }: { readonly start: EpochMs; readonly sport: Sport },
  beats: readonly Beat[],
): void {
  if (beats.length === 0) return
  record.stream({
    workoutId: summaryId(source, 'workouts'),
    provider: source.provider,
    sourceType: source.sourceType,
    at: start,
    offset: source.offset,
    providerId: source.recordId,
    sport: { ...sport },
    n: beats.length,
    time: Float64Array.from(beats, each => each.at),
    columns: new Map([['heartrate', Float64Array.from(beats, each => each.bpm)]]),
  })
}
