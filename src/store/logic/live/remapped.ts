/** Describes what today's mapping makes of a provider's record. */
import { startAt } from '../../../core/sample.ts'
import type { LiveRecord } from '../../live/pulls.ts'
import type { RemappedRecord } from '../../live/remapped-record.ts'
import { splitByOrigin } from '../samples/origins.ts'

/** Returns the record without its values. */
export function remappedRecord(collection: string, record: LiveRecord): RemappedRecord {
  const batches = record.batches.filter(({ n }) => n > 0).flatMap(splitByOrigin)
  return {
    collection,
    id: record.id,
    version: record.version,
    samples: batches.map(batch => ({
      series: batch.series,
      origin: batch.origin,
      starts: Float64Array.from({ length: batch.n }, (_, row) => startAt(batch, row)),
    })),
    summaries: record.summaries.map(({ kind, id }) => [kind, id]),
    streams: record.streams.map(({ workoutId }) => workoutId),
  }
}
