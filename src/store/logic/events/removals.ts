/** Collects the data that a transaction removes, and announces it in events without values. See docs/interface/events.md#events-15. */
import { DATA_DELETED, type DeletionReason } from '../../../catalogue/event-types.ts'
import type { SeriesKey } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import type { SummaryRow } from '../samples/summaries.ts'
import type { Steps } from '../steps.ts'
import { eventResource, type OutboxWriter } from './outbox.ts'

/** Maximum number of series, or of summaries, in one event, so that its body stays below 1 MiB. */
const MOST_IN_ONE = 1_000

interface RemovedSamples {
  readonly resource: string
  readonly provider: string
  readonly source_type: string
  readonly source_id: number
  start: EpochMs
  end: EpochMs
  samples: number
}

export class Removals {
  private readonly series = new Map<number, RemovedSamples>()
  private readonly documents: Readonly<Record<string, string>>[] = []

  /** Adds samples of a series that start in a range, whose ends are inclusive. */
  samples(seriesId: number, key: SeriesKey, { n, from, to }: { n: number; from: EpochMs; to: EpochMs }): void {
    if (n === 0) return
    const known = this.series.get(seriesId)
    if (known) {
      known.start = Math.min(known.start, from)
      known.end = Math.max(known.end, to)
      known.samples += n
      return
    }
    const { provider, sourceType } = key
    const resource = eventResource(key.resource)
    const named = { resource, provider, source_type: sourceType, source_id: seriesId }
    this.series.set(seriesId, { ...named, start: from, end: to, samples: n })
  }

  summary(kind: string, { id, provider, source_type, date }: SummaryRow): void {
    this.documents.push({ resource: kind, id, provider, source_type, calendar_date: date })
  }

  /** Adds a workout's stream. */
  stream(
    workoutId: string,
    { provider, source_type }: { readonly provider: string; readonly source_type: string },
  ): void {
    this.documents.push({ resource: 'workout_stream', id: workoutId, provider, source_type })
  }

  /** Writes the events. Writes none if nothing was removed. */
  *announce(outbox: OutboxWriter, reason: DeletionReason): Steps<void> {
    const series = [...this.series.values()]
    const most = Math.max(series.length, this.documents.length)
    for (let from = 0; from < most; from += MOST_IN_ONE) {
      const timeseries = series.slice(from, from + MOST_IN_ONE)
      const summaries = this.documents.slice(from, from + MOST_IN_ONE)
      yield* outbox.document(DATA_DELETED, { reason, timeseries, summaries })
    }
  }

  get isEmpty(): boolean {
    return this.series.size + this.documents.length === 0
  }
}
