/** One import of a file of records: what was read so far, where it belongs, and what was skipped. */
import { ServiceError } from '../../../core/errors.ts'
import type { SampleInput } from '../../../core/sample.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import { type Activity, activityItems } from '../activity/activity.ts'
import type { ImportContext, ImportItem } from '../importer.ts'
import { SampleCollector, timesProblem } from '../sample-collector.ts'
import { SkipCounts } from '../skip-counts.ts'

/** Where records belong that say nothing themselves. */
export interface RecordSource {
  /** Provider slug where the caller names none. */
  readonly provider: string
  /** Source type where the caller names none and the record says nothing better. */
  readonly sourceType: string
}

const NO_TEXT: NonNullable<SampleInput['text']> = {}

/** A sample with where it belongs. */
export interface RecordSample extends SampleInput {
  readonly resource: string
  /** The discriminating type, or null. */
  readonly type?: string | null
  /** What the record says of its device, where it says something. */
  readonly sourceType?: string
}

/** `take` hands over what is complete as the reading goes on, `finish` the rest, the skipped and the number of records. */
export class RecordImport {
  /** Records of the file, skipped included; the importer counts them. */
  records = 0
  readonly provider: string
  private readonly own: RecordSource
  private readonly asked: string | null
  private readonly skips = new SkipCounts()
  private readonly collector: SampleCollector
  private readonly context: ImportContext
  private ready: ImportItem[] = []

  constructor(context: ImportContext, own: RecordSource) {
    this.provider = context.provider ?? own.provider
    this.asked = context.sourceType
    this.own = own
    this.context = context
    this.collector = new SampleCollector({ skips: this.skips, now: context.now })
  }

  /** What the caller says goes before what the record says. */
  sourceTypeOf(said?: string): string {
    return this.asked ?? said ?? this.own.sourceType
  }

  /** `what` names the kind of record in a reason (`a reading`), `place` where it stands. */
  add(sample: RecordSample, what: string, place: string): boolean {
    const { resource, type = null, start, end = start, value, second, offset = null, text = NO_TEXT } = sample
    const series = { resource, type, provider: this.provider, sourceType: this.sourceTypeOf(sample.sourceType) }
    // written out, and with its end: an object that is spread and added to costs ten times as much
    const input =
      second === undefined ? { start, end, value, offset, text } : { start, end, value, second, offset, text }
    return this.collector.add(series, input, what, place)
  }

  /** A summary, or whatever else is ready as it is. */
  addItem(item: ImportItem): void {
    this.ready.push(item)
  }

  /** A workout with its samples and its stream. */
  addActivity(activity: Activity): void {
    const { userId, timeZone } = this.context
    const owner = { userId, provider: this.provider, sourceType: this.sourceTypeOf(), timeZone }
    for (const item of activityItems(activity, owner, this.collector)) this.ready.push(item)
  }

  /** What is wrong with the times of a record that is no sample, ready to follow its name. */
  timesProblem(start: EpochMs, end: EpochMs): string | undefined {
    return timesProblem(start, end, this.context.now + DAY_MS)
  }

  /** A reason is a sentence of ours and never holds a value. */
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

/**
 * Runs an importer that fills `importing` step by step and says after each how far into the file it is. What stands before a
 * damage is handed over, and then the error is thrown.
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
