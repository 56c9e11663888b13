/** The data types of Google Health whose values become samples, as data: fields, factors, resources. */
import type { SourceType } from '../../../catalogue/source-types.ts'

export const PROVIDER = 'google_health'
/** One molar mass of glucose: mg/dL in one mmol/L. */
export const GLUCOSE_MG_DL = 18.0182

/** A data type with one value for each point. */
export interface SeriesType {
  /** In paths: `heart-rate`. Filters spell it `heart_rate` and bodies `heartRate`. */
  readonly name: string
  /** How a point tells its time, and which field a filter takes. */
  readonly shape: 'interval' | 'sample' | 'daily'
  /** Where the value is in the body of a point, with dots. */
  readonly value: string
  /** Subtracted from the value. A point without it is left out. */
  readonly minus?: string
  /** The value is divided by it. */
  readonly per: number
  /** Unit in which the value arrives. */
  readonly unit: string
  /** Name in the REST path. */
  readonly resource: string
  /** Of points that do not tell their device: reconciled points never do. */
  readonly sourceType: SourceType
}

const type = (
  name: string,
  shape: SeriesType['shape'],
  value: string,
  unit: string,
  resource: string,
  { per = 1, sourceType = 'watch', ...more }: Partial<SeriesType> = {},
): SeriesType => ({ name, shape, value, unit, resource, per, sourceType, ...more })

export const STEPS = type('steps', 'interval', 'count', 'count', 'steps')
export const DISTANCE = type('distance', 'interval', 'millimeters', 'mm', 'distance', { per: 1000 })
export const FLOORS = type('floors', 'interval', 'count', 'count', 'floors_climbed')
export const ACTIVE_ENERGY = type('active-energy-burned', 'interval', 'kcal', 'kcal', 'calories_active')
export const BASAL_ENERGY = type('basal-energy-burned', 'interval', 'kcal', 'kcal', 'calories_basal')
export const HEART_RATE = type('heart-rate', 'sample', 'beatsPerMinute', 'bpm', 'heartrate')
export const HRV = type(
  'heart-rate-variability',
  'sample',
  'rootMeanSquareOfSuccessiveDifferencesMilliseconds',
  'ms',
  'hrv',
)
export const DAILY_HRV = type(
  'daily-heart-rate-variability',
  'daily',
  'averageHeartRateVariabilityMilliseconds',
  'ms',
  'hrv',
)
export const OXYGEN = type('oxygen-saturation', 'sample', 'percentage', '%', 'blood_oxygen')
export const DAILY_OXYGEN = type('daily-oxygen-saturation', 'daily', 'averagePercentage', '%', 'blood_oxygen')
export const BREATHING = type(
  'respiratory-rate-sleep-summary',
  'sample',
  'fullSleepStats.breathsPerMinute',
  'breaths/min',
  'respiratory_rate',
)
export const DAILY_BREATHING = type(
  'daily-respiratory-rate',
  'daily',
  'breathsPerMinute',
  'breaths/min',
  'respiratory_rate',
)
export const TEMPERATURE_DELTA = type(
  'daily-sleep-temperature-derivations',
  'daily',
  'nightlyTemperatureCelsius',
  '°C',
  'body_temperature_delta',
  { minus: 'baselineTemperatureCelsius' },
)
export const BODY_TEMPERATURE = type('core-body-temperature', 'sample', 'temperatureCelsius', '°C', 'body_temperature')
export const GLUCOSE = type(
  'blood-glucose',
  'sample',
  'bloodGlucoseMilligramsPerDeciliter',
  'mg/dL',
  'glucose',
  // it comes from other apps: Google has no sensor for it
  { per: GLUCOSE_MG_DL, sourceType: 'app' },
)
export const VO2_MAX = type('vo2-max', 'sample', 'vo2Max', 'mL/kg/min', 'vo2_max')
export const DAILY_VO2_MAX = type('daily-vo2-max', 'daily', 'vo2Max', 'mL/kg/min', 'vo2_max')
export const RUN_VO2_MAX = type('run-vo2-max', 'sample', 'runVo2Max', 'mL/kg/min', 'vo2_max')
export const WEIGHT = type('weight', 'sample', 'weightGrams', 'g', 'body_weight', {
  per: 1000,
  sourceType: 'scale',
})
export const BODY_FAT = type('body-fat', 'sample', 'percentage', '%', 'body_fat', { sourceType: 'scale' })

/** Returns the name of a type as a key of a body: `daily-vo2-max` is `dailyVo2Max`. */
export function bodyKey(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
}

/** Returns the name of a type as filters spell it: `daily_vo2_max`. */
export function filterKey(name: string): string {
  return name.replaceAll('-', '_')
}
