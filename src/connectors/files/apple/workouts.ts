/** Reads an export's workouts: the element with its totals and, in newer exports, the statistics inside it. */
import { NO_OFFSET, type SummaryRecord } from '../../../core/sample.ts'
import { type EpochMs, localDate, SECOND_MS } from '../../../core/time.ts'
import { workoutSummary } from '../../shared/summaries.ts'
import type { RecordImport } from '../records/import.ts'
import { parseNumber, type XmlAttributes } from '../xml/attributes.ts'
import { SLOTS } from '../xml/names.ts'
import { type SourceTypes, USER_ENTERED } from './source.ts'
import { readSport } from './sports.ts'
import type { TimeReader } from './time.ts'
import * as unit from './units.ts'

/** A workout's totals, as fields of its summary. A statistic replaces the attribute with the same total. */
interface Totals {
  moving_time: number
  distance: number | null
  calories: number | null
  steps?: number | null
  average_hr?: number | null
  max_hr?: number | null
  total_elevation_gain?: number | null
}

interface OpenWorkout {
  sourceType: string
  readonly activityType: string
  readonly start: EpochMs
  readonly end: EpochMs
  readonly offset: number | null
  readonly totals: Totals
  readonly routes: RouteReference[]
}

/** A reference to a route file. */
export interface RouteReference {
  /** `/workout-routes/route_….gpx`, relative to the export's folder. */
  readonly path: string
  /** Byte position of the element in the document. */
  readonly byte: number
}

/** A workout as stored, with its routes. */
export interface RoutedWorkout {
  readonly summary: SummaryRecord
  readonly routes: readonly RouteReference[]
}

/** Maximum number of routes read per workout. An interrupted workout has several. */
const MAX_ROUTES = 16
const MAX_PATH = 256
/** Depth of a workout's direct children. */
const CHILD_DEPTH = 2
const QUANTITY = 'HKQuantityTypeIdentifier'

/** Reads one workout at a time: `open`, then its children, then `close`. */
export class AppleWorkouts {
  private readonly time: TimeReader
  private readonly sources: SourceTypes
  private readonly importing: RecordImport
  private current: OpenWorkout | undefined

  constructor(time: TimeReader, sources: SourceTypes, importing: RecordImport) {
    this.time = time
    this.sources = sources
    this.importing = importing
  }

  /** Starts a workout. Returns false if it cannot be stored and was counted as skipped. */
  open(attributes: XmlAttributes): boolean {
    if (!this.time.read(attributes, attributes.at(SLOTS.startDate))) {
      return this.skip('a workout has no valid start time', attributes)
    }
    const start = this.time.ms
    const offset = this.time.offset === NO_OFFSET ? null : this.time.offset
    if (!this.time.read(attributes, attributes.at(SLOTS.endDate))) {
      return this.skip('a workout has no valid end time', attributes)
    }
    const end = this.time.ms
    const problem = this.importing.timesProblem(start, end)
    if (problem !== undefined) return this.skip(`a workout ${problem}`, attributes)
    const duration = amount(attributes, 'duration', unit.SECONDS, attributes.get('durationUnit'))
    this.current = {
      sourceType: this.sources.of(attributes),
      activityType: attributes.get('workoutActivityType') ?? '',
      start,
      end,
      offset,
      totals: {
        moving_time: whole(duration) ?? Math.round((end - start) / SECOND_MS),
        distance: amount(attributes, 'totalDistance', unit.METRES, attributes.get('totalDistanceUnit')),
        calories: amount(attributes, 'totalEnergyBurned', unit.KILOCALORIES, attributes.get('totalEnergyBurnedUnit')),
      },
      routes: [],
    }
    return true
  }

  /** Handles an element at this depth inside the workout. Statistics in an unknown unit are omitted, but the workout itself is kept. */
  child(name: string, attributes: XmlAttributes, depth: number): void {
    if (this.current === undefined) return
    const { totals, routes } = this.current
    if (name === 'FileReference') {
      const path = attributes.get('path') ?? ''
      if (routes.length < MAX_ROUTES) routes.push({ path: path.length > MAX_PATH ? '' : path, byte: attributes.byte })
    } else if (depth !== CHILD_DEPTH) return
    else if (name === 'WorkoutStatistics') addStatistics(totals, attributes)
    else if (name === 'MetadataEntry') this.metadata(this.current, attributes)
  }

  /** Ends the open workout. Returns its summary and the references to its routes. */
  close(): RoutedWorkout | undefined {
    const workout = this.current
    this.current = undefined
    if (workout === undefined) return undefined
    const { sourceType, activityType, start, end, offset, totals, routes } = workout
    const { userId } = this.importing.context
    const { provider } = this.sources
    const sport = readSport(activityType)
    // the sport is part of the ID, because two workouts of a source may start in the same second, for example a swim inside a triathlon
    const recordId = [sourceType, start, sport.slug]
    const origin = { userId, provider, sourceType, recordId, date: localDate(start, offset), offset }
    return { summary: workoutSummary(origin, { start, end }, sport, { ...totals }), routes }
  }

  private metadata(workout: OpenWorkout, attributes: XmlAttributes): void {
    const key = attributes.get('key')
    const value = attributes.get('value') ?? ''
    if (key === USER_ENTERED && value === '1') workout.sourceType = this.sources.typedIn
    if (key !== 'HKElevationAscended') return
    // a quantity as text: "1234 cm"
    const [number = '', unitName] = value.split(' ')
    workout.totals.total_elevation_gain = converted(number, unit.METRES, unitName)
  }

  private skip(reason: string, { byte }: XmlAttributes): false {
    this.importing.skip(reason, `byte ${byte}`)
    return false
  }
}

function addStatistics(totals: Totals, attributes: XmlAttributes): void {
  const type = attributes.get('type') ?? ''
  const unitName = attributes.get('unit')
  if (type === `${QUANTITY}HeartRate`) {
    totals.average_hr = whole(amount(attributes, 'average', unit.PER_MINUTE, unitName))
    totals.max_hr = whole(amount(attributes, 'maximum', unit.PER_MINUTE, unitName))
  } else if (type === `${QUANTITY}ActiveEnergyBurned`) {
    totals.calories = amount(attributes, 'sum', unit.KILOCALORIES, unitName) ?? totals.calories
  } else if (type === `${QUANTITY}StepCount`) {
    totals.steps = whole(amount(attributes, 'sum', unit.COUNT, unitName))
  } else if (type.startsWith(`${QUANTITY}Distance`)) {
    totals.distance = amount(attributes, 'sum', unit.METRES, unitName) ?? totals.distance
  }
}

function amount(
  attributes: XmlAttributes,
  name: string,
  units: unit.Units,
  unitName: string | undefined,
): number | null {
  return converted(attributes.get(name) ?? '', units, unitName)
}

function converted(number: string, units: unit.Units, unitName: string | undefined): number | null {
  const conversion = unitName === undefined ? undefined : unit.findConversion(units, unitName)
  const value = parseNumber(number)
  return conversion === undefined || !Number.isFinite(value) ? null : unit.convert(value, conversion)
}

function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value)
}
