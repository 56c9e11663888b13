/** What becomes of the tables in an export of Samsung Health, as data. */
import type { SeriesRule } from '../archive/series.ts'

/** A table whose rows, or the bins that its rows refer to, become samples. Times are in UTC. */
export interface SamsungTable {
  readonly name: string
  /** The type of data, without `com.samsung.`. */
  readonly type: string
  readonly rules: readonly SeriesRule[]
  /** Whether a row may refer to a file with detailed values, which then replace the row's. */
  readonly hasBins?: boolean
}

const MEASURED = { none: [0] } as const

export const SERIES_TABLES: readonly SamsungTable[] = [
  {
    name: 'heart rate',
    type: 'shealth.tracker.heart_rate',
    rules: [{ column: 'heart_rate', resource: 'heartrate', ...MEASURED }],
    hasBins: true,
  },
  {
    name: 'heart rate variability',
    type: 'health.hrv',
    rules: [
      { column: 'rmssd', resource: 'hrv', ...MEASURED },
      { column: 'sdnn', resource: 'hrv', type: 'sdnn', ...MEASURED },
    ],
    hasBins: true,
  },
  {
    name: 'stress',
    type: 'shealth.stress',
    rules: [{ column: 'score', resource: 'stress_level' }],
    hasBins: true,
  },
  {
    name: 'oxygen saturation',
    type: 'shealth.tracker.oxygen_saturation',
    rules: [{ column: 'spo2', resource: 'blood_oxygen', ...MEASURED }],
  },
  {
    name: 'respiratory rate',
    type: 'health.respiratory_rate',
    rules: [{ column: 'average', resource: 'respiratory_rate', ...MEASURED }],
  },
  {
    name: 'skin temperature',
    type: 'health.skin_temperature',
    rules: [{ column: 'temperature', resource: 'body_temperature', type: 'skin', ...MEASURED }],
  },
  {
    name: 'steps',
    type: 'shealth.tracker.pedometer_step_count',
    rules: [
      { column: 'count', resource: 'steps' },
      { column: 'distance', resource: 'distance' },
    ],
  },
  { name: 'floors', type: 'health.floors_climbed', rules: [{ column: 'floor', resource: 'floors_climbed' }] },
  {
    name: 'weight',
    type: 'health.weight',
    rules: [
      { column: 'weight', resource: 'body_weight', ...MEASURED },
      { column: 'body_fat', resource: 'body_fat', ...MEASURED },
    ],
  },
  {
    name: 'blood pressure',
    type: 'health.blood_pressure',
    rules: [{ column: 'systolic', second: 'diastolic', resource: 'blood_pressure', ...MEASURED }],
  },
  {
    name: 'blood glucose',
    type: 'health.blood_glucose',
    rules: [{ column: 'glucose', resource: 'glucose', ...MEASURED }],
  },
  {
    name: 'body temperature',
    type: 'health.body_temperature',
    rules: [{ column: 'temperature', resource: 'body_temperature', ...MEASURED }],
  },
  { name: 'water', type: 'health.water_intake', rules: [{ column: 'amount', resource: 'water' }] },
  { name: 'caffeine', type: 'health.caffeine_intake', rules: [{ column: 'amount', resource: 'caffeine', per: 1000 }] },
]

export const FITNESS: SeriesRule = { column: 'vo2_max', resource: 'vo2_max', ...MEASURED }

/** Types that are not read, by their beginning, with the reason. */
export const NOT_READ: readonly (readonly [type: string, reason: string])[] = [
  ['shealth.sleep_combined', 'combined nights, which repeat the nights'],
  ['shealth.tracker.pedometer_day_summary', 'days of the pedometer, which repeat the days of the step trend'],
  ['health.nutrition', 'food, whose columns are not known'],
  ['health.food_intake', 'food, whose columns are not known'],
  ['shealth.cycle.*', 'menstrual cycles, whose columns are not known'],
]

/** Sports by their number in the export, as far as the developer documentation states them. All others are Other. */
export const SPORTS: Readonly<Record<string, string>> = {
  '1001': 'walking',
  '1002': 'running',
  '11007': 'cycling',
  '13001': 'hiking',
  '14001': 'swimming',
}
