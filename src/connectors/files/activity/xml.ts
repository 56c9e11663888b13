/** What the TCX and GPX importers share: reads the trackpoints of activities from XML as a stream of items. */
import { ServiceError } from '../../../core/errors.ts'
import { DAY_MS, type EpochMs } from '../../../core/time.ts'
import type { ImportContext, ImportFile, ImportItem } from '../importer.ts'
import { SampleCollector, timesProblem } from '../sample-collector.ts'
import { SkipCounts } from '../skip-counts.ts'
import { type ElementHandler, elementsOf, type XmlFormat } from '../xml/elements.ts'
import { type Activity, type ActivityOwner, activityItems } from './activity.ts'
import type { ActivityPoints, PointValues } from './points.ts'
import { type ReadTime, readTime } from './time.ts'

const PROGRESS_BYTES = 1_048_576
/** Receives the points and the finished activities of a handler. `records` counts trackpoints, stored or not. */
export class ActivitySink {
  records = 0
  readonly skips = new SkipCounts()
  private readonly context: ImportContext
  private readonly owner: ActivityOwner
  private readonly collector: SampleCollector
  private finished: Activity[] = []

  constructor(context: ImportContext) {
    this.context = context
    const { userId, timeZone, now } = context
    const provider = context.provider ?? 'manual'
    this.owner = { userId, timeZone, provider, sourceType: context.sourceType ?? 'unknown' }
    this.collector = new SampleCollector({ skips: this.skips, now })
  }

  timeOf(text: string): ReadTime | undefined {
    return readTime(text, this.context.timeZone)
  }

  /** Adds a trackpoint and returns its time, or counts it as skipped and returns undefined. */
  point(points: ActivityPoints, time: string | undefined, values: PointValues, at: number): ReadTime | undefined {
    const read = time === undefined ? undefined : this.timeOf(time)
    const problem = read === undefined ? undefined : this.problemAt(read.ms)
    if (read !== undefined && problem === undefined) {
      points.add(read.ms, values)
      return read
    }
    const reason = problem ?? (time === undefined ? 'has no time' : 'has a time that cannot be read')
    this.skips.add(`a trackpoint ${reason}`, 1, `byte ${at}`)
    return undefined
  }

  problemAt(ms: EpochMs): string | undefined {
    return timesProblem(ms, ms, this.context.now + DAY_MS)
  }

  add(activity: Activity): void {
    this.finished.push(activity)
  }

  *take(): Generator<ImportItem> {
    const finished = this.finished
    this.finished = []
    for (const activity of finished) yield* activityItems(activity, this.owner, this.collector)
  }

  *end(): Generator<ImportItem> {
    yield* this.take()
    yield* this.collector.finish()
    yield* this.skips.items()
    yield { kind: 'end', records: this.records }
  }
}

export interface ActivityHandler extends ElementHandler {
  /** Closes what a damaged file left open, so that it can be kept. */
  cutOff(): void
}

/** Reads a file. If it is damaged, yields everything before the damage, then throws the error. */
export async function* activitiesIn(
  file: ImportFile,
  context: ImportContext,
  format: XmlFormat,
  handlerFor: (sink: ActivitySink) => ActivityHandler,
): AsyncGenerator<ImportItem> {
  const sink = new ActivitySink(context)
  const handler = handlerFor(sink)
  let reportedBytes = 0
  let damage: ServiceError | undefined
  try {
    for await (const { bytesRead } of elementsOf(file, context, format, handler)) {
      yield* sink.take()
      if (bytesRead - reportedBytes < PROGRESS_BYTES) continue
      reportedBytes = bytesRead
      context.onProgress(bytesRead, sink.records)
    }
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_file') throw error
    damage = error
    handler.cutOff()
  }
  context.onProgress(file.sizeBytes, sink.records)
  yield* sink.end()
  if (damage !== undefined) throw damage
}

/** Returns the number that a text holds, or undefined when it is not a number in the notation of these files. */
export function numberOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text)) return undefined
  const value = Number(text)
  return Number.isFinite(value) ? value : undefined
}

/** Returns a heart rate, or undefined: devices write 0 when they have none. */
export function heartRateOf(text: string | undefined): number | undefined {
  const value = numberOf(text)
  return value !== undefined && value > 0 ? value : undefined
}

/** Returns an angle in degrees if it is at most `most` either way (90 for latitudes, 180 for longitudes), otherwise undefined. */
export function degreesOf(text: string | undefined, most: number): number | undefined {
  const value = numberOf(text)
  return value !== undefined && Math.abs(value) <= most ? value : undefined
}
