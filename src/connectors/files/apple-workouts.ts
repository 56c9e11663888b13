/** Workouts of an export: the element with its totals, and the statistics that newer exports put inside it. */
import { ownedId, type UserId } from '../../core/ids.ts'
import { NO_OFFSET, type SummaryRecord } from '../../core/sample.ts'
import { DAY_MS, type EpochMs, formatDate, formatInstant, SECOND_MS } from '../../core/time.ts'
import { parseNumber, type XmlAttributes } from './apple-attributes.ts'
import { timesProblem } from './apple-records.ts'
import { APPLE_PROVIDER, type SourceTypes } from './apple-source.ts'
import { sportOf } from './apple-sports.ts'
import type { TimeReader } from './apple-time.ts'
import * as unit from './apple-units.ts'
import type { SkipCounts } from './skip-counts.ts'

/** What the totals of a workout are made of; a statistic replaces the attribute that says the same. */
interface Totals {
  movingSeconds: number | null
  distance: number | null
  calories: number | null
  steps: number | null
  averageHr: number | null
  maxHr: number | null
  elevationGain: number | null
}

interface OpenWorkout {
  readonly sourceType: string
  readonly activityType: string
  readonly start: EpochMs
  readonly end: EpochMs
  readonly offset: number | null
  readonly totals: Totals
}

const QUANTITY = 'HKQuantityTypeIdentifier'

/** One workout at a time: `open`, its children, `close`. */
export class AppleWorkouts {
  private readonly userId: UserId
  private readonly time: TimeReader
  private readonly sources: SourceTypes
  private readonly skips: SkipCounts
  private readonly latestMs: EpochMs
  private current: OpenWorkout | undefined

  constructor(userId: UserId, time: TimeReader, sources: SourceTypes, skips: SkipCounts, now: EpochMs) {
    this.userId = userId
    this.time = time
    this.sources = sources
    this.skips = skips
    this.latestMs = now + DAY_MS
  }

  open(attributes: XmlAttributes): void {
    this.current = undefined
    if (!this.time.read(attributes, 'startDate')) {
      this.skips.add('a workout has a start that is not a time')
      return
    }
    const start = this.time.ms
    const offset = this.time.offset === NO_OFFSET ? null : this.time.offset
    if (!this.time.read(attributes, 'endDate')) {
      this.skips.add('a workout has an end that is not a time')
      return
    }
    const end = this.time.ms
    const problem = timesProblem(start, end, this.latestMs)
    if (problem !== undefined) {
      this.skips.add(`a workout ${problem}`)
      return
    }
    this.current = {
      sourceType: this.sources.of(attributes),
      activityType: attributes.get('workoutActivityType') ?? '',
      start,
      end,
      offset,
      totals: {
        movingSeconds: amount(attributes, 'duration', unit.SECONDS, attributes.get('durationUnit')),
        distance: amount(attributes, 'totalDistance', unit.METRES, attributes.get('totalDistanceUnit')),
        calories: amount(attributes, 'totalEnergyBurned', unit.KILOCALORIES, attributes.get('totalEnergyBurnedUnit')),
        steps: null,
        averageHr: null,
        maxHr: null,
        elevationGain: null,
      },
    }
  }

  /** A direct child of the workout. Statistics in a unit that is not known are left out: the workout itself stays. */
  child(name: string, attributes: XmlAttributes): void {
    const totals = this.current?.totals
    if (totals === undefined) return
    if (name === 'WorkoutStatistics') addStatistics(totals, attributes)
    else if (name === 'MetadataEntry' && attributes.get('key') === 'HKElevationAscended') {
      // a quantity as text: "1234 cm"
      const [number = '', unitName] = (attributes.get('value') ?? '').split(' ')
      totals.elevationGain = converted(number, unit.METRES, unitName)
    }
  }

  /** The summary of the workout, or undefined when it was skipped. */
  close(): SummaryRecord | undefined {
    const workout = this.current
    this.current = undefined
    if (workout === undefined) return undefined
    const { sourceType, activityType, start, offset } = workout
    const sport = sportOf(activityType)
    // the sport is part of it: two workouts of a source may start in the same second, a swim inside a triathlon, say
    const id = ownedId(this.userId, 'workouts', APPLE_PROVIDER, sourceType, start, sport.slug)
    const date = formatDate(start + (offset ?? 0) * SECOND_MS)
    const document = {
      provider_id: id,
      calendar_date: date,
      title: sport.name,
      sport: { ...sport },
      ...measures(workout),
    }
    return {
      kind: 'workouts',
      id,
      provider: APPLE_PROVIDER,
      sourceType,
      appId: null,
      deviceId: null,
      at: start,
      date,
      offset,
      document,
    }
  }
}

function addStatistics(totals: Totals, attributes: XmlAttributes): void {
  const type = attributes.get('type') ?? ''
  const unitName = attributes.get('unit')
  if (type === `${QUANTITY}HeartRate`) {
    totals.averageHr = whole(amount(attributes, 'average', unit.PER_MINUTE, unitName))
    totals.maxHr = whole(amount(attributes, 'maximum', unit.PER_MINUTE, unitName))
  } else if (type === `${QUANTITY}ActiveEnergyBurned`) {
    totals.calories = amount(attributes, 'sum', unit.KILOCALORIES, unitName) ?? totals.calories
  } else if (type === `${QUANTITY}StepCount`) {
    totals.steps = whole(amount(attributes, 'sum', unit.COUNT, unitName))
  } else if (type.startsWith(`${QUANTITY}Distance`)) {
    totals.distance = amount(attributes, 'sum', unit.METRES, unitName) ?? totals.distance
  }
}

/** The fields of interface-gaps 4.12 that an export can fill; the others are null. */
function measures(workout: OpenWorkout): Readonly<Record<string, unknown>> {
  const { start, end, offset, totals } = workout
  return {
    time_start: formatInstant(start),
    time_end: formatInstant(end),
    timezone_offset: offset,
    average_hr: totals.averageHr,
    max_hr: totals.maxHr,
    distance: totals.distance,
    calories: totals.calories,
    hr_zones: null,
    moving_time: whole(totals.movingSeconds) ?? Math.round((end - start) / SECOND_MS),
    total_elevation_gain: totals.elevationGain,
    elev_high: null,
    elev_low: null,
    average_speed: null,
    max_speed: null,
    average_watts: null,
    device_watts: null,
    max_watts: null,
    weighted_average_watts: null,
    steps: totals.steps,
    map: null,
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
  const conversion = unitName === undefined ? undefined : unit.conversionOf(units, unitName)
  const value = parseNumber(number)
  return conversion === undefined || !Number.isFinite(value) ? null : unit.convert(value, conversion)
}

function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value)
}
