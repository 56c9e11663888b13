/** Collects samples by series, after the checks that apply to all samples, whether they come from a file or from a live provider. */
import { resourceNamed } from '../../catalogue/resources.ts'
import { type SampleBatch, SampleBatchBuilder, type SampleInput, type SeriesKey } from '../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../core/time.ts'

/** Earliest valid time. Earlier times are not health data; they come from a clock that was never set. */
const EARLIEST_MS: EpochMs = 0

/** One series' samples, and whether they have an end. Samples at an instant have no end. */
interface Series {
  readonly key: SeriesKey
  readonly isInterval: boolean
  readonly builder: SampleBatchBuilder
}

/**
 * Collects samples: `add` accepts a sample or returns its problem, `take` returns full batches while reading continues, and `finish`
 * returns the remaining samples. Fractions of a millisecond are dropped.
 */
export class SampleCollector {
  private readonly series = new Map<string, Series>()
  /** The series of the last sample, because most samples belong to the same series as the previous one. */
  private last: Series | undefined
  private full: SampleBatch[] = []
  private readonly now: EpochMs
  private readonly mostSamples: number

  /** `mostSamples` is the maximum number of samples per series to pass on at once. */
  constructor(now: EpochMs, mostSamples = Number.POSITIVE_INFINITY) {
    this.now = now
    this.mostSamples = mostSamples
  }

  /** Adds a sample. If it cannot be stored, returns the problem as a text that follows the sample's name. */
  add(key: SeriesKey, sample: SampleInput): string | undefined {
    const { value, second, offset, text } = sample
    if (!Number.isFinite(value) || (second !== undefined && !Number.isFinite(second)))
      return 'has a value that is not a finite number'
    const series = this.findSeries(key)
    if (series === undefined) return 'has an unknown resource'
    const problem = timeProblem(sample.start, sample.end ?? sample.start, this.now)
    if (problem !== undefined) return problem
    const start = Math.trunc(sample.start)
    const end = series.isInterval ? Math.trunc(sample.end ?? start) : start
    // written out, because spreading an object is many times slower
    this.push(
      series.builder,
      second === undefined
        ? { start, end, value, offset: offset ?? null, text }
        : { start, end, value, second, offset: offset ?? null, text },
    )
    return undefined
  }

  /** Adds a sample to the samples that `builderFor` returned, without checking it. */
  push(builder: SampleBatchBuilder, sample: SampleInput): void {
    builder.push(sample)
    if (builder.n >= this.mostSamples) this.full.push(builder.take())
  }

  /** Returns the samples of a series. Its resource must be known. */
  builderFor(key: SeriesKey): SampleBatchBuilder {
    const series = this.findSeries(key)
    if (series === undefined) throw new Error('builderOf: the resource is not in the catalogue')
    return series.builder
  }

  take(): SampleBatch[] {
    const full = this.full
    this.full = []
    return full
  }

  finish(): SampleBatch[] {
    const rest = [...this.series.values()].flatMap(({ builder }) => (builder.n > 0 ? builder.take() : []))
    return [...this.take(), ...rest]
  }

  /** Returns a sample's series; undefined for an unknown resource. */
  private findSeries(key: SeriesKey): Series | undefined {
    const { last } = this
    if (last !== undefined && isSame(last.key, key)) return last
    const name = `${key.resource}\u0000${key.type ?? ''}\u0000${key.provider}\u0000${key.sourceType}`
    let series = this.series.get(name)
    if (series === undefined) {
      const resource = resourceNamed(key.resource)
      if (resource === undefined) return undefined
      series = { key, isInterval: resource.kind === 'interval', builder: new SampleBatchBuilder(key) }
      this.series.set(name, series)
    }
    this.last = series
    return series
  }
}

function isSame(a: SeriesKey, b: SeriesKey): boolean {
  return a.resource === b.resource && a.type === b.type && a.provider === b.provider && a.sourceType === b.sourceType
}

/** Returns the problem with a record's times, as a text that follows the record's name; undefined if they are valid. */
export function timeProblem(start: EpochMs, end: EpochMs, now: EpochMs): string | undefined {
  if (!Number.isFinite(start) || !Number.isFinite(end)) return 'has a time that cannot be read'
  if (end < start) return 'ends before it starts'
  if (start > now + DAY_MS) return 'starts more than a day in the future'
  if (start < EARLIEST_MS) return 'starts before 1970'
  return undefined
}
