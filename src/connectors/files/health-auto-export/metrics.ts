/** Converts the readings of a Health Auto Export metric into samples. */

import type { EpochMs } from '../../../core/time.ts'
import { HeartValues, MOST_WAITING, ONLY_IN_SUMMARIES } from '../../shared/heart-values.ts'
import { asNumber, member } from '../../shared/json-fields.ts'
import { dateIn, type RecordTime } from '../../shared/record-time.ts'
import type { RecordImport } from '../records/import.ts'
import { OTHER_HALF, PressurePairs } from '../records/pressure-pairs.ts'
import { conversionFor, unsupportedUnit } from '../records/units.ts'
import { SleepSegments } from '../sleep/segments.ts'
import { addNight, isSegment, LEAST_VALUES, type Night, readNight, readSegment } from './sleep.ts'
import { healthTime } from './time.ts'
import { METRIC_RULES, type MetricRule } from './types.ts'

export interface Metric {
  readonly name?: string | undefined
  readonly units?: string | undefined
}

type QuantityRule = Extract<MetricRule, { resource: string }>
type PressureRule = Extract<MetricRule, { half: unknown }>

export class HealthMetrics {
  private readonly importing: RecordImport
  private readonly metrics: ReadonlyMap<number, Metric>
  private readonly pressures: PressurePairs<EpochMs, string>
  private readonly heart = new HeartValues()
  private readonly nights: Night[] = []
  private readonly segments: SleepSegments

  /** `metrics` is keyed by the index in the file. */
  constructor(importing: RecordImport, metrics: ReadonlyMap<number, Metric>) {
    this.importing = importing
    this.metrics = metrics
    this.segments = new SleepSegments(importing)
    this.pressures = new PressurePairs(position => importing.skip('a blood pressure value has no other half', position))
  }

  /** Adds a reading of the metric with this index in the file. `byte` is its position. */
  add(index: number, reading: unknown, byte: number): void {
    const { name = '', units = '' } = this.metrics.get(index) ?? {}
    const rule = METRIC_RULES.get(name)
    const problem =
      rule === undefined ? `${quoteName(name)} is not imported` : this.store(rule, name, units, reading, byte)
    if (problem !== null) this.importing.skip(problem, `byte ${byte}`)
  }

  /** Adds the remaining items. Call this once after the last reading. */
  finish(): void {
    this.pressures.finish()
    for (const night of this.nights.splice(0)) addNight(this.importing, night, this.heart)
    this.segments.finish(this.heart, {
      zone: this.importing.context.timeZone,
      leastVariability: LEAST_VALUES,
    })
  }

  /** Stores a reading. Returns the reason why the reading is skipped, or null if it was stored or the collector skipped it. */
  private store(rule: MetricRule, name: string, units: string, reading: unknown, byte: number): string | null {
    if (rule.reads === 'sleep') return this.addSleep(name, reading, byte)
    const position = `byte ${byte}`
    const { timeZone } = this.importing.context
    const start = healthTime(member(reading, 'startDate') ?? member(reading, 'date'), timeZone)
    if (start === undefined) return `${name} has a time that cannot be read`
    if (rule.reads === 'resting') return this.addResting(name, units, reading, start)
    if (rule.reads === 'pressure') return this.addPressure(rule, name, units, reading, start, position)
    return this.addQuantity(rule, name, units, reading, start, position)
  }

  private addSleep(name: string, reading: unknown, byte: number): string | null {
    if (isSegment(reading)) {
      const segment = readSegment(this.importing, reading, byte)
      if (typeof segment === 'string') return `${name} ${segment}`
      this.segments.add(name, segment)
      return null
    }
    const night = readNight(this.importing, reading)
    if (typeof night === 'string') return `${name} ${night}`
    if (this.nights.length < MOST_WAITING) this.nights.push(night)
    else addNight(this.importing, night, new HeartValues())
    return null
  }

  private addQuantity(
    { reads, resource, type, text }: QuantityRule,
    name: string,
    units: string,
    reading: unknown,
    start: RecordTime,
    position: string,
  ): string | null {
    const convert = conversionFor(resource, units, type)
    if (convert === null) return `${name} ${unsupportedUnit(units)}`
    const given = reads === 'average' ? (member(reading, 'Avg') ?? member(reading, 'avg')) : undefined
    const value = asNumber(given ?? member(reading, 'qty'))
    if (value === undefined) return `${name} has no numeric value`
    const until = member(reading, 'endDate')
    const end = until === undefined ? start : healthTime(until, this.importing.context.timeZone)
    if (end === undefined) return `${name} has an end that is not a valid time`
    const sample = { resource, type, value: convert(value), start: start.ms, end: end.ms, offset: start.offset, text }
    const isStored = this.importing.add(sample, name, position)
    if (isStored && resource === 'hrv') {
      this.heart.addVariability({ sourceType: this.importing.chooseSourceType(), at: start.ms, value: sample.value })
    }
    return null
  }

  /** Adds a resting heart rate to the values of its date. Returns the reason why it is not a sample. */
  private addResting(name: string, units: string, reading: unknown, start: RecordTime): string {
    const convert = conversionFor('heartrate', units)
    if (convert === null) return `${name} ${unsupportedUnit(units)}`
    const value = asNumber(member(reading, 'qty'))
    if (value === undefined) return `${name} has no numeric value`
    const problem = this.importing.timesProblem(start.ms, start.ms)
    if (problem !== undefined) return `${name} ${problem}`
    const sourceType = this.importing.chooseSourceType()
    const date = dateIn(start, this.importing.context.timeZone)
    this.heart.addResting(date, { sourceType, at: start.ms, value: convert(value) })
    return ONLY_IN_SUMMARIES
  }

  private addPressure(
    { half }: PressureRule,
    name: string,
    units: string,
    reading: unknown,
    start: RecordTime,
    position: string,
  ): string | null {
    const convert = conversionFor('blood_pressure', units)
    if (convert === null) return `${name} ${unsupportedUnit(units)}`
    if (half !== null) {
      const value = asNumber(member(reading, 'qty'))
      if (value === undefined) return `${name} has no numeric value`
      const joined = this.pressures.add(half, convert(value), start.ms, position)
      if (joined === undefined) return null
      this.addReading(joined.systolic, joined.diastolic, start, position)
      return OTHER_HALF
    }
    const systolic = asNumber(member(reading, 'systolic'))
    const diastolic = asNumber(member(reading, 'diastolic'))
    if (systolic === undefined || diastolic === undefined) return `${name} has no numeric value`
    this.addReading(convert(systolic), convert(diastolic), start, position)
    return null
  }

  private addReading(value: number, second: number, { ms: start, offset }: RecordTime, position: string): void {
    this.importing.add({ resource: 'blood_pressure', value, second, start, offset }, 'a blood pressure', position)
  }
}

/** Returns a metric's name for use in a reason, but only if it looks like a metric name. */
function quoteName(name: string): string {
  return /^[a-z][a-z0-9_]{1,60}$/.test(name) ? name : 'a metric without a known name'
}
