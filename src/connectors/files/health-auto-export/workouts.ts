/** Reads Health Auto Export workouts, with the heart rates and the route that some of them include. */

import { OTHER_SPORT, type Sport } from '../../../catalogue/sports.ts'
import { asList, asNumber, asText, member } from '../../shared/json-fields.ts'
import { ActivityPoints, type PointValues } from '../../shared/points.ts'
import type { RecordTime } from '../../shared/record-time.ts'
import { sportOfWord } from '../../shared/sports.ts'
import type { StatedTotals } from '../../shared/totals.ts'
import { addActivity } from '../activity/activity.ts'
import type { RecordImport } from '../records/import.ts'
import { conversionFor } from '../records/units.ts'
import { healthTime } from './time.ts'
import { WORKOUT_WORDS } from './types.ts'

const WHAT = 'a workout'
const PLACE_WORDS = /^(?:outdoor|indoor|pool)\s+/i

export class HealthWorkouts {
  private readonly importing: RecordImport

  constructor(importing: RecordImport) {
    this.importing = importing
  }

  add(workout: unknown, position: string): void {
    const start = healthTime(member(workout, 'start'), this.importing.context.timeZone)
    const end = healthTime(member(workout, 'end'), this.importing.context.timeZone)
    if (start === undefined || end === undefined) {
      this.importing.skip(`${WHAT} has a time that cannot be read`, position)
      return
    }
    const problem = this.importing.timesProblem(start.ms, end.ms)
    if (problem !== undefined) {
      this.importing.skip(`${WHAT} ${problem}`, position)
      return
    }
    const name = asText(member(workout, 'name'))
    const points = this.readPoints(workout)
    const stated = statedTotals(workout)
    const title = name ?? null
    addActivity(this.importing, {
      sport: matchSport(name),
      title,
      start: start.ms,
      end: end.ms,
      offset: start.offset,
      points,
      stated,
    })
  }

  private readPoints(workout: unknown): ActivityPoints {
    const points = new ActivityPoints()
    const add = (time: RecordTime | undefined, values: PointValues): void => {
      if (time !== undefined && this.importing.timesProblem(time.ms, time.ms) === undefined) points.add(time.ms, values)
    }
    for (const each of asList(member(workout, 'heartRateData'))) {
      const units = asText(member(each, 'units')) ?? 'bpm'
      const value = asNumber(member(each, 'Avg') ?? member(each, 'avg') ?? member(each, 'qty'))
      const time = healthTime(member(each, 'date'), this.importing.context.timeZone)
      const convert = conversionFor('heartrate', units)
      if (value !== undefined && value > 0 && convert !== null) add(time, { heartrate: convert(value) })
    }
    for (const each of asList(member(workout, 'route'))) {
      const time = healthTime(member(each, 'timestamp'), this.importing.context.timeZone)
      const lat = degrees(member(each, 'latitude') ?? member(each, 'lat'), 90)
      const lng = degrees(member(each, 'longitude') ?? member(each, 'lon'), 180)
      if (lat === undefined || lng === undefined) continue
      const speed = asNumber(member(each, 'speed'))
      // a phone writes -1 if the speed is unknown
      const velocity_smooth = speed !== undefined && speed >= 0 ? speed : undefined
      add(time, { lat, lng, altitude: asNumber(member(each, 'altitude')), velocity_smooth })
    }
    return points
  }
}

/** Returns an angle if it is between -`most` and `most` degrees, otherwise undefined. */
function degrees(value: unknown, most: number): number | undefined {
  const angle = asNumber(value)
  return angle !== undefined && Math.abs(angle) <= most ? angle : undefined
}

/** Returns a workout's totals, for either version of the export. */
function statedTotals(workout: unknown): StatedTotals {
  const amount = (key: string, resource: string): number | undefined => quantity(member(workout, key), resource)
  const heart = member(workout, 'heartRate')
  return {
    average_hr: amount('avgHeartRate', 'heartrate') ?? quantity(member(heart, 'avg'), 'heartrate'),
    max_hr: amount('maxHeartRate', 'heartrate') ?? quantity(member(heart, 'max'), 'heartrate'),
    distance: amount('distance', 'workout_distance'),
    calories: amount('activeEnergyBurned', 'calories_active') ?? amount('activeEnergy', 'calories_active'),
    total_elevation_gain: amount('elevationUp', 'workout_distance') ?? ascent(member(workout, 'elevation')),
    steps: amount('stepCount', 'steps'),
  }
}

/** Returns `{qty, units}`, or the sum of such a list, in the resource's unit. */
function quantity(value: unknown, resource: string): number | undefined {
  const list = asList(value)
  if (list.length > 0) {
    const parts = list.map(each => quantity(each, resource))
    return parts.every(part => part !== undefined) ? parts.reduce((sum, part) => sum + part, 0) : undefined
  }
  const number = asNumber(member(value, 'qty'))
  const units = asText(member(value, 'units'))
  const convert = units === undefined ? null : conversionFor(resource, units)
  return number === undefined || convert === null ? undefined : convert(number)
}

function ascent(elevation: unknown): number | undefined {
  return quantity({ qty: member(elevation, 'ascent'), units: member(elevation, 'units') }, 'workout_distance')
}

/** Returns the sport for a workout name: `Outdoor Run` is running. */
function matchSport(name: string | undefined): Sport {
  const whole = sportOfWord(name)
  if (whole !== OTHER_SPORT || name === undefined) return whole
  const word = name.trim().replace(PLACE_WORDS, '')
  return sportOfWord(WORKOUT_WORDS.get(word.toLowerCase()) ?? word)
}
