/** Google Health data types whose values become samples, as data: fields, factors and resources. */
import { DAILY_TYPE, RUN_TYPE } from '../../../catalogue/kinds.ts'
import type { SourceType } from '../../../catalogue/source-types.ts'
import { GLUCOSE_MG_DL } from '../../shared/glucose.ts'
import type { RecordForm } from '../record-view.ts'

export const GOOGLE: RecordForm = {
  provider: 'google_health',
  ignored: new Set([
    ...['interval', 'sampleTime', 'date', 'createTime', 'updateTime'],
    // for a night, the names of its stages; for an electrocardiogram, the number of leads, which is one
    ...['type', 'leadNumber'],
    // a food's IDs and names, and the quantity that the amounts refer to
    ...['food', 'serving'],
  ]),
  countsNested: false,
}

/** A data type with one value per point. */
export interface SeriesType {
  /** Name in paths, such as `heart-rate`. Filters spell it `heart_rate`, and bodies spell it `heartRate`. */
  readonly name: string
  /** Where a point stores its time, and which field to filter on. */
  readonly shape: 'interval' | 'sample' | 'daily'
  /** Path of the value in a point's body, with dots. */
  readonly value: string
  /** Path of an amount to subtract from the value. A point without this amount is omitted. */
  readonly minus?: string
  /** Divisor of the value. */
  readonly per: number
  /** The value's unit. */
  readonly unit: string
  /** The resource's name in the REST path. */
  readonly resource: string
  /** The samples' `type`, which shows their kind. */
  readonly type?: string
  /** Source type for points without a device. Reconciled points never have a device. */
  readonly sourceType: SourceType
}

const defineType =
  (shape: SeriesType['shape']) =>
  (name: string, value: string, unit: string, resource: string, more: Partial<SeriesType> = {}): SeriesType => ({
    ...{ name, shape, value, unit, resource, per: 1, sourceType: 'watch' },
    ...more,
  })
const interval = defineType('interval')
const sample = defineType('sample')
const daily = defineType('daily')

export const STEPS = interval('steps', 'count', 'count', 'steps')
export const DISTANCE = interval('distance', 'millimeters', 'mm', 'distance', { per: 1000 })
export const FLOORS = interval('floors', 'count', 'count', 'floors_climbed')
export const ACTIVE_ENERGY = interval('active-energy-burned', 'kcal', 'kcal', 'calories_active')
export const BASAL_ENERGY = interval('basal-energy-burned', 'kcal', 'kcal', 'calories_basal')
export const HEART_RATE = sample('heart-rate', 'beatsPerMinute', 'bpm', 'heartrate')
export const HRV = sample('heart-rate-variability', 'rootMeanSquareOfSuccessiveDifferencesMilliseconds', 'ms', 'hrv')
export const DAILY_HRV = daily('daily-heart-rate-variability', 'averageHeartRateVariabilityMilliseconds', 'ms', 'hrv', {
  type: DAILY_TYPE,
})
export const OXYGEN = sample('oxygen-saturation', 'percentage', '%', 'blood_oxygen')
export const DAILY_OXYGEN = daily('daily-oxygen-saturation', 'averagePercentage', '%', 'blood_oxygen', {
  type: DAILY_TYPE,
})
export const BREATHING = sample(
  'respiratory-rate-sleep-summary',
  'fullSleepStats.breathsPerMinute',
  'breaths/min',
  'respiratory_rate',
)
export const DAILY_BREATHING = daily('daily-respiratory-rate', 'breathsPerMinute', 'breaths/min', 'respiratory_rate')
export const TEMPERATURE_DELTA = daily(
  'daily-sleep-temperature-derivations',
  'nightlyTemperatureCelsius',
  '°C',
  'body_temperature_delta',
  { minus: 'baselineTemperatureCelsius' },
)
export const BODY_TEMPERATURE = sample('core-body-temperature', 'temperatureCelsius', '°C', 'body_temperature')
export const GLUCOSE = sample(
  'blood-glucose',
  'bloodGlucoseMilligramsPerDeciliter',
  'mg/dL',
  'glucose',
  // the value comes from other apps, because Google has no sensor for it
  { per: GLUCOSE_MG_DL, sourceType: 'app' },
)
export const VO2_MAX = sample('vo2-max', 'vo2Max', 'mL/kg/min', 'vo2_max')
export const DAILY_VO2_MAX = daily('daily-vo2-max', 'vo2Max', 'mL/kg/min', 'vo2_max')
export const RUN_VO2_MAX = sample('run-vo2-max', 'runVo2Max', 'mL/kg/min', 'vo2_max', { type: RUN_TYPE })
export const WEIGHT = sample('weight', 'weightGrams', 'g', 'body_weight', { per: 1000, sourceType: 'scale' })
export const BODY_FAT = sample('body-fat', 'percentage', '%', 'body_fat', { sourceType: 'scale' })

/** Returns a type's name as a body key: `daily-vo2-max` is `dailyVo2Max`. */
export function bodyKey(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns a type's name as spelled in filters: `daily_vo2_max`. */
export function filterKey(name: string): string {
  return name.replaceAll('-', '_')
}
