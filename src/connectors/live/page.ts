/** Collects what one answer of a provider brought: records, samples without an id, and the number of values without a mapping. */
import { resourceNamed } from '../../catalogue/resources.ts'
import type { SampleBatch, SampleInput, SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import type { EpochMs } from '../../core/time.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../connector.ts'
import { ProviderError } from '../provider-session.ts'
import { SampleCollector, timeProblem } from '../shared/sample-collector.ts'
import { MOST_RECORDS } from './answer-limits.ts'

/** A sample with its resource, named as in REST paths, and the device that it comes from. */
export interface LiveSample extends SampleInput {
  readonly resource: string
  /** For resources whose type is part of the key: `rapid_acting`. */
  readonly type?: string | null
  readonly sourceType: string
}

/** Number of kinds that one page counts apart: a provider could invent any number of fields. */
const MOST_KINDS = 200

/** Collects samples of the resources that the person granted; the others are dropped. */
class Samples {
  private readonly page: LivePage
  private readonly collector: SampleCollector

  constructor(page: LivePage) {
    this.page = page
    this.collector = new SampleCollector(page.now)
  }

  /** Adds a sample. `kind` is the provider's name of the value, under which an invalid one is counted. */
  add(sample: LiveSample, kind: string): void {
    const { page } = this
    const { resource, type = null, sourceType } = sample
    if (!page.supplies(resource)) return
    const problem = this.collector.add({ resource, type, provider: page.provider, sourceType }, sample)
    if (problem !== undefined) page.skip(`${kind} out of range`)
  }

  take(): SampleBatch[] {
    return this.collector.finish()
  }
}

/** One record, and all that follows from it. */
export class LiveRecordBuilder {
  readonly samples: Samples
  private readonly summaries: SummaryRecord[] = []
  private readonly streams: StreamRecord[] = []
  private readonly id: string
  private readonly version: string
  private readonly page: LivePage

  constructor(page: LivePage, id: string, version: string) {
    this.page = page
    this.id = id
    this.version = version
    this.samples = new Samples(page)
  }

  /** Adds a summary; one of a kind that the person did not grant is dropped. */
  summary(summary: SummaryRecord): void {
    if (!this.page.supplies(summary.kind)) return
    if (timeProblem(summary.at, summary.at, this.page.now) !== undefined) this.page.skip(`${summary.kind} out of range`)
    else this.summaries.push(summary)
  }

  stream(stream: StreamRecord): void {
    if (this.page.supplies('workout_stream')) this.streams.push(stream)
  }

  take(): ProviderRecord {
    const { id, version, summaries, streams } = this
    return { id, version, batches: this.samples.take(), summaries, streams }
  }
}

export class LivePage {
  /** Samples without an id. */
  readonly samples: Samples
  readonly provider: string
  readonly now: EpochMs
  private readonly granted: ReadonlySet<string>
  private readonly built: LiveRecordBuilder[] = []
  private readonly deleted: ProviderRecord[] = []
  private readonly unmapped = new Map<string, number>()

  constructor(provider: string, asked: Pick<PullRequest, 'resources' | 'now'>) {
    this.provider = provider
    this.granted = new Set(asked.resources)
    this.now = asked.now
    this.samples = new Samples(this)
  }

  /** Tells whether data of a resource (its name in REST paths, or the kind of a summary) is wanted. */
  supplies(resource: string): boolean {
    return this.granted.has(resourceNamed(resource)?.queryName ?? resource)
  }

  /** Adds a record. Throws ProviderError `bad_answer` for more than a page may have. */
  record(id: string, version: string): LiveRecordBuilder {
    if (this.built.length >= MOST_RECORDS) {
      throw new ProviderError('bad_answer', `${this.provider} sent a page of more than ${MOST_RECORDS} records.`)
    }
    const record = new LiveRecordBuilder(this, id, version)
    this.built.push(record)
    return record
  }

  /** Says that the provider no longer has a record, or no longer counts it as one. */
  gone(id: string, version = 'gone'): void {
    this.deleted.push({ id, version, batches: [], summaries: [], streams: [], isDeleted: true })
  }

  /** Counts values without a mapping by the provider's name of their kind. A name that could hold a value is not shown. */
  skip(kind: string, count = 1): void {
    if (count === 0) return
    const named = /^[\w.,()/ -]{1,80}$/.test(kind) ? kind : 'other fields'
    const shown = this.unmapped.has(named) || this.unmapped.size < MOST_KINDS ? named : 'other fields'
    this.unmapped.set(shown, (this.unmapped.get(shown) ?? 0) + count)
  }

  /** Counts the fields of an object that are neither mapped nor needed to read it, if they have a value. */
  skipOthers(object: Readonly<Record<string, unknown>>, known: ReadonlySet<string>, kind: string): void {
    for (const [name, value] of Object.entries(object)) {
      if (!known.has(name) && value !== null && value !== '') this.skip(`${kind}.${name}`)
    }
  }

  take(): PulledPage {
    return {
      records: [...this.built.map(each => each.take()), ...this.deleted],
      batches: this.samples.take(),
      unmapped: Object.fromEntries(this.unmapped),
    }
  }
}
