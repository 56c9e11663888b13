/** Counts a remap's changes by resource, and passes each of them on to a listener. */
import type { SampleBatch, SampleColumns, SeriesKey, SummaryRecord } from '../../../core/sample.ts'
import type { StreamRecord } from '../../../core/stream.ts'
import type { EpochMs } from '../../../core/time.ts'
import { decodeStream } from '../../chunk/stream-codec.ts'
import type { RemapCounts, RemapListener, StreamVersion } from '../../remap.ts'
import { shownName } from '../../tables/table.ts'
import { decoding } from '../rows/damage.ts'
import { type DataSource, WORKOUT_STREAM } from '../samples/data-writer.ts'
import type { StreamOutcome, StreamRow } from '../samples/streams.ts'
import type { SummaryOutcome, SummaryRow } from '../samples/summaries.ts'
import type { BatchOutcome } from '../samples/writer.ts'

export class RemapTally implements Pick<DataSource, 'written' | 'summaryWritten' | 'streamWritten'> {
  readonly counts: Record<string, RemapCounts> = {}
  private readonly listener: RemapListener | null

  constructor(listener: RemapListener | null) {
    this.listener = listener
    listener?.begin()
  }

  /** Whether anything was added, changed or removed. */
  get hasChanges(): boolean {
    return Object.values(this.counts).some(({ added, changed, removed }) => added + changed + removed > 0)
  }

  written({ series }: SampleBatch, { created, updated, before }: BatchOutcome): void {
    this.samples(series, null, created)
    this.samples(series, before, updated)
  }

  /** Notes samples that were added, changed or removed. If both are present, they have the same starts. */
  samples(series: SeriesKey, before: SampleColumns | null, after: SampleColumns | null): void {
    const n = (after ?? before)?.n ?? 0
    if (n === 0) return
    this.count(series.resource, before && after ? 'changed' : after ? 'added' : 'removed', n)
    this.listener?.samples(series, before, after)
  }

  summaryWritten({ kind }: SummaryRecord, { kind: outcome, before, row }: SummaryOutcome): void {
    if (outcome !== 'unchanged') this.summary(kind, before, row)
  }

  summary(kind: string, before: SummaryRow | null, after: SummaryRow | null): void {
    this.count(kind, before && after ? 'changed' : after ? 'added' : 'removed', 1)
    this.listener?.summary(kind, before, after)
  }

  streamWritten(stream: StreamRecord, { kind: outcome, before }: StreamOutcome): void {
    if (outcome === 'unchanged') return
    const { workoutId: workout_id, provider, sourceType: source_type, n } = stream
    this.stream(before, { workout_id, provider, source_type, n }, stream.at)
  }

  stream(before: StreamRow | null, after: StreamVersion | null, at: EpochMs): void {
    this.count(WORKOUT_STREAM, before && after ? 'changed' : after ? 'added' : 'removed', 1)
    this.listener?.stream(before, after, at)
  }

  /** Notes a stored stream that was removed, or replaced with another one. */
  storedStream(before: StreamRow, after: StreamVersion | null): void {
    this.stream(before, after, streamStart(before))
  }

  kept(name: string, n = 1): void {
    this.count(name, 'kept', n)
  }

  private count(name: string, what: keyof RemapCounts, n: number): void {
    if (n === 0) return
    this.counts[name] ??= { added: 0, changed: 0, removed: 0, kept: 0 }
    this.counts[name][what] += n
  }
}

function streamStart({ workout_id, data }: StreamRow): EpochMs {
  const { time } = decoding(
    () => decodeStream(data),
    () => ({ what: `the stream of workout ${shownName(workout_id)}`, userId: null }),
  )
  return time[0] ?? 0
}
