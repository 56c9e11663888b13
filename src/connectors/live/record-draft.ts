/** One record of a provider while it is mapped: its samples by series, its summaries and streams, without what was not asked for. */
import { resourceNamed } from '../../catalogue/resources.ts'
import { hashSecret, ownedId } from '../../core/ids.ts'
import {
  type SampleBatch,
  SampleBatchBuilder,
  type SampleInput,
  type SummaryKind,
  type SummaryRecord,
} from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import { DAY_MS, type EpochMs, type IsoDate } from '../../core/time.ts'
import type { ProviderRecord, PulledPage, PullRequest } from '../connector.ts'
import { timesProblem } from '../files/sample-collector.ts'
import { Unmapped } from './unmapped.ts'

/** What all records of one pull share. */
export interface PullContext {
  readonly provider: string
  readonly asked: PullRequest
  readonly unmapped: Unmapped
}

export function pullContext(provider: string, asked: PullRequest): PullContext {
  return { provider, asked, unmapped: new Unmapped() }
}

/** Returns a page of records, with the counts since the last one. */
export function pageOf(
  context: PullContext,
  records: readonly (ProviderRecord | null)[],
  batches: readonly SampleBatch[] = [],
): PulledPage {
  return { records: records.filter(each => each !== null), batches, unmapped: context.unmapped.take() }
}

/** Returns the record of something that the provider no longer has. */
export function deletedRecord(id: string): ProviderRecord {
  return { id, version: '', batches: [], summaries: [], streams: [], isDeleted: true }
}

/** Returns a text that changes if and only if what the provider sent does. */
export function versionOf(...sent: readonly unknown[]): string {
  return hashSecret(JSON.stringify(sent)).slice(0, 32)
}

export interface SummaryDraft {
  readonly kind: SummaryKind
  readonly sourceType: string
  readonly at: EpochMs
  readonly date: IsoDate
  readonly offset: number | null
  readonly document: SummaryRecord['document']
}

export class RecordDraft {
  private readonly builders = new Map<string, SampleBatchBuilder>()
  private readonly summaries: SummaryRecord[] = []
  private readonly streams: StreamRecord[] = []
  private readonly context: PullContext
  private readonly latestMs: EpochMs
  readonly id: string

  constructor(context: PullContext, id: string) {
    this.context = context
    this.latestMs = context.asked.now + DAY_MS
    this.id = id
  }

  /** Returns whether a resource of the catalogue was asked for. */
  wants(resource: string): boolean {
    return this.context.asked.resources.includes(resource)
  }

  /**
   * Adds a sample of a resource, named as in REST paths. One whose value or time cannot be stored is counted as out of range.
   */
  sample(resource: string, sourceType: string, sample: SampleInput): void {
    const known = resourceNamed(resource)
    if (known === undefined) throw new Error(`no resource ${resource}`)
    if (!this.wants(known.queryName)) return
    const isStorable =
      Number.isFinite(sample.value) &&
      timesProblem(sample.start, sample.end ?? sample.start, this.latestMs) === undefined
    if (!isStorable) {
      this.context.unmapped.count(`${resource} out of range`)
      return
    }
    const key = `${resource}\u0000${sourceType}`
    let builder = this.builders.get(key)
    if (builder === undefined) {
      const { provider } = this.context
      builder = new SampleBatchBuilder({ resource, type: null, provider, sourceType })
      this.builders.set(key, builder)
    }
    builder.push(sample)
  }

  /** Returns the id of the record's summary of a kind. */
  summaryId(kind: SummaryKind): string {
    return ownedId(this.context.asked.userId, kind, this.context.provider, this.id)
  }

  summary(draft: SummaryDraft): void {
    if (!this.wants(draft.kind)) return
    const { provider } = this.context
    this.summaries.push({ ...draft, id: this.summaryId(draft.kind), provider, appId: null, deviceId: null })
  }

  stream(stream: Omit<StreamRecord, 'provider'>): void {
    if (this.wants('workout_stream')) this.streams.push({ ...stream, provider: this.context.provider })
  }

  batches(): readonly SampleBatch[] {
    return [...this.builders.values()].map(builder => builder.take())
  }

  finish(version: string): ProviderRecord {
    return {
      id: this.id,
      version,
      batches: this.batches(),
      summaries: this.summaries,
      streams: this.streams,
    }
  }
}
