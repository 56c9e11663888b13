/** The import of one file with records: its items so far, their source, and the skipped records. */
import { ServiceError } from '../../../core/errors.ts'
import type { SampleBatch, SampleInput, SeriesKey } from '../../../core/sample.ts'
import type { EpochMs } from '../../../core/time.ts'
import { SampleCollector, timeProblem } from '../../shared/sample-collector.ts'
import type { DateOrderChoice, ImportContext, Importer, ImportFile, ImportItem } from '../importer.ts'
import { SkipCounts } from '../skip-counts.ts'

/** Source of records without their own source. */
export interface RecordSource {
  /** Provider slug, unless the caller sets one. */
  readonly provider: string
  /** Source type, unless the caller sets one or the record is more specific. */
  readonly sourceType: string
}

/** The source of records in formats that do not belong to a provider. */
const NO_SOURCE: RecordSource = { provider: 'manual', sourceType: 'unknown' }
/** Number of samples per series to pass on at once. */
const BATCH_SAMPLES = 4096

/** A sample with its resource and source. */
export interface RecordSample extends SampleInput {
  readonly resource: string
  /** The discriminating type, or null. */
  readonly type?: string | null
  /** The record's own source type, if it has one. */
  readonly sourceType?: string
}

/**
 * Collects items: `take` returns the items completed so far; `finish` returns the remaining items, the skipped records and the number of
 * records.
 */
export class RecordImport {
  /** Number of records in the file, including skipped ones, counted by the importer. */
  records = 0
  readonly context: ImportContext
  /** The collector, for importers whose samples do not need further checks. */
  readonly collector: SampleCollector
  private source: RecordSource
  private readonly skips = new SkipCounts()
  private readonly notices = new Map<string, number>()
  private ready: ImportItem[] = []

  constructor(context: ImportContext, source: RecordSource = NO_SOURCE) {
    this.source = source
    this.context = context
    this.collector = new SampleCollector(context.now, BATCH_SAMPLES)
  }

  /** Reports how a record was read; see `ImportItem`. */
  notice(text: string, count = 1): void {
    this.notices.set(text, (this.notices.get(text) ?? 0) + count)
  }

  /** Sets the source of the next records, in files that contain their source. */
  comesFrom(source: RecordSource): void {
    this.source = source
  }

  get provider(): string {
    return this.context.provider ?? this.source.provider
  }

  /** Returns the source type: the caller's takes precedence over the record's. */
  chooseSourceType(said?: string): string {
    return this.context.sourceType ?? said ?? this.source.sourceType
  }

  /**
   * Adds a sample, or skips it if it cannot be stored. `what` is the kind of record, for a reason (`a reading`); `position` is its position
   * in the file. Returns whether it was added.
   */
  add(sample: RecordSample, what: string, position?: string): boolean {
    const { resource, type = null } = sample
    const series = { resource, type, provider: this.provider, sourceType: this.chooseSourceType(sample.sourceType) }
    return this.addTo(series, sample, what, position)
  }

  /** Adds a sample with its series, like `add`. */
  addTo(series: SeriesKey, sample: SampleInput, what: string, position?: string): boolean {
    const problem = this.collector.add(series, sample)
    if (problem !== undefined) this.skip(`${what} ${problem}`, position)
    return problem === undefined
  }

  /** Adds a summary or another item that is already complete. */
  addItem(item: ImportItem): void {
    this.ready.push(item)
  }

  /** Reports the order in which the file's dates are read; does nothing if the other order would give the same dates. */
  reportDateOrder(choice: DateOrderChoice | null): void {
    if (choice !== null) this.addItem({ kind: 'date_order', choice })
  }

  /** Returns the problem with the times of a record that is not a sample, as a text that follows the record's name. */
  timesProblem(start: EpochMs, end: EpochMs): string | undefined {
    return timeProblem(start, end, this.context.now)
  }

  /** Counts skipped records. The reason must never contain a value. */
  skip(reason: string, position?: string, count = 1): void {
    this.skips.add(reason, count, position)
  }

  *take(): Generator<ImportItem> {
    yield* batchItems(this.collector.take())
    const ready = this.ready
    this.ready = []
    yield* ready
  }

  *finish(): Generator<ImportItem> {
    yield* this.take()
    yield* batchItems(this.collector.finish())
    yield* this.skips.items()
    for (const [text, count] of this.notices) yield { kind: 'notice', text, count }
    yield { kind: 'end', records: this.records }
  }
}

function batchItems(batches: readonly SampleBatch[]): readonly ImportItem[] {
  return batches.map(batch => ({ kind: 'samples', batch }))
}

/** An importer for records. `steps` adds them and, after each step, yields the number of file bytes read. */
interface RecordFormat extends Omit<Importer, 'read' | 'provider'> {
  readonly source?: RecordSource
  steps(file: ImportFile, context: ImportContext, importing: RecordImport): AsyncIterable<number>
}

/** Returns the importer for a format. A format without a `source` does not belong to a provider. */
export function recordImporter({ source, steps, ...format }: RecordFormat): Importer {
  const read: Importer['read'] = (file, context) => {
    const importing = new RecordImport(context, source)
    return importItems(importing, context, steps(file, context, importing))
  }
  return { ...format, provider: source?.provider ?? null, read }
}

/**
 * Runs an importer that fills `importing` step by step. Reports the number of file bytes read after each step. If the file is damaged,
 * yields the items before the damage, then throws the error.
 */
async function* importItems(
  importing: RecordImport,
  context: ImportContext,
  steps: AsyncIterable<number>,
): AsyncGenerator<ImportItem> {
  try {
    for await (const bytesRead of steps) {
      yield* importing.take()
      context.onProgress(bytesRead, importing.records)
    }
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_file') yield* importing.finish()
    throw error
  }
  yield* importing.finish()
}
