/** Collects what one answer of a provider brought: records, samples without an id, and the number of values without a mapping. */
import { resourceNamed } from '../../catalogue/resources.ts'
import { type SampleBatch, SampleBatchBuilder, type SampleInput, type SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import { DAY_MS } from '../../core/time.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../connector.ts'
import type { JsonObject } from '../files/json/fields.ts'
import { timesProblem } from '../files/sample-collector.ts'
import { ProviderError } from '../provider-session.ts'
import { MOST_RECORDS } from './answer-limits.ts'
import type { SummarySource } from './documents.ts'
import { countKind, OTHER_KINDS } from './kind-counts.ts'
import { type RecordForm, RecordView } from './record-view.ts'

/** A sample with its resource, named as in REST paths, and the device that it comes from. */
export interface LiveSample extends SampleInput {
  readonly resource: string
  /** For resources whose type is part of the key: `rapid_acting`. */
  readonly type?: string | null
  readonly sourceType: string
}

/** The samples of one series. */
interface Series {
  readonly resource: string
  readonly type: string | null
  readonly sourceType: string
  /** A sample at an instant has no end. */
  readonly isInterval: boolean
  /** Null if the person did not grant the resource: its samples are dropped. */
  readonly builder: SampleBatchBuilder | null
}

/** Collects samples by series. */
class Samples {
  private readonly series: Series[] = []
  private readonly page: LivePage

  constructor(page: LivePage) {
    this.page = page
  }

  /** Adds a sample. `kind` is the provider's name of the value, under which an invalid one is counted. */
  add({ resource, type = null, sourceType, start, end, value, second, offset, text }: LiveSample, kind: string): void {
    const { builder, isInterval } = this.seriesOf(resource, type, sourceType)
    if (builder === null) return
    const until = isInterval ? (end ?? start) : start
    const isValid = Number.isFinite(value) && (second === undefined || Number.isFinite(second))
    if (!isValid || timesProblem(start, until, this.page.latest) !== undefined) {
      this.page.skip(`${kind} out of range`)
      return
    }
    // written out, because spreading an object costs many times as much
    const [from, to, known] = [Math.trunc(start), Math.trunc(until), offset ?? null]
    builder.push(
      second === undefined
        ? { start: from, end: to, value, offset: known, text }
        : { start: from, end: to, value, second, offset: known, text },
    )
  }

  private seriesOf(resource: string, type: string | null, sourceType: string): Series {
    const found = this.series.find(
      each => each.resource === resource && each.sourceType === sourceType && each.type === type,
    )
    if (found !== undefined) return found
    const { page } = this
    const made: Series = {
      resource,
      type,
      sourceType,
      isInterval: resourceNamed(resource)?.kind === 'interval',
      builder: page.supplies(resource)
        ? new SampleBatchBuilder({ resource, type, provider: page.provider, sourceType })
        : null,
    }
    this.series.push(made)
    return made
  }

  take(): SampleBatch[] {
    return this.series.flatMap(({ builder }) => (builder !== null && builder.n > 0 ? builder.take() : []))
  }
}

/** One record, and all that follows from it. */
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

  /** Adds a summary; one of a kind that the person did not grant is dropped. */
  summary(summary: SummaryRecord): void {
    if (!this.page.supplies(summary.kind)) return
    if (timesProblem(summary.at, summary.at, this.page.latest) !== undefined)
      this.page.skip(`${summary.kind} out of range`)
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
  readonly form: RecordForm
  readonly provider: string
  readonly asked: PullRequest
  /** Latest time that a sample may have. */
  readonly latest: number
  private readonly granted: ReadonlySet<string>
  private readonly built: LiveRecordBuilder[] = []
  private readonly deleted: ProviderRecord[] = []
  private readonly unmapped = new Map<string, number>()
  /** Opened since unread fields were counted last. */
  private readonly views: RecordView[] = []

  constructor(form: RecordForm, asked: PullRequest) {
    this.form = form
    this.provider = form.provider
    this.asked = asked
    this.granted = new Set(asked.resources)
    this.latest = asked.now + DAY_MS
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

  /** Tells whether a record was added. */
  brings(id: string): boolean {
    return this.built.some(each => each.id === id)
  }

  /** Says that the provider no longer has a record, or no longer counts it as one. */
  gone(id: string, version = 'gone'): void {
    this.deleted.push({ id, version, batches: [], summaries: [], streams: [], isDeleted: true })
  }

  /** Counts values without a mapping by the provider's name of their kind. A name that could hold a value is not shown. */
  skip(kind: string, count = 1): void {
    if (count === 0) return
    countKind(this.unmapped, /^[\w.,()/ -]{1,80}$/.test(kind) ? kind : OTHER_KINDS, count)
  }

  /** Opens a record of the provider. `kind` is the provider's name of it, under which its fields are counted that nothing reads. */
  view(kind: string, fields: JsonObject): RecordView {
    const view = new RecordView(fields, kind, this)
    this.views.push(view)
    return view
  }

  /** Counts what was not read of the records that were opened. */
  countUnread(): void {
    for (const each of this.views) each.countUnread()
    this.views.length = 0
  }

  /** Returns what the summaries of a record share. */
  source(recordId: string, place: Pick<SummarySource, 'date' | 'offset' | 'sourceType'>): SummarySource {
    return { userId: this.asked.userId, provider: this.provider, recordId, ...place }
  }

  take(): PulledPage {
    return {
      records: [...this.built.map(each => each.take()), ...this.deleted],
      batches: this.samples.take(),
      unmapped: Object.fromEntries(this.unmapped),
    }
  }
}
