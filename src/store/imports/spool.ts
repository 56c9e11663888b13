/**
 * Collects an import in progress in memory, or in a scratch file once the import is large, and merges it in one short transaction. See
 * docs/storage.md.
 */
import type { TeamId, UserId } from '../../core/ids.ts'
import type { SampleBatch, SummaryRecord } from '../../core/sample.ts'
import type { StreamRecord } from '../../core/stream.ts'
import { joinColumns } from '../chunk/columns.ts'
import type { SpooledData, WriteReport } from '../data-write.ts'
import type { Database } from '../logic/database.ts'
import { type RemappedData, writeRemap } from '../logic/remap/remap.ts'
import { type DataSource, type WriteContext, writeData } from '../logic/samples/data-writer.ts'
import type { Steps } from '../logic/steps.ts'
import { lockingUser } from '../logic/users/lock.ts'
import type { RemapListener, RemapOutcome, RemapPlan } from '../remap.ts'
import { ScratchFile } from './scratch-file.ts'
import { Doubles } from './spool-doubles.ts'

/** Maximum weight of the items held in memory, about 6 MB. A sample or a stream point weighs 1. */
const MOST_IN_MEMORY = 150_000
const SUMMARY_WEIGHT = 40

/** Rolls back the transaction of a preview, or of a remap without changes. */
const ROLLED_BACK = new Error('a preview is not written')

export interface RemapOptions {
  readonly listener: RemapListener | null
  readonly isDryRun: boolean
  /** Called before differences are stored. */
  readonly storing: () => void
}

export class ImportSpool {
  private readonly target: Database
  private readonly folder: string
  private readonly mostInMemory: number
  private scratch: ScratchFile | null = null
  private readonly held = new Map<string, SampleBatch[]>()
  private heldSummaries: SummaryRecord[] = []
  private heldStreams: StreamRecord[] = []
  private weight = 0
  private readonly slugs = new Set<string>()
  private readonly doubles = new Doubles()

  constructor(target: Database, folder: string, mostInMemory = MOST_IN_MEMORY) {
    this.target = target
    this.folder = folder
    this.mostInMemory = mostInMemory
  }

  async add({ batches, summaries, streams }: SpooledData): Promise<void> {
    for (const batch of batches) {
      if (batch.n === 0) continue
      const key = JSON.stringify(batch.series)
      const parts = this.held.get(key)
      if (parts) parts.push(batch)
      else this.held.set(key, [batch])
      this.slugs.add(batch.series.provider)
      this.weight += batch.n
    }
    for (const summary of summaries) {
      this.heldSummaries.push(summary)
      this.slugs.add(summary.provider)
      this.weight += SUMMARY_WEIGHT
    }
    for (const stream of streams) {
      this.heldStreams.push(stream)
      this.slugs.add(stream.provider)
      this.weight += stream.n
    }
    if (this.weight > this.mostInMemory) await this.spill()
  }

  /** Returns the provider slugs of the added data, in order. */
  async providers(): Promise<readonly string[]> {
    return [...this.slugs].sort()
  }

  /** Returns the report that a merge would return, without writing anything (for a dry run). Removes the scratch file. */
  async preview(userId: UserId): Promise<WriteReport> {
    let report: WriteReport | undefined
    const context = {
      at: 0,
      teamId: '' as TeamId,
      events: { kind: 'daily' as const },
      connections: [],
      importing: null,
    }
    try {
      await this.mergeInto(userId, context, written => {
        report = written
        throw ROLLED_BACK
      })
    } catch (error) {
      if (error !== ROLLED_BACK) throw error
    }
    return report as WriteReport
  }

  /** Merges everything that was added into the user's data, and removes the scratch file. */
  async merge(userId: UserId, context: Omit<WriteContext, 'consumeToken'>): Promise<WriteReport> {
    return this.mergeInto(userId, context, report => report)
  }

  /**
   * Compares everything that was added with the data that it was read from before, and writes the differences, unless it is a dry run.
   * Removes the scratch file. Throws the errors of `writeRemap`.
   */
  async remap(
    userId: UserId,
    context: Omit<WriteContext, 'consumeToken'>,
    plan: RemapPlan,
    { listener, isDryRun, storing }: RemapOptions,
  ): Promise<RemapOutcome> {
    let found: RemapOutcome | undefined
    const settled = function* (data: RemappedData): Steps<RemapOutcome> {
      found = yield* writeRemap(userId, context, plan, data, listener)
      if (isDryRun || !found.hasChanges) throw ROLLED_BACK
      storing()
      return found
    }
    try {
      // the scratch file sorts the samples of a series, whichever file they came from
      await this.spill()
      return await this.target.write(() => lockingUser(userId, () => settled(this.source())))
    } catch (error) {
      if (error !== ROLLED_BACK || !found) throw error
      return found
    } finally {
      await this.discard()
    }
  }

  async discard(): Promise<void> {
    this.scratch?.close()
    this.scratch = null
    this.forget()
  }

  private async mergeInto(
    userId: UserId,
    context: Omit<WriteContext, 'consumeToken'>,
    done: (report: WriteReport) => WriteReport,
  ): Promise<WriteReport> {
    try {
      if (this.scratch) await this.spill()
      return await this.target.write(() => lockingUser(userId, () => this.written(userId, context, done)))
    } finally {
      await this.discard()
    }
  }

  private *written(
    userId: UserId,
    context: Omit<WriteContext, 'consumeToken'>,
    done: (report: WriteReport) => WriteReport,
  ): Steps<WriteReport> {
    const outcome = yield* writeData(userId, { ...context, consumeToken: null }, this.source())
    if (outcome.kind !== 'written') throw new Error('a merge consumes no token')
    return done(outcome.report)
  }

  /** Returns the data to merge, rebuilt for each attempt at the transaction. */
  private source(): DataSource {
    const { scratch, heldSummaries, heldStreams } = this
    const doubles = this.doubles.copy()
    return {
      batches: () => scratch?.batches() ?? this.heldBatches(),
      summaries: () => scratch?.summaries() ?? lastOfEach(heldSummaries, each => `${each.kind}/${each.id}`),
      streams: () => scratch?.streams() ?? lastOfEach(heldStreams, each => each.workoutId),
      written: (batch, outcome, report) => doubles.merged(batch, outcome, report),
    }
  }

  private async spill(): Promise<void> {
    this.scratch ??= new ScratchFile(this.folder)
    await this.scratch.add(this.heldBatches(), this.heldSummaries, this.heldStreams, (batch, outcome) =>
      this.doubles.spilled(batch, outcome),
    )
    this.forget()
  }

  private *heldBatches(): Generator<SampleBatch> {
    for (const parts of this.held.values()) {
      const [first] = parts
      if (first) yield { series: first.series, ...joinColumns(parts) }
    }
  }

  private forget(): void {
    this.held.clear()
    this.heldSummaries = []
    this.heldStreams = []
    this.weight = 0
  }
}

/**
 * Returns the last item with each key, at the position of the first item with that key, as a scratch file does. Items are replaced as a
 * whole.
 */
function lastOfEach<T>(items: readonly T[], keyOf: (item: T) => string): Iterable<T> {
  const last = new Map<string, T>()
  for (const item of items) last.set(keyOf(item), item)
  return last.values()
}
