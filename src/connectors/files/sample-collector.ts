/** Collects the samples of a file by series, after the checks that apply to samples in any format. */
import { resourceNamed } from '../../catalogue/resources.ts'
import { type SampleBatch, SampleBatchBuilder, type SampleInput, type SeriesKey } from '../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../core/time.ts'
import type { ImportItem } from './importer.ts'
import type { SkipCounts } from './skip-counts.ts'

/** Number of samples of one series that are handed over at once. */
const BATCH_SAMPLES = 4096
/** Earlier times are not health data; they come from a clock that was never set. */
const EARLIEST_MS: EpochMs = 0

/**
 * `add` takes a sample or counts it as skipped; `take` returns full batches while reading goes on, and `finish` the rest. Fractions of a
 * millisecond are dropped.
 */
export class SampleCollector {
  private readonly builders = new Map<string, SampleBatchBuilder>()
  private full: SampleBatch[] = []
  private readonly skips: SkipCounts
  private readonly latestMs: EpochMs

  constructor(options: { readonly skips: SkipCounts; readonly now: EpochMs }) {
    this.skips = options.skips
    this.latestMs = options.now + DAY_MS
  }

  /**
   * Adds a sample. Returns false when it was skipped instead. `what` names the kind of record in a reason (`a reading`); `place` says where
   * it is in the file.
   */
  add(series: SeriesKey, sample: SampleInput, what: string, place?: string): boolean {
    const problem = this.problemOf(series, sample)
    if (problem !== undefined) {
      this.skips.add(`${what} ${problem}`, 1, place)
      return false
    }
    const key = `${series.resource}\u0000${series.type ?? ''}\u0000${series.provider}\u0000${series.sourceType}`
    let builder = this.builders.get(key)
    if (builder === undefined) {
      builder = new SampleBatchBuilder(series)
      this.builders.set(key, builder)
    }
    const { value, second, offset, text } = sample
    const start = Math.trunc(sample.start)
    // a sample at an instant has no end
    const isInterval = resourceNamed(series.resource)?.kind === 'interval'
    const end = isInterval ? Math.trunc(sample.end ?? start) : start
    // written out, because spreading an object costs many times as much
    builder.push(
      second === undefined
        ? { start, end, value, offset: offset ?? null, text }
        : { start, end, value, second, offset: offset ?? null, text },
    )
    if (builder.n >= BATCH_SAMPLES) this.full.push(builder.take())
    return true
  }

  *take(): Generator<ImportItem> {
    const full = this.full
    this.full = []
    for (const batch of full) yield { kind: 'samples', batch }
  }

  *finish(): Generator<ImportItem> {
    yield* this.take()
    for (const builder of this.builders.values()) if (builder.n > 0) yield { kind: 'samples', batch: builder.take() }
  }

  private problemOf(series: SeriesKey, sample: SampleInput): string | undefined {
    if (!Number.isFinite(sample.value)) return 'has a value that is not a finite number'
    if (sample.second !== undefined && !Number.isFinite(sample.second)) return 'has a value that is not a finite number'
    if (!resourceNamed(series.resource)) return 'has an unknown resource'
    return timesProblem(sample.start, sample.end ?? sample.start, this.latestMs)
  }
}

/** Returns what is wrong with the times of a record, to follow its name; undefined when they are valid. */
export function timesProblem(start: EpochMs, end: EpochMs, latestMs: EpochMs): string | undefined {
  if (!Number.isFinite(start) || !Number.isFinite(end)) return 'has a time that cannot be read'
  if (end < start) return 'ends before it starts'
  if (start > latestMs) return 'starts more than a day in the future'
  if (start < EARLIEST_MS) return 'starts before 1970'
  return undefined
}
