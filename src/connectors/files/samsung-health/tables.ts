/** What becomes of the tables in an export of Samsung Health, as data. */
import type { FieldTable } from '../archive/record.ts'
import { rule, type SeriesRule } from '../archive/series.ts'

/** A table whose rows, or the bins that its rows refer to, become samples. Times are in UTC. */
export interface SamsungTable {
  readonly name: string
  /** The type of data, without `com.samsung.`. */
  readonly type: string
  readonly rules: readonly SeriesRule[]
  /** Whether a row may refer to a file with detailed values, which then replace the row's. */
  readonly hasBins: boolean
}

const MEASURED = { none: [0] } as const
const table = (name: string, type: string, ...rules: readonly SeriesRule[]): SamsungTable => ({
  name,
  type,
  rules,
  hasBins: false,
})
const binned = (name: string, type: string, ...rules: readonly SeriesRule[]): SamsungTable => ({
  name,
  type,
  rules,
  hasBins: true,
})

export const SERIES_TABLES: readonly SamsungTable[] = [
  binned('heart rate', 'shealth.tracker.heart_rate', rule('heart_rate', 'heartrate', MEASURED)),
  binned(
    'heart rate variability',
    'health.hrv',
    rule('rmssd', 'hrv', MEASURED),
    rule('sdnn', 'hrv', { type: 'sdnn', ...MEASURED }),
  ),
  binned('stress', 'shealth.stress', rule('score', 'stress_level')),
  table('oxygen saturation', 'shealth.tracker.oxygen_saturation', rule('spo2', 'blood_oxygen', MEASURED)),
  table('respiratory rate', 'health.respiratory_rate', rule('average', 'respiratory_rate', MEASURED)),
  table(
    'skin temperature',
    'health.skin_temperature',
    rule('temperature', 'body_temperature', { type: 'skin', ...MEASURED }),
  ),
  table('steps', 'shealth.tracker.pedometer_step_count', rule('count', 'steps'), rule('distance', 'distance')),
  table('floors', 'health.floors_climbed', rule('floor', 'floors_climbed')),
  table('weight', 'health.weight', rule('weight', 'body_weight', MEASURED), rule('body_fat', 'body_fat', MEASURED)),
  table(
    'blood pressure',
    'health.blood_pressure',
    rule('systolic', 'blood_pressure', { second: 'diastolic', ...MEASURED }),
  ),
  table('blood glucose', 'health.blood_glucose', rule('glucose', 'glucose', MEASURED)),
  table('body temperature', 'health.body_temperature', rule('temperature', 'body_temperature', MEASURED)),
  table('water', 'health.water_intake', rule('amount', 'water')),
  table('caffeine', 'health.caffeine_intake', rule('amount', 'caffeine', { per: 1000 })),
]
export const FITNESS = rule('vo2_max', 'vo2_max', MEASURED)

/** A night, in minutes. An efficiency of 0 was not computed. */
export const SLEEP: FieldTable = {
  total: ['sleep_duration', 60],
  rem: ['total_rem_duration', 60],
  light: ['total_light_duration', 60],
  efficiency: 'efficiency',
  score: 'sleep_score',
}
export const EXERCISE: FieldTable = {
  moving_time: ['duration', 0.001],
  distance: 'distance',
  calories: 'calorie',
  average_hr: 'mean_heart_rate',
  max_hr: 'max_heart_rate',
  average_speed: 'mean_speed',
  max_speed: 'max_speed',
}

/** Types that are not read, by reason. */
export const NOT_READ: Readonly<Record<string, readonly string[]>> = {
  'combined nights, which repeat the nights': ['shealth.sleep_combined'],
  'days of the pedometer, which repeat the days of the step trend': ['shealth.tracker.pedometer_day_summary'],
  'tables whose columns are not known': ['health.nutrition', 'health.food_intake', 'shealth.cycle.*'],
}

/** Sports by their number in the export, as far as the developer documentation states them. All others are Other. */
export const SPORTS: Readonly<Record<string, string>> = {
  '1001': 'walking',
  '1002': 'running',
  '11007': 'cycling',
  '13001': 'hiking',
  '14001': 'swimming',
}
