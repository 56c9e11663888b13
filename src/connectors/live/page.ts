/** Collects what one answer of a provider brought: records, samples without an id, and the number of values without a mapping. */
import { resourceNamed } from '../../catalogue/resources.ts'
import { type SampleBatch, SampleBatchBuilder, type SampleInput, type SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import { DAY_MS } from '../../core/time.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../connector.ts'
import { timesProblem } from '../files/sample-collector.ts'
import { ProviderError } from '../provider-session.ts'
import { MOST_RECORDS } from './answer-limits.ts'
import { countKind, OTHER_KINDS } from './kind-counts.ts'

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
  readonly provider: string
  /** Latest time that a sample may have. */
  readonly latest: number
  private readonly granted: ReadonlySet<string>
  private readonly built: LiveRecordBuilder[] = []
  private readonly deleted: ProviderRecord[] = []
  private readonly unmapped = new Map<string, number>()

  constructor(provider: string, asked: Pick<PullRequest, 'resources' | 'now'>) {
    this.provider = provider
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

  /** Says that the provider no longer has a record, or no longer counts it as one. */
  gone(id: string, version = 'gone'): void {
    this.deleted.push({ id, version, batches: [], summaries: [], streams: [], isDeleted: true })
  }

  /** Counts values without a mapping by the provider's name of their kind. A name that could hold a value is not shown. */
  skip(kind: string, count = 1): void {
    if (count === 0) return
    countKind(this.unmapped, /^[\w.,()/ -]{1,80}$/.test(kind) ? kind : OTHER_KINDS, count)
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
