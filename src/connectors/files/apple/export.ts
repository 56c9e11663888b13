/** Handles and maps the elements of an Apple Health export. */
import { ServiceError } from '../../../core/errors.ts'
import { HeartValues, MOST_WAITING } from '../../shared/heart-values.ts'
import type { RecordImport } from '../records/import.ts'
import type { XmlAttributes } from '../xml/attributes.ts'
import { printableName } from '../xml/errors.ts'
import type { XmlHandler } from '../xml/reader.ts'
import { type ActivityDay, addActivityDay, readActivityDay } from './activity.ts'
import { AppleRecords } from './records.ts'
import { SourceTypes } from './source.ts'
import { TimeReader } from './time.ts'
import { AppleWorkouts, type RoutedWorkout } from './workouts.ts'

const NO_HEART_VALUES = new HeartValues()
/** An export's root element. */
export const ROOT = 'HealthData'
/** Children of the root that are not records: the export date and data about the person. */
const NOT_RECORDS: ReadonlySet<string> = new Set(['ExportDate', 'Me'])
/** The type of a correlation that contains a food's nutrients. */
const FOOD = 'HKCorrelationTypeIdentifierFood'
const NO_ROUTES = 'workout routes, which only the export.zip contains'
/** Maximum number of workouts that wait in memory for their routes, enough for a lifetime of workouts. */
const MAX_ROUTED = 20_000
const TOO_MANY_ROUTES = `workout routes after the first ${MAX_ROUTED} workouts that have one`

/**
 * Handler for the XML reader. Every child of the root is one record of the file, except the two in `NOT_RECORDS`. Each route of a stored
 * workout, each electrocardiogram and each of its voltages is also a record. Each record ends exactly once: as a sample, a summary, a
 * stream, or skipped with a reason. Therefore `records` = samples + summaries other than sleep_cycle (which shows the same records as its
 * sleep) + streams + skipped. A record that is joined with another one (the second value of a blood pressure reading, a further segment of a
 * sleep session) counts as skipped, with that reason.
 *
 * The file also lists the records in a Correlation on their own, so they are ignored inside it, except that a food's Correlation becomes a
 * meal with its name and nutrients.
 */
export class AppleExport implements XmlHandler {
  readonly importing: RecordImport
  /** Workouts whose routes have yet to be read; empty if the caller has no route files. */
  readonly routed: RoutedWorkout[] = []
  private readonly hasRoutes: boolean
  private readonly sources: SourceTypes
  private readonly samples: AppleRecords
  private readonly workouts: AppleWorkouts
  private readonly days: ActivityDay[] = []
  /** The root's open child, whose end must be handled. */
  private inside: 'record' | 'workout' | 'food' | undefined
  private insideAt = 0

  /** `hasRoutes` is true if the route files are available. */
  constructor(importing: RecordImport, hasRoutes: boolean) {
    this.importing = importing
    this.hasRoutes = hasRoutes
    const time = new TimeReader(importing.context.timeZone)
    this.sources = new SourceTypes(importing.context)
    this.samples = new AppleRecords(time, this.sources, importing)
    this.workouts = new AppleWorkouts(time, this.sources, importing)
  }

  open(name: string, attributes: XmlAttributes, depth: number): void {
    if (depth === 1) this.topLevel(name, attributes)
    else if (depth === 0) {
      if (name !== ROOT) throw notAnExport(name)
    } else if (this.inside === 'record') this.samples.child(name, attributes)
    else if (this.inside === 'workout') this.workouts.child(name, attributes, depth)
    else if (this.inside === 'food' && depth === 2) this.inFood(name, attributes)
  }

  close(_name: string, depth: number): void {
    if (depth !== 1 || this.inside === undefined) return
    if (this.inside === 'record') this.samples.close()
    else if (this.inside === 'food') this.samples.meals.close()
    else this.closeWorkout()
    this.inside = undefined
  }

  /** Counts the unfinished elements of a damaged file as skipped, and stores the waiting workouts without their routes. */
  cutOff(): void {
    if (this.inside !== undefined) this.importing.skip(`a ${this.inside} is cut off`, `byte ${this.insideAt}`)
    this.inside = undefined
    for (const { summary } of this.routed.splice(0)) this.importing.addItem({ kind: 'summary', summary })
  }

  /** Adds the remaining items. Call it at the end of the file. */
  finish(): void {
    const { importing } = this
    this.samples.finish()
    const { sleep, heart } = this.samples
    for (const day of this.days.splice(0)) addActivityDay(importing, this.sources, day, heart)
    sleep.finish(heart)
  }

  private topLevel(name: string, attributes: XmlAttributes): void {
    this.insideAt = attributes.byte
    if (name === 'Record') {
      this.importing.records++
      this.inside = 'record'
      this.samples.open(attributes)
      return
    }
    if (NOT_RECORDS.has(name)) {
      if (name === 'ExportDate') this.samples.readExportDate(attributes)
      return
    }
    this.importing.records++
    if (name === 'Workout') {
      this.inside = this.workouts.open(attributes) ? 'workout' : undefined
      return
    }
    if (name === 'ActivitySummary') {
      const day = readActivityDay(this.importing, attributes)
      if (day === undefined) return
      if (this.days.length < MOST_WAITING) this.days.push(day)
      else addActivityDay(this.importing, this.sources, day, NO_HEART_VALUES)
      return
    }
    if (name === 'Correlation' && attributes.get('type') === FOOD) {
      this.inside = this.samples.meals.open(attributes) ? 'food' : undefined
      return
    }
    const reason =
      name === 'Correlation'
        ? 'correlations, whose records the file also lists on their own'
        : `${printableName(name)} elements are not imported`
    this.importing.skip(reason, `byte ${attributes.byte}`)
  }

  private inFood(name: string, attributes: XmlAttributes): void {
    if (name === 'Record') this.samples.addToFood(attributes)
    else if (name === 'MetadataEntry') this.samples.meals.addMetadata(attributes)
  }

  private closeWorkout(): void {
    const workout = this.workouts.close()
    if (workout === undefined) return
    const { summary, routes } = workout
    if (routes.length > 0 && this.hasRoutes && this.routed.length < MAX_ROUTED) {
      this.routed.push(workout)
      return
    }
    this.importing.addItem({ kind: 'summary', summary })
    this.importing.records += routes.length
    for (const { byte } of routes) this.importing.skip(this.hasRoutes ? TOO_MANY_ROUTES : NO_ROUTES, `byte ${byte}`)
  }
}

function notAnExport(root: string): ServiceError {
  return new ServiceError(
    'invalid_file',
    `The file is not an Apple Health export: its root is <${printableName(root)}>, not <${ROOT}>. Import the export.xml or export.zip as the Health app created it.`,
  )
}
