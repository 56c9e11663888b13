/** Collects what one answer of a provider brings, with the checks that apply to the data of any provider. */
import { hash } from 'node:crypto'
import { resourceNamed } from '../../catalogue/resources.ts'
import { type SampleBatch, SampleBatchBuilder, type SampleInput, type SeriesKey } from '../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../core/time.ts'
import type { ProviderRecord, PulledPage } from '../connector.ts'
import { timesProblem } from '../files/sample-collector.ts'

/** Samples by series. */
export class SeriesSamples {
  private readonly builders = new Map<string, SampleBatchBuilder>()
  private readonly latestMs: EpochMs

  /** `now` is real time; a sample may start at most a day later. */
  constructor(now: EpochMs) {
    this.latestMs = now + DAY_MS
  }

  /** Adds a sample. Returns what is wrong with it, to follow its name; undefined if it was added. */
  add(series: SeriesKey, sample: SampleInput): string | undefined {
    const start = Math.trunc(sample.start)
    const end = resourceNamed(series.resource)?.kind === 'interval' ? Math.trunc(sample.end ?? start) : start
    if (!Number.isFinite(sample.value)) return 'out of range'
    const problem = timesProblem(start, end, this.latestMs)
    if (problem !== undefined) return problem
    const key = [series.resource, series.type ?? '', series.sourceType].join('\u0000')
    let builder = this.builders.get(key)
    if (builder === undefined) {
      builder = new SampleBatchBuilder(series)
      this.builders.set(key, builder)
    }
    builder.push({ ...sample, start, end })
    return undefined
  }

  /** Returns the batches and empties the collection. */
  take(): readonly SampleBatch[] {
    const batches = [...this.builders.values()].map(builder => builder.take())
    this.builders.clear()
    return batches
  }
}

/** One page on its way to the engine. */
export class CollectedPage {
  readonly records: ProviderRecord[] = []
  readonly samples: SeriesSamples
  private readonly unmapped: Record<string, number> = {}

  constructor(now: EpochMs) {
    this.samples = new SeriesSamples(now)
  }

  /** Counts values that are not mapped, by the provider's name of their kind. */
  skip(kind: string, count = 1): void {
    this.unmapped[kind] = (this.unmapped[kind] ?? 0) + count
  }

  /** Adds a sample without an id at the provider, or counts it as not mapped under `name`. */
  addSample(name: string, series: SeriesKey, sample: SampleInput): void {
    this.countProblem(name, this.samples.add(series, sample))
  }

  countProblem(name: string, problem: string | undefined): void {
    if (problem !== undefined) this.skip(`${name} ${problem}`)
  }

  page(): PulledPage {
    return { records: this.records, batches: this.samples.take(), unmapped: this.unmapped }
  }
}

/** Returns a record with this content; what is left out is empty. */
export function recordOf(
  id: string,
  version: string,
  content: Partial<Pick<ProviderRecord, 'batches' | 'summaries' | 'streams'>> = {},
): ProviderRecord {
  return { id, version, batches: [], summaries: [], streams: [], ...content }
}

/** Returns the mark that the provider no longer has a record. */
export function deletedRecord(id: string): ProviderRecord {
  return { ...recordOf(id, 'deleted'), isDeleted: true }
}

/** Returns the version of a record: a hash of everything that it is made from. */
export function versionOf(...sent: readonly unknown[]): string {
  return hash('sha256', JSON.stringify(sent), 'base64url')
}

/** Returns the address of a path at the provider: `v3/users/self/egvs` below `https://api.example.com` or `http://127.0.0.1:80/base`. */
export function addressOf(base: string, path: string): URL {
  return new URL(path, base.endsWith('/') ? base : `${base}/`)
}
