/** Collects the samples of a file by series, after the checks that every sample must pass whatever format it came in. */
import { resourceNamed } from '../../catalogue/resources.ts'
import { type SampleBatch, SampleBatchBuilder, type SampleInput, type SeriesKey } from '../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../core/time.ts'
import type { ImportItem } from './importer.ts'
import type { SkipCounts } from './skip-counts.ts'

/** Samples of one series handed over at once. */
const BATCH_SAMPLES = 4096
/** Times before it are no health data but a clock that was never set. */
const EARLIEST_MS: EpochMs = 0

/**
 * `add` takes a sample or counts it as skipped; `take` hands over full batches as the reading goes on, `finish` the rest. Finer
 * times than milliseconds are cut off.
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

  /** Whether the sample was taken. `what` names the kind of record in a reason (`a reading`); `place` where it stands. */
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
    // a sample at an instant keeps no end
    const isInterval = resourceNamed(series.resource)?.kind === 'interval'
    const end = isInterval ? Math.trunc(sample.end ?? start) : start
    // written out: a spread of an object costs many times as much
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
    if (!resourceNamed(series.resource)) return 'is of a resource that is not known'
    return timesProblem(sample.start, sample.end ?? sample.start, this.latestMs)
  }
}

/** What is wrong with the times of a record, ready to follow its name; undefined when they are right. */
export function timesProblem(start: EpochMs, end: EpochMs, latestMs: EpochMs): string | undefined {
  if (!Number.isFinite(start) || !Number.isFinite(end)) return 'has a time that cannot be read'
  if (end < start) return 'ends before it starts'
  if (start > latestMs) return 'starts more than a day in the future'
  if (start < EARLIEST_MS) return 'starts before 1970'
  return undefined
}
