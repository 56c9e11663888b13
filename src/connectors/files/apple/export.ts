/** Handles the elements of an Apple Health export: decides what each one becomes. */
import { ServiceError } from '../../../core/errors.ts'
import type { ImportContext, ImportItem } from '../importer.ts'
import { SkipCounts } from '../skip-counts.ts'
import type { XmlAttributes } from '../xml/attributes.ts'
import { printable } from '../xml/errors.ts'
import type { XmlHandler } from '../xml/reader.ts'
import { activitySummary } from './activity.ts'
import { AppleRecords } from './records.ts'
import { sleepSummaries } from './sleep-summary.ts'
import { SourceTypes } from './source.ts'
import { TimeReader } from './time.ts'
import { AppleWorkouts, type RoutedWorkout } from './workouts.ts'

/** The root element of an export. */
export const ROOT = 'HealthData'
/** Children of the root that are not records: the date of the export, and data about the person. */
const NOT_RECORDS: ReadonlySet<string> = new Set(['ExportDate', 'Me'])
const NO_ROUTES = 'workout routes, which only the export.zip contains'
/** Maximum number of workouts that wait in memory for their routes. A lifetime of workouts fits. */
const MAX_ROUTED = 20_000
const TOO_MANY_ROUTES = `workout routes after the first ${MAX_ROUTED} workouts that have one`

/**
 * Handler for the XML reader. Every child of the root is one record of the file, except the two in `NOT_RECORDS`. So is each route of a
 * workout that is stored. Each record ends exactly once: as a sample, a summary, a stream, or skipped with a reason. So `records` = samples
 * + summaries other than sleep_cycle (which shows the same records as its sleep) + streams + skipped. A record that is joined with another
 * one (the second value of a blood pressure reading, a further segment of a sleep session) counts as skipped under a reason that says so.
 *
 * The file lists the records inside a Correlation again on their own, so those inside are ignored.
 */
export class AppleExport implements XmlHandler {
  records = 0
  readonly skips = new SkipCounts()
  /** Workouts whose routes have yet to be read. Empty when the caller said that there are no route files. */
  readonly routed: RoutedWorkout[] = []
  private readonly context: ImportContext
  private readonly hasRoutes: boolean
  private readonly sources: SourceTypes
  private readonly samples: AppleRecords
  private readonly workouts: AppleWorkouts
  private items: ImportItem[] = []
  /** The open child of the root whose end must be handled. */
  private inside: 'record' | 'workout' | undefined
  private insideAt = 0

  /** `hasRoutes`: whether the route files are available. */
  constructor(context: ImportContext, hasRoutes: boolean) {
    this.context = context
    this.hasRoutes = hasRoutes
    const time = new TimeReader(context.timeZone)
    this.sources = new SourceTypes(context)
    this.samples = new AppleRecords(time, this.sources, this.skips, context.now)
    this.workouts = new AppleWorkouts(context.userId, time, this.sources, this.skips, context.now)
  }

  open(name: string, attributes: XmlAttributes, depth: number): void {
    if (depth === 1) this.topLevel(name, attributes)
    else if (depth === 0) {
      if (name !== ROOT) throw notAnExport(name)
    } else if (this.inside === 'record') this.samples.child(name, attributes)
    else if (this.inside === 'workout') this.workouts.child(name, attributes, depth)
  }

  close(_name: string, depth: number): void {
    if (depth !== 1 || this.inside === undefined) return
    if (this.inside === 'record') this.samples.close()
    else this.closeWorkout()
    this.inside = undefined
  }

  /** Yields what is complete so far: full batches and summaries. */
  *take(): Generator<ImportItem> {
    for (const batch of this.samples.batches.splice(0)) yield { kind: 'samples', batch }
    const items = this.items
    this.items = []
    yield* items
  }

  /** Counts what a damaged file left open as skipped, and stores the waiting workouts without their routes. */
  cutOff(): void {
    if (this.inside !== undefined) this.skips.add(`a ${this.inside} is cut off`, 1, `byte ${this.insideAt}`)
    this.inside = undefined
    for (const { summary } of this.routed.splice(0)) this.items.push({ kind: 'summary', summary })
  }

  /** Yields the rest. Call it at the end of the file. */
  *finish(): Generator<ImportItem> {
    this.samples.finish()
    yield* this.take()
    for (const session of this.samples.sleep.sessions()) {
      for (const summary of sleepSummaries(this.context.userId, this.sources.provider, session))
        yield { kind: 'summary', summary }
      for (const byte of session.bytes.slice(1)) {
        this.skips.add('sleep segments joined into the sleep sessions that are stored', 1, `byte ${byte}`)
      }
    }
    yield* this.skips.items()
    yield { kind: 'end', records: this.records }
  }

  private topLevel(name: string, attributes: XmlAttributes): void {
    this.insideAt = attributes.byte
    if (name === 'Record') {
      this.records++
      this.inside = 'record'
      this.samples.open(attributes)
      return
    }
    if (NOT_RECORDS.has(name)) return
    this.records++
    if (name === 'Workout') {
      this.inside = this.workouts.open(attributes) ? 'workout' : undefined
      return
    }
    if (name === 'ActivitySummary') {
      const summary = activitySummary(this.context, this.sources, attributes, this.skips)
      if (summary !== undefined) this.items.push({ kind: 'summary', summary })
      return
    }
    const reason =
      name === 'Correlation'
        ? 'correlations, whose records the file also lists on their own'
        : `${printable(name)} elements are not imported`
    this.skips.add(reason, 1, `byte ${attributes.byte}`)
  }

  private closeWorkout(): void {
    const workout = this.workouts.close()
    if (workout === undefined) return
    const { summary, routes } = workout
    if (routes.length > 0 && this.hasRoutes && this.routed.length < MAX_ROUTED) {
      this.routed.push(workout)
      return
    }
    this.items.push({ kind: 'summary', summary })
    this.records += routes.length
    for (const { byte } of routes) this.skips.add(this.hasRoutes ? TOO_MANY_ROUTES : NO_ROUTES, 1, `byte ${byte}`)
  }
}

function notAnExport(root: string): ServiceError {
  return new ServiceError(
    'invalid_file',
    `The file is not an Apple Health export: its root is <${printable(root)}>, not <${ROOT}>. Import the export.xml or export.zip as the Health app created it.`,
  )
}
