/** The import of one file of records: its items so far, their source, and what was skipped. */
import { ServiceError } from '../../../core/errors.ts'
import type { SampleInput } from '../../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import { type Activity, activityItems } from '../activity/activity.ts'
import type { DateOrderChoice, ImportContext, Importer, ImportFile, ImportItem } from '../importer.ts'
import { SampleCollector, timesProblem } from '../sample-collector.ts'
import { SkipCounts } from '../skip-counts.ts'

/** The source of records that name none. */
export interface RecordSource {
  /** Provider slug, unless the caller sets one. */
  readonly provider: string
  /** Source type, unless the caller sets one or the record is more specific. */
  readonly sourceType: string
}

/** The source of records in formats that belong to no provider. */
const NO_SOURCE: RecordSource = { provider: 'manual', sourceType: 'unknown' }
const NO_TEXT: NonNullable<SampleInput['text']> = {}

/** A sample with its resource and source. */
export interface RecordSample extends SampleInput {
  readonly resource: string
  /** The discriminating type, or null. */
  readonly type?: string | null
  /** The source type according to the record, if it says one. */
  readonly sourceType?: string
}

/** Collects items: `take` returns what is complete so far; `finish` returns the rest, what was skipped and the number of records. */
export class RecordImport {
  /** Number of records in the file, including skipped ones. The importer counts them. */
  records = 0
  readonly provider: string
  readonly context: ImportContext
  private readonly own: RecordSource
  private readonly asked: string | null
  private readonly skips = new SkipCounts()
  private readonly collector: SampleCollector
  private ready: ImportItem[] = []

  constructor(context: ImportContext, own: RecordSource = NO_SOURCE) {
    this.provider = context.provider ?? own.provider
    this.asked = context.sourceType
    this.own = own
    this.context = context
    this.collector = new SampleCollector({ skips: this.skips, now: context.now })
  }

  /** Returns the source type: the caller's takes precedence over the record's. */
  sourceTypeOf(said?: string): string {
    return this.asked ?? said ?? this.own.sourceType
  }

  /** Adds a sample. `what` names the kind of record in a reason (`a reading`); `place` says where it is in the file. */
  add(sample: RecordSample, what: string, place: string): boolean {
    const { resource, type = null, start, end = start, value, second, offset = null, text = NO_TEXT } = sample
    const series = { resource, type, provider: this.provider, sourceType: this.sourceTypeOf(sample.sourceType) }
    // written out, including the end, because spreading the object and extending it costs ten times as much
    const input =
      second === undefined ? { start, end, value, offset, text } : { start, end, value, second, offset, text }
    return this.collector.add(series, input, what, place)
  }

  /** Adds a summary or another item that is already complete. */
  addItem(item: ImportItem): void {
    this.ready.push(item)
  }

  /** Reports in which order the dates of the file are read; nothing when another one would give the same dates. */
  reportDateOrder(choice: DateOrderChoice | null): void {
    if (choice !== null) this.addItem({ kind: 'date_order', choice })
  }

  /** Adds a workout with its samples and its stream. */
  addActivity(activity: Activity): void {
    const { userId, timeZone } = this.context
    const owner = { userId, provider: this.provider, sourceType: this.sourceTypeOf(), timeZone }
    for (const item of activityItems(activity, owner, this.collector)) this.ready.push(item)
  }

  /** Returns what is wrong with the times of a record that is not a sample, to follow its name. */
  timesProblem(start: EpochMs, end: EpochMs): string | undefined {
    return timesProblem(start, end, this.context.now + DAY_MS)
  }

  /** Counts a skipped record. The reason is written by us and never contains a value. */
  skip(reason: string, place: string): void {
    this.skips.add(reason, 1, place)
  }

  *take(): Generator<ImportItem> {
    yield* this.collector.take()
    const ready = this.ready
    this.ready = []
    yield* ready
  }

  *finish(): Generator<ImportItem> {
    yield* this.take()
    yield* this.collector.finish()
    yield* this.skips.items()
    yield { kind: 'end', records: this.records }
  }
}

/** An importer of records: `steps` adds them and yields how much of the file it has read after each step. */
interface RecordFormat extends Omit<Importer, 'read'> {
  readonly source?: RecordSource
  steps(file: ImportFile, context: ImportContext, importing: RecordImport): AsyncIterable<number>
}

/** Returns the importer of a format; without a `source`, it belongs to no provider. */
export function recordImporter({ source, steps, ...format }: RecordFormat): Importer {
  const read: Importer['read'] = (file, context) => {
    const importing = new RecordImport(context, source)
    return importItems(importing, context, steps(file, context, importing))
  }
  return { ...format, read }
}

/**
 * Runs an importer that fills `importing` step by step and reports how much of the file it has read after each step. If the file is
 * damaged, yields what came before the damage, then throws the error.
 */
export async function* importItems(
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
