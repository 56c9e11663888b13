/** The elements of an Apple Health export, each taken to what it becomes. */
import { ServiceError } from '../../core/errors.ts'
import { activitySummary } from './apple-activity.ts'
import type { XmlAttributes } from './apple-attributes.ts'
import { AppleRecords } from './apple-records.ts'
import { sleepSummaries } from './apple-sleep-summary.ts'
import { SourceTypes } from './apple-source.ts'
import { TimeReader } from './apple-time.ts'
import { AppleWorkouts } from './apple-workouts.ts'
import type { XmlHandler } from './apple-xml.ts'
import type { ImportContext, ImportItem } from './importer.ts'
import { SkipCounts } from './skip-counts.ts'
import { printable } from './xml-errors.ts'

/** The root of an export. */
export const ROOT = 'HealthData'
/** Children of the root that are not records: when it was made, and who the person is. */
const NOT_RECORDS: ReadonlySet<string> = new Set(['ExportDate', 'Me'])

/**
 * Handler for the XML reader. Every child of the root but the two above is one record of the file, and each ends exactly once:
 * as a sample, as a summary, or as skipped with a reason. So `records` = samples + summaries other than sleep_cycle (which
 * shows the same records as its sleep) + skipped. Records joined with others (the second half of a blood pressure reading, the
 * further segments of a sleep session) count as skipped under a reason that says so.
 *
 * The records inside a Correlation stand in the file once more by themselves, so those inside are passed over.
 */
export class AppleExport implements XmlHandler {
  records = 0
  private readonly context: ImportContext
  private readonly skips = new SkipCounts()
  private readonly samples: AppleRecords
  private readonly workouts: AppleWorkouts
  private summaries: ImportItem[] = []
  private inWorkout = false

  constructor(context: ImportContext) {
    this.context = context
    const time = new TimeReader(context.timeZone)
    const sources = new SourceTypes()
    this.samples = new AppleRecords(time, sources, this.skips, context.now)
    this.workouts = new AppleWorkouts(context.userId, time, sources, this.skips, context.now)
  }

  open(name: string, attributes: XmlAttributes, depth: number): void {
    if (depth === 1) this.topLevel(name, attributes)
    else if (depth === 2) {
      if (this.inWorkout) this.workouts.child(name, attributes)
    } else if (depth === 0 && name !== ROOT) throw notAnExport(name)
  }

  close(_name: string, depth: number): void {
    if (depth !== 1 || !this.inWorkout) return
    this.inWorkout = false
    const summary = this.workouts.close()
    if (summary !== undefined) this.summaries.push({ kind: 'summary', summary })
  }

  /** What is complete so far: full batches and summaries. */
  *take(): Generator<ImportItem> {
    for (const batch of this.samples.batches.splice(0)) yield { kind: 'samples', batch }
    const summaries = this.summaries
    this.summaries = []
    yield* summaries
  }

  /** The rest, once the file is at its end. */
  *finish(): Generator<ImportItem> {
    this.samples.finish()
    yield* this.take()
    for (const session of this.samples.sleep.sessions()) {
      for (const summary of sleepSummaries(this.context.userId, session)) yield { kind: 'summary', summary }
      this.skips.add('sleep segments joined into the sleep sessions that are stored', session.records - 1)
    }
    for (const [reason, count] of this.skips.entries()) yield { kind: 'skipped', reason, count }
    yield { kind: 'end', records: this.records }
  }

  private topLevel(name: string, attributes: XmlAttributes): void {
    if (NOT_RECORDS.has(name)) return
    this.records++
    if (name === 'Record') {
      this.samples.add(attributes)
      return
    }
    if (name === 'Workout') {
      this.inWorkout = true
      this.workouts.open(attributes)
      return
    }
    if (name === 'ActivitySummary') {
      const summary = activitySummary(this.context.userId, attributes, this.skips, this.context.now)
      if (summary !== undefined) this.summaries.push({ kind: 'summary', summary })
      return
    }
    if (name === 'Correlation') {
      this.skips.add('correlations, whose records the file also lists by themselves')
      return
    }
    this.skips.add(`${printable(name)} elements are not imported`)
  }
}

function notAnExport(root: string): ServiceError {
  return new ServiceError(
    'invalid_file',
    `The file is not an Apple Health export: its root is <${printable(root)}>, not <${ROOT}>.`,
  )
}
