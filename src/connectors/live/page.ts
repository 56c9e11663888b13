/** Collects one provider response's content: records, samples without an ID, and the number of values without a mapping. */
import { resourceNamed } from '../../catalogue/resources.ts'
import type { SampleBatch, SampleInput, SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import type { EpochMs } from '../../core/time.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../connector.ts'
import { ProviderError } from '../provider-session.ts'
import type { JsonObject } from '../shared/json-fields.ts'
import { SampleCollector, timeProblem } from '../shared/sample-collector.ts'
import type { SummarySource } from '../shared/summaries.ts'
import { countKind, OTHER_KINDS } from './kind-counts.ts'
import { type RecordForm, RecordView } from './record-view.ts'
import { MOST_RECORDS } from './response-limits.ts'

/** A sample with its resource, named as in REST paths, and its device. */
export interface LiveSample extends SampleInput {
  readonly resource: string
  /** Type, for resources whose key includes the type: `rapid_acting`. */
  readonly type?: string | null
  readonly sourceType: string
}

/** Collects samples of resources that the person granted, and drops all others. */
class Samples {
  private readonly page: LivePage
  private readonly collector: SampleCollector

  constructor(page: LivePage) {
    this.page = page
    this.collector = new SampleCollector(page.now)
  }

  /** Adds a sample. `kind` is the provider's name for the value, under which an invalid sample is counted. */
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

/** A record and the data derived from it. */
export class LiveRecordBuilder {
  readonly samples: Samples
  private readonly summaries: SummaryRecord[] = []
  private readonly streams: StreamRecord[] = []
  readonly id: string
  private readonly version: string
  private readonly page: LivePage

  constructor(page: LivePage, id: string, version: string) {
    this.page = page
    this.id = id
    this.version = version
    this.samples = new Samples(page)
  }

  /** Adds a summary if the person granted its kind. */
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
  /** Samples without an ID. */
  readonly samples: Samples
  readonly form: RecordForm
  readonly provider: string
  readonly asked: PullRequest
  readonly now: EpochMs
  private readonly granted: ReadonlySet<string>
  private readonly built: LiveRecordBuilder[] = []
  private readonly deleted: ProviderRecord[] = []
  private readonly unmapped = new Map<string, number>()
  /** Records that were opened since unread fields were last counted. */
  private readonly views: RecordView[] = []

  constructor(form: RecordForm, asked: PullRequest) {
    this.form = form
    this.provider = form.provider
    this.asked = asked
    this.granted = new Set(asked.resources)
    this.now = asked.now
    this.samples = new Samples(this)
  }

  /** Returns whether a resource's data is wanted. The resource is a name in REST paths or a kind of summary. */
  supplies(resource: string): boolean {
    return this.granted.has(resourceNamed(resource)?.queryName ?? resource)
  }

  /** Adds a record. Throws ProviderError `bad_answer` if the page then has too many. */
  record(id: string, version: string): LiveRecordBuilder {
    if (this.built.length >= MOST_RECORDS) {
      throw new ProviderError('bad_answer', `${this.provider} sent a page of more than ${MOST_RECORDS} records.`)
    }
    const record = new LiveRecordBuilder(this, id, version)
    this.built.push(record)
    return record
  }

  /** Returns whether a record was added to the page. */
  brings(id: string): boolean {
    return this.built.some(each => each.id === id)
  }

  /** Marks a record that the provider no longer has or no longer counts. */
  gone(id: string, version = 'gone'): void {
    this.deleted.push({ id, version, batches: [], summaries: [], streams: [], isDeleted: true })
  }

  /** Counts values without a mapping by the provider's name for their kind. A name that could contain a value is not shown. */
  skip(kind: string, count = 1): void {
    if (count === 0) return
    countKind(this.unmapped, /^[\w.,()/ -]{1,80}$/.test(kind) ? kind : OTHER_KINDS, count)
  }

  /** Opens a record. `kind` is the provider's name for the record, under which its unread fields are counted. */
  view(kind: string, fields: JsonObject): RecordView {
    const view = new RecordView(fields, kind, this)
    this.views.push(view)
    return view
  }

  /** Counts the opened records' unread fields. */
  countUnread(): void {
    for (const each of this.views) each.countUnread()
    this.views.length = 0
  }

  /** Returns the fields that a record's summaries share. */
  source(recordId: string, context: Pick<SummarySource, 'date' | 'offset' | 'sourceType'>): SummarySource {
    return { userId: this.asked.userId, provider: this.provider, recordId, ...context }
  }

  take(): PulledPage {
    return {
      records: [...this.built.map(each => each.take()), ...this.deleted],
      batches: this.samples.take(),
      unmapped: Object.fromEntries(this.unmapped),
    }
  }
}
