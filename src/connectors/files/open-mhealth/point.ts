/** Converts an Open mHealth data point into a sample or a workout. Reads its header and body, and the body's time frame and measures. */

import { HOUR_MS, parseDate, SECOND_MS } from '../../../core/time.ts'
import { asNumber, asObject, asText, type JsonObject, member } from '../../shared/json-fields.ts'
import { ActivityPoints } from '../../shared/points.ts'
import { floatingIn, type RecordTime, readTime } from '../../shared/record-time.ts'
import { sportOfWord } from '../../shared/sports.ts'
import { addActivity } from '../activity/activity.ts'
import type { RecordImport } from '../records/import.ts'
import { OnePerson } from '../records/person.ts'
import { conversionFor, unsupportedUnit } from '../records/units.ts'
import { OPEN_MHEALTH_RULES, type OpenMhealthRule, SENSOR_LOCATIONS } from './schemas.ts'

interface Frame {
  readonly start: RecordTime
  readonly end: RecordTime
}

const WHAT = 'a data point'
/** Statistics that represent an interval's values, unlike a minimum or maximum. */
const TYPICAL = new Set(['average', 'median'])
/** The hour at which each part of the day starts (`part_of_day` in a time frame). */
const PARTS_OF_DAY = new Map([
  ['morning', 6],
  ['afternoon', 12],
  ['evening', 18],
  ['night', 0],
])

export class OpenMhealthPoints {
  private readonly importing: RecordImport
  private readonly person = new OnePerson()

  constructor(importing: RecordImport) {
    this.importing = importing
  }

  add(point: unknown, position: string): void {
    this.importing.records++
    const problem = this.store(point, position)
    if (problem !== null) this.importing.skip(problem, position)
  }

  /** Stores a data point. Returns the reason why the data point is skipped, or null if it was stored or the collector skipped it. */
  private store(point: unknown, position: string): string | null {
    const header = member(point, 'header')
    const body = asObject(member(point, 'body'))
    const schema = asText(member(member(header, 'schema_id'), 'name'))
    if (schema === undefined || body === undefined) return `${WHAT} has no schema_id or no body`
    this.person.see(asText(member(header, 'user_id')), position)
    const rule = OPEN_MHEALTH_RULES.get(schema)
    const isKnown = rule !== undefined || schema === 'blood-pressure' || schema === 'physical-activity'
    if (!isKnown) return `${schemaName(schema)} is not imported`
    const statistic = asText(body['descriptive_statistic'])
    if (statistic !== undefined && !TYPICAL.has(statistic)) return `${schema} is a statistic other than an average`
    const frame = this.readFrame(body['effective_time_frame'])
    if (frame === undefined) return `${schema} has no valid time frame`
    if (schema === 'physical-activity') return this.addActivity(body, frame)
    return rule === undefined
      ? this.addPressure(body, frame, position)
      : this.addMeasure(body, rule, schema, frame, position)
  }

  private addMeasure(
    body: JsonObject,
    rule: OpenMhealthRule,
    schema: string,
    frame: Frame,
    position: string,
  ): string | null {
    const value = quantity(body[rule.measure], rule.resource, rule.bareUnit)
    if (typeof value === 'string') return `${schema} ${value}`
    const location = asText(body['measurement_location'] ?? body['sensor_location'])?.toLowerCase()
    const text =
      rule.location && location !== undefined ? { [rule.location]: SENSOR_LOCATIONS.get(location) ?? null } : {}
    const { start, end } = frame
    this.importing.add(
      { resource: rule.resource, value, start: start.ms, end: end.ms, offset: start.offset, text },
      schema,
      position,
    )
    return null
  }

  private addPressure(body: JsonObject, { start }: Frame, position: string): string | null {
    const value = quantity(body['systolic_blood_pressure'], 'blood_pressure')
    const second = quantity(body['diastolic_blood_pressure'], 'blood_pressure')
    if (typeof value === 'string') return `blood-pressure ${value}`
    if (typeof second === 'string') return `blood-pressure ${second}`
    const sample = { resource: 'blood_pressure', value, second, start: start.ms, offset: start.offset }
    this.importing.add(sample, 'blood-pressure', position)
    return null
  }

  private addActivity(body: JsonObject, { start, end }: Frame): string | null {
    const problem = this.importing.timesProblem(start.ms, end.ms)
    if (problem !== undefined) return `physical-activity ${problem}`
    const name = asText(body['activity_name'])
    const figure = (key: string, resource: string): number | null => {
      const value = quantity(body[key], resource)
      return typeof value === 'number' && Number.isFinite(value) ? value : null
    }
    addActivity(this.importing, {
      sport: sportOfWord(name),
      title: name ?? null,
      start: start.ms,
      end: end.ms,
      offset: start.offset,
      points: new ActivityPoints(),
      stated: { distance: figure('distance', 'distance'), calories: figure('kcal_burned', 'calories_active') },
    })
    return null
  }

  private readFrame(frame: unknown): Frame | undefined {
    const at = member(frame, 'date_time')
    if (at !== undefined) {
      const start = readTime(at, this.importing.context.timeZone)
      return start && { start, end: start }
    }
    const day = asText(member(frame, 'date'))
    if (day !== undefined) return this.dayFrame(day, asText(member(frame, 'part_of_day')))
    return this.readInterval(member(frame, 'time_interval'))
  }

  private dayFrame(day: string, part: string | undefined): Frame | undefined {
    const midnight = parseDate(day)
    if (midnight === undefined) return undefined
    const start = floatingIn(midnight + (PARTS_OF_DAY.get(part ?? '') ?? 0) * HOUR_MS, this.importing.context.timeZone)
    return { start, end: start }
  }

  /** Reads an interval: start and end, start and duration, or end and duration. */
  private readInterval(interval: unknown): Frame | undefined {
    const start = readTime(member(interval, 'start_date_time'), this.importing.context.timeZone)
    const end = readTime(member(interval, 'end_date_time'), this.importing.context.timeZone)
    if (start !== undefined && end !== undefined) return { start, end }
    const duration = member(interval, 'duration')
    if (duration === undefined) return start && { start, end: start }
    const minutes = quantity(duration, 'workout_duration')
    if (typeof minutes !== 'number') return undefined
    const ms = Math.round(minutes * 60) * SECOND_MS
    if (start !== undefined) return { start, end: { ms: start.ms + ms, offset: start.offset } }
    return end && { start: { ms: end.ms - ms, offset: end.offset }, end }
  }
}

/** Returns the number in `{value, unit}` in the resource's unit, or the problem with it. */
function quantity(measure: unknown, resource: string, bareUnit?: string): number | string {
  const bare = bareUnit === undefined ? undefined : asNumber(measure)
  if (bare !== undefined) return bare
  const value = asNumber(member(measure, 'value'))
  if (value === undefined) return 'has no numeric value'
  const unit = asText(member(measure, 'unit'))
  const convert = unit === undefined ? null : conversionFor(resource, unit)
  return convert === null ? unsupportedUnit(unit) : convert(value)
}

/** Returns a schema's name for use in a reason, but only if it looks like a schema name. */
function schemaName(schema: string): string {
  return /^[a-z][a-z0-9-]{1,60}$/.test(schema) ? schema : 'a schema that is not from Open mHealth'
}
